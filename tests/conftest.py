"""What holds for every test."""

from hypothesis import settings

# Machines are slow at times; how long an example takes says nothing about the code.
settings.register_profile("podwire", deadline=None)
settings.load_profile("podwire")
