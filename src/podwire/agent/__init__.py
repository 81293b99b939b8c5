"""Loops that end only when told to. Empty until that command exists."""
