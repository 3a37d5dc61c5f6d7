#!/usr/bin/env bash
# Ranks that wait for one bound, in Spin: none sleeps on after the bound has been reached; in each mutant, one does.
# watchers_test.sh MODEL [C COMPILER]
set -euo pipefail

model=$(realpath "$1")
compiler=${2:-cc}
command -v spin >/dev/null || { echo "skipped: spin is not installed (scripts/install-dependencies --tests)"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# verify ERRORS OPTIONS...: Spin must find this number of errors; if it is 0, all states must have been visited.
verify() {
  local errors=$1
  shift
  spin -a "$@" "$model" >spin.log || { cat spin.log; exit 1; }
  "$compiler" -O0 -w -DSAFETY -DNOBOUNDCHECK -DMEMLIM=1500 -o pan pan.c
  ./pan -m400000 >pan.log 2>&1 || true
  grep -q "errors: $errors\$" pan.log || { echo "FAILED: $*: not $errors errors"; cat pan.log; exit 1; }
  [ "$errors" != 0 ] || ! grep -q -E 'too small|interrupted|out of memory|not completed' pan.log || { cat pan.log; exit 1; }
}
verify 0
for mutant in ONCE HASTY FORGETS; do verify 1 "-D$mutant"; done
echo ok
