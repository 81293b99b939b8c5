"""podwire explains which joint is broken between GPU pods, SR-IOV InfiniBand and the node."""
