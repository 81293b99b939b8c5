"""Review in, response out. Empty until that command exists."""
