"""Counts that change while pods run: plugin restarts, lost connections, rejected pods."""

from podwire.findings.model import Rule
from podwire.rules.lifecycle import (
    allocatable_below_capacity,
    plugin_needs_restart,
    pods_hold_more_than_offered,
    pool_shrank_after_restart,
    rejected_at_admission,
)

RULES: tuple[Rule, ...] = (
    pool_shrank_after_restart.RULE,
    plugin_needs_restart.RULE,
    allocatable_below_capacity.RULE,
    pods_hold_more_than_offered.RULE,
    rejected_at_admission.RULE,
)
