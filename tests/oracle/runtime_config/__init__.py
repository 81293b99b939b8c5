"""containerd's own reading of its configuration beside podwire's model of it.

`make test` replays recorded answers. `python -m tests.oracle.runtime_config --cases 500` asks the
containerd that the end-to-end tests build; with `--version 1.7.28` the packages of that version,
which needs Go; with `--containerd PROGRAM --version 2.2.7` another build.
"""
