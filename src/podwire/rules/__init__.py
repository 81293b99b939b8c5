"""One file a rule, grouped by what has to agree; `CATALOGUE` names them all."""

from podwire.findings.model import Rule
from podwire.rules import inputs, lifecycle, numa, pools, rdma, vf, wiring
from podwire.rules.inputs import ignore_without_effect

_OTHERS: tuple[Rule, ...] = (
    *inputs.RULES,
    *wiring.RULES,
    *rdma.RULES,
    *numa.RULES,
    *vf.RULES,
    *pools.RULES,
    *lifecycle.RULES,
)
# The rule about ignoring rules has to know the others.
CATALOGUE: tuple[Rule, ...] = (*_OTHERS, ignore_without_effect.knowing(_OTHERS))
