"""Exit statuses beside 0: what scripts and CI read."""

BROKEN = 1  # findings at or above --fail-on
WRONG = 2  # wrong usage: an option, or a path or an object that is not there
INCOMPLETE = 3  # with --require-complete: nothing found, something undecided
FAILED = 70  # EX_SOFTWARE of sysexits.h: a fault of podwire
INTERRUPTED = 130  # what a shell reports of SIGINT
NOBODY_READS = 141  # what a shell reports of a program that SIGPIPE ended
