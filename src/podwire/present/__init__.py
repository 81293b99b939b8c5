"""From a report to what a person or a program reads."""
