"""Frozen records of what was read, each able to say where.

No judgement lives here: a fact is neither right nor wrong.
"""
