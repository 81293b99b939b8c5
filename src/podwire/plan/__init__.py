"""From what is wanted and what is there to decisions, pure (docs/design/0005, 0008)."""
