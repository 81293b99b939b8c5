"""What is asked of the picture about networks and their CNIs."""
