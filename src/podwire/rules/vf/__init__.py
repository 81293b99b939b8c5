"""InfiniBand ports of PFs and VFs: GUIDs, link state, firmware, and the subnet manager."""

from podwire.findings.model import Rule
from podwire.rules.vf import (
    firmware_allows_fewer_vfs,
    firmware_change_pending,
    firmware_differs,
    firmware_older_than_known,
    guid_twice,
    opensm_config_bare,
    opensm_not_in_charge,
    opensm_options_unknown,
    pf_missing,
    port_is_ethernet,
    port_waits_for_manager,
    port_without_partner,
    vf_count_differs,
    vf_guid_unset,
    vf_link_policy_down,
    vf_port_not_served,
)

RULES: tuple[Rule, ...] = (
    vf_guid_unset.RULE,
    guid_twice.RULE,
    vf_port_not_served.RULE,
    vf_link_policy_down.RULE,
    port_waits_for_manager.RULE,
    port_without_partner.RULE,
    opensm_options_unknown.RULE,
    opensm_config_bare.RULE,
    opensm_not_in_charge.RULE,
    firmware_allows_fewer_vfs.RULE,
    vf_count_differs.RULE,
    port_is_ethernet.RULE,
    firmware_change_pending.RULE,
    firmware_differs.RULE,
    firmware_older_than_known.RULE,
    pf_missing.RULE,
)
