"""What is asked of the picture about pools on nodes."""
