#!/usr/bin/env bash
# A model in Spin: it has no error, and Spin finds an error in each of its mutants.
# mutants_test.sh COMPILER MODEL C-OPTIONS MUTANT...
compiler=$1 model=$2 options=$3
shift 3
# shellcheck source=tests/reference/promela/spin.bash
. "$(dirname "$0")/spin.bash"

# verify ERRORS OPTIONS...: Spin must find this number of errors; if it is 0, all states must have been visited.
verify() {
  local errors=$1
  shift
  build "-O0 -DMEMLIM=1500 $options" "$@"
  ./pan -m400000 -w20 >pan.log 2>&1 || true
  grep -q "errors: $errors\$" pan.log || { echo "FAILED: $*: not $errors errors"; cat pan.log; exit 1; }
  [ "$errors" != 0 ] || ! incomplete || { cat pan.log; exit 1; }
}
verify 0
for mutant; do verify 1 "-D$mutant"; done
echo ok
