"""One file a rule, grouped by what has to agree; `CATALOGUE` names them all."""

from podwire.findings.model import Rule
from podwire.rules import inputs, lifecycle, pools, rdma, wiring

CATALOGUE: tuple[Rule, ...] = (
    *inputs.RULES,
    *wiring.RULES,
    *rdma.RULES,
    *pools.RULES,
    *lifecycle.RULES,
)
