#!/usr/bin/env bash
# A model in Spin: it has no error, and Spin finds an error in each of its mutants.
# mutants_test.sh COMPILER MODEL C-OPTIONS MUTANT...
set -euo pipefail

compiler=$1 model=$(realpath "$2") options=$3
shift 3
command -v spin >/dev/null || { echo "skipped: spin is not installed (scripts/install-dependencies --tests)"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# verify ERRORS OPTIONS...: Spin must find this number of errors; if it is 0, all states must have been visited.
verify() {
  local errors=$1
  shift
  spin -a "$@" "$model" >spin.log || { cat spin.log; exit 1; }
  # shellcheck disable=SC2086
  $compiler -O0 -w -DNOBOUNDCHECK -DMEMLIM=1500 $options -c pan.c
  $compiler -o pan pan.o
  ./pan -m400000 -w20 >pan.log 2>&1 || true
  grep -q "errors: $errors\$" pan.log || { echo "FAILED: $*: not $errors errors"; cat pan.log; exit 1; }
  [ "$errors" != 0 ] || ! grep -q -E 'too small|interrupted|out of memory|not completed' pan.log || { cat pan.log; exit 1; }
}
verify 0
for mutant; do verify 1 "-D$mutant"; done
echo ok
