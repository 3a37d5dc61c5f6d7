# For test scripts whose results are compared with stored files: `same`. The scripts define `fail`, and are in Meson's
# suite "golden". With EMU_ACCEPT=1 in the environment (scripts/test --accept), the present results are stored.

# same KEPT FILE: FILE equals KEPT.
same() {
  if [ "${EMU_ACCEPT:-}" = 1 ]; then cp "$2" "$1"; fi
  diff "$1" "$2" || fail "$2 is not $1; if it is right: scripts/test --accept"
}
