"""Protocols for everything outside: files of a host, a clock, an API server.

Declarations only; `adapters` holds the real ones and `tests/fakes` the others.
"""
