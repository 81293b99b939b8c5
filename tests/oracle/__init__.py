"""kubelet's own placement code beside podwire's model of it: cases, answers, and their comparison.

`make test` replays recorded answers. `python -m tests.oracle --cases 100000` asks the real
code, which needs Go and, the first time, several minutes to build it.
"""
