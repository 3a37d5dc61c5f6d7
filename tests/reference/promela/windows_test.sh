#!/usr/bin/env bash
# One-sided operations in Spin: the order is never wrong and no rank waits forever; Spin finds an error in each mutant.
# windows_test.sh MODEL [C COMPILER]
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
  "$compiler" -O0 -w -DNOBOUNDCHECK -DCOLLAPSE -DMEMLIM=1500 -o pan pan.c
  ./pan -m400000 >pan.log 2>&1 || true
  grep -q "errors: $errors\$" pan.log || { echo "FAILED: $*: not $errors errors"; cat pan.log; exit 1; }
  [ "$errors" != 0 ] || ! grep -q -E 'too small|interrupted|out of memory|not completed' pan.log || { cat pan.log; exit 1; }
}
verify 0
for mutant in CLAMP UNSEEN UNCERTAIN DEAF OLD; do verify 1 "-D$mutant"; done
echo ok
