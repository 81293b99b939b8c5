"""How a machine is set up: what its .link files and units do to VFs, and in which order."""
