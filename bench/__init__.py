"""Figures of podwire beside those of its peers: `python -m bench`, nothing asserted."""
