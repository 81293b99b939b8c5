"""Values with rules of their own: evidence, names, addresses, versions.

No I/O, no logging, nothing of podwire above it.
"""
