"""The Debian package: podwire with wheels of its own, for machines that provision VFs."""
