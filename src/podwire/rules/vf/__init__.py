"""InfiniBand ports of PFs and VFs: GUIDs, link state, and the subnet manager behind them."""

from podwire.findings.model import Rule
from podwire.rules.vf import (
    guid_twice,
    opensm_config_bare,
    opensm_not_in_charge,
    opensm_options_unknown,
    port_waits_for_manager,
    port_without_partner,
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
)
