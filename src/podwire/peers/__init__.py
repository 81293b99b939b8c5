"""How other programs behave, as pure functions of facts.

One file a program. A rule asks here and never guesses; each sentence cites its source.
"""
