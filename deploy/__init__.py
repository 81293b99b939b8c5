"""What podwire ships as, beside its wheel."""
