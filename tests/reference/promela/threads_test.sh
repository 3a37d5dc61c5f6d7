#!/usr/bin/env bash
# Two threads of a rank in Spin: no thread acts before the rank's promises allow, and none
# waits forever; Spin finds an error in each mutant. threads_test.sh MODEL [C COMPILER]
model=$1 compiler=${2:-cc}
# shellcheck source=tests/reference/promela/spin.bash
. "$(dirname "$0")/spin.bash"

# verify FOUND FIRST SECOND OPTIONS...: Spin's result for two threads with these programs; if none, all states were
# visited.
verify() {
  local found=$1
  build "-O0 -DSAFETY -DMEMLIM=500" -DFIRST="$2" -DSECOND="$3" "${@:4}"
  ./pan -m400000 -w20 >pan.log 2>&1 || true
  if [ "$found" = nothing ]; then
    grep -q 'errors: 0$' pan.log || { echo "FAILED: ${*:2}: errors"; cat pan.log; exit 1; }
    ! incomplete || { cat pan.log; exit 1; }
  else
    grep -q "pan:1: $found" pan.log || { echo "FAILED: ${*:2}: not '$found'"; cat pan.log; exit 1; }
  fi
}
for first in NAP RECEIVE SEND; do
  for second in NAP SEM SEND; do [ "$first $second" = 'SEND SEM' ] || verify nothing $first $second; done
done
verify nothing NAP RECEIVE
verify nothing LONG_NAP BARRIER
verify nothing BARRIER LONG_NAP
verify nothing BARRIER BARRIER
# Mutants: a decision and its sleep use two queries of the threads; the blocking rank is not watched; a leader that
# continues leaves no leader; a thread that may call counts as asleep; so does one that waits for the rank's lock, at
# its call or since another's call; a thread whose wait another one has ended is not called.
for mutant in LOOKS_TWICE NOT_WATCHED; do verify 'invalid end state' NAP SEM -DMUTANT_$mutant; done
verify 'invalid end state' NAP RECEIVE -DMUTANT_LEAD_LOST
for mutant in UNSEEN_AT_ONCE COMES_MEANWHILE; do verify 'assertion violated' RECEIVE SEND -DMUTANT_$mutant; done
for mutant in CALLED_RESTS NOT_CALLED; do verify 'assertion violated' LONG_NAP BARRIER -DMUTANT_$mutant; done
echo ok
