"""Arguments, the choice of adapters, exit statuses."""
