"""CDI names and specs, and HAMi beside the GPU Operator."""

from podwire.findings.model import Rule
from podwire.rules.cdi import (
    cdi_name_unresolvable,
    cdi_off_in_runtime,
    cdi_spec_refused,
    hami_denies_pod,
    hami_node_unregistered,
    hami_passed_over,
    toolkit_refuses_container,
)

RULES: tuple[Rule, ...] = (
    cdi_name_unresolvable.RULE,
    cdi_off_in_runtime.RULE,
    hami_node_unregistered.RULE,
    hami_denies_pod.RULE,
    hami_passed_over.RULE,
    cdi_spec_refused.RULE,
    toolkit_refuses_container.RULE,
)
