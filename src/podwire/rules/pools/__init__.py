"""Which functions a pool takes, and why."""

from podwire.findings.model import Rule
from podwire.rules.pools import (
    function_carries_default_route,
    plugin_config_fatal,
    pool_dropped,
    pool_empty,
    pool_name_refused,
    pool_takes_pf,
    selector_key_unknown,
    selector_matches_nothing,
)

RULES: tuple[Rule, ...] = (
    pool_name_refused.RULE,
    plugin_config_fatal.RULE,
    pool_dropped.RULE,
    selector_key_unknown.RULE,
    pool_empty.RULE,
    selector_matches_nothing.RULE,
    pool_takes_pf.RULE,
    function_carries_default_route.RULE,
)
