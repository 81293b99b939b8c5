"""Programs themselves beside podwire's models of them: cases, answers, and their comparison.

Each compares one package of `podwire.peers`, has its own `--help`, and needs Go; what it
recorded (`--record`) lies in `tests/unit/peers/data`, and `make test` replays that.

    python -m tests.oracle                  kubelet_topology with kubelet's managers (this folder)
    python -m tests.oracle.cdi              cdi with the CDI library
    python -m tests.oracle.runtime_config   runtime_config with containerd
    python -m tests.oracle.toolkit          nvidia_toolkit with NVIDIA's runtime

In each `cases` (or `rows`) makes up what is asked, one module builds and asks the program, and
`replay` lists where the model differs. A new version is a go.mod beside the others and a line
in the module that builds. kubelet takes several minutes to build the first time.
"""
