"""GPUs: who serves them, what a container is handed, and what comes of it."""
