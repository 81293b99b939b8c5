# What the scripts here agree on. Sourced.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${PODWIRE_LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/podwire-lab}
suite=trixie
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

say() { printf 'lab: %s\n' "$*" >&2; }

# The mirror that this machine's own apt sources name.
mirror() {
  local found
  found=$(apt-get indextargets --format '$(ORIGIN)|$(COMPONENT)|$(CODENAME)|$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    awk -F'|' '$1 == "Debian" && $2 == "main" && $3 !~ /-/ {print $4; exit}')
  # Before the first `apt-get update` only the sources themselves tell.
  [[ $found ]] || found=$(sed -nE 's/^URIs:[[:space:]]*([^[:space:]]+).*/\1/p' /etc/apt/sources.list.d/debian.sources 2>/dev/null | head -1)
  [[ $found ]] || found=$(sed -nE 's/^deb (\[[^]]*\] )?([^ ]+) .* main.*/\2/p' /etc/apt/sources.list 2>/dev/null | head -1)
  [[ $found ]] || { echo 'no Debian mirror among the apt sources' >&2; return 1; }
  printf '%s\n' "${found%/}"
}
