"""The CDI library itself beside podwire's model of it, in the versions that runtimes have.

`make test` replays recorded answers. `python -m tests.oracle.cdi --cases 20000` asks the library,
which needs Go.
"""
