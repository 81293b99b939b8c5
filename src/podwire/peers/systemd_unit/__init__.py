"""What systemd makes of unit files: settings, command lines, who waits for whom.

Source: systemd v252 src/core/load-fragment.c, src/basic/env-util.c, src/shared/specifier.c;
systemd.unit(5) and systemd.service(5). Values that only the machine knows stay unknown.
"""
