"""The names that a pool gives to what a container gets."""

from podwire.model.names import ResourceName


def env_name(resource: ResourceName) -> str:
    """Name the variable that lists the PCI addresses: `PCIDEVICE_EXAMPLE_COM_IB_VF`.

    Dots become underscores, a hyphen stays: a shell cannot read such a variable.
    Source: pkg/resources/pool_stub.go GetEnvs, v3.11.0.
    """
    return f"PCIDEVICE_{resource.prefix}_{resource.name}".replace(".", "_").upper()


def info_env_name(resource: ResourceName) -> str:
    """Name the variable that holds JSON about each device."""
    return f"{env_name(resource)}_INFO"
