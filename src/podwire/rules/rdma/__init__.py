"""What a container needs for RDMA beside an interface."""

from podwire.findings.model import Rule
from podwire.rules.rdma import (
    host_path_infiniband,
    memory_lock_missing,
    memory_lock_useless,
    pool_without_rdma,
    rdma_devices_missing,
    rdma_in_other_container,
)

RULES: tuple[Rule, ...] = (
    pool_without_rdma.RULE,
    memory_lock_missing.RULE,
    memory_lock_useless.RULE,
    rdma_in_other_container.RULE,
    host_path_infiniband.RULE,
    rdma_devices_missing.RULE,
)
