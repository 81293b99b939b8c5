"""What was given, and whether it can be read."""

from podwire.findings.model import Rule
from podwire.rules.inputs import duplicate_key, object_given_twice, unreadable_input

RULES: tuple[Rule, ...] = (
    unreadable_input.RULE,
    duplicate_key.RULE,
    object_given_twice.RULE,
)
