"""podwire's own version, as it was installed."""


def version() -> str:
    """Read it from the installed package's metadata."""
    from importlib import metadata

    return metadata.version("podwire")
