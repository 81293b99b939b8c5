"""From what is wanted and what is there to decisions, pure.

Empty until `render` and `node` need it.
"""
