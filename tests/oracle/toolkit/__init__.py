"""NVIDIA's own container runtime beside podwire's model of it: rows, answers, and their comparison.

The runtime, and the hook that it inserts in mode legacy, are built from their Go module and run
on bundles in temporary folders, with a stand-in for the low-level runtime, for
nvidia-container-cli and for libnvidia-ml.so.1. `make test` replays recorded answers;
`python -m tests.oracle.toolkit` asks the real programs.
"""
