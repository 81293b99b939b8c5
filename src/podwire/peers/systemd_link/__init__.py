"""What udev does with .link files: which one applies to a net device, and its new name.

Source: systemd v252 src/udev/net/link-config.c, src/shared/net-condition.c; what v257 does
was seen on a real one. What a device has is given as facts; what nobody knows of it stays
unknown, and so does everything that hangs on it.
"""
