"""What is asked of the picture about one container: devices, locked memory, outputs."""
