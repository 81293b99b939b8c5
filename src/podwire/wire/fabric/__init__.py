"""Ports of InfiniBand devices, and the subnet manager behind them: asked of the picture."""
