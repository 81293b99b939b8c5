"""`podwire.io/ignore` on an object: what somebody chose not to hear about it."""

IGNORE = "podwire.io/ignore"


def parse_ignore(annotation: str) -> tuple[tuple[str, str], ...]:
    """Read `"<id or slug>: <reason>; ..."` into (rule, reason) pairs; a reason may be empty."""
    pairs = []
    for entry in annotation.split(";"):
        rule, _, reason = entry.partition(":")
        if rule.strip():
            pairs.append((rule.strip(), reason.strip()))
    return tuple(pairs)
