"""Show, plan, apply on this machine: observe, plan, act, once. Empty until that command exists."""
