"""How a machine is set up: .link files, the unit that makes VFs, the driver."""

from podwire.findings.model import Rule
from podwire.rules.node import (
    driver_symbol_unresolved,
    kubelet_starts_without_vfs,
    link_address_policy_without_effect,
    link_keeps_pod_names,
    link_name_refused,
    link_name_shared_by_many,
    link_never_matches,
    link_shadowed,
    unit_expanded_by_systemd,
    unit_guid_not_unique,
    unit_guid_without_effect,
    unit_keyed_on_device_number,
    unit_killed_midway,
    unit_pf_sets_differ,
    unit_refused,
    unit_vf_count_not_reset,
    unit_without_link_policy,
)

RULES: tuple[Rule, ...] = (
    driver_symbol_unresolved.RULE,
    link_never_matches.RULE,
    link_name_refused.RULE,
    link_keeps_pod_names.RULE,
    link_name_shared_by_many.RULE,
    link_shadowed.RULE,
    link_address_policy_without_effect.RULE,
    unit_expanded_by_systemd.RULE,
    unit_refused.RULE,
    unit_pf_sets_differ.RULE,
    unit_guid_without_effect.RULE,
    unit_guid_not_unique.RULE,
    unit_vf_count_not_reset.RULE,
    unit_without_link_policy.RULE,
    unit_keyed_on_device_number.RULE,
    unit_killed_midway.RULE,
    kubelet_starts_without_vfs.RULE,
)
