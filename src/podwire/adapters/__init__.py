"""The real ports: what touches a disk, a clock or a network."""
