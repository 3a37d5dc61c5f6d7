#!/usr/bin/env bash
# The protocol of bounds between nodes in Spin: all programs of a few sends and receives, and mutants
# of the protocol, in each of which Spin must find an error. agents_test.sh MODEL [C COMPILER]
model=$1 compiler=${2:-cc}
# shellcheck source=tests/reference/promela/spin.bash
. "$(dirname "$0")/spin.bash"

# Prints the error that Spin finds, or "no error in N states". All states must have been visited. Less memory is faster:
# compressed states (COLLAPSE), and a table of 2^20 entries.
verify() {
  ./pan -m400000 -w20 "$@" >pan.log 2>&1 || true
  grep -q 'errors: [0-9]' pan.log || { cat pan.log; exit 1; }
  if ! grep -q 'errors: 0' pan.log; then
    grep -m1 -o -E 'assertion violated|non-progress cycle|invalid end state' pan.log || { cat pan.log; exit 1; }
  elif incomplete; then
    cat pan.log
    exit 1
  else
    echo "no error in $(grep -o -E '[0-9e.+]+ states, stored' pan.log)"
  fi
}
failed=0
check() {  # check EXPECTED C-OPTIONS VERIFIER-OPTIONS MODEL-OPTIONS...
  local expected=$1 c=$2 run=$3 found
  shift 3
  build "-O1 -DMEMLIM=1500 $c" "$@"
  # shellcheck disable=SC2086
  found=$(verify $run)
  echo "$*: $found"
  [[ $found == "$expected"* ]] || { echo "FAILED: $expected was expected"; failed=1; }
}
holds() { check "no error" "-DSAFETY -DCOLLAPSE" "" "$@"; }
goes_on() { check "no error" "-DNP -DNFAIR=3 -DCOLLAPSE" "-l -f" "$@"; }
# Errors are found early: the compiler's time counts.
fails() { check "assertion violated" "-O0 -DSAFETY -DCOLLAPSE" "" "$@"; }
loops() { check "non-progress cycle" "-O0 -DNP -DNFAIR=3 -DCOLLAPSE" "-l -f" "$@"; }

# Two nodes, one of them with a single rank: any senders and receivers, early or late.
any=(-DS0=0 -DR0=1 -DS1=1 -DR1=1 -DS2=1 -DR2=0)
for alone in 0 1 2; do
  holds -DNODES=2 -DALONE=$alone "${any[@]}" -DLATE=1
done
# Rank 2 sends to rank 0 (slowly) and then to rank 1, which answers to rank 0: rank 2's message must be taken first.
overtaking=(-DS0=0 -DR0=1 -DS1=1 -DR1=1 -DS2=2 -DR2=0 -DFIRST_TO2=1 -DTO2=2 -DTO1=1 -DSLOW=2 -DRECEIVES_FIRST)
holds -DNODES=2 "${overtaking[@]}"
holds -DNODES=2 "${overtaking[@]}" -DFAR -DLOOKAHEAD=2
goes_on -DNODES=2 "${overtaking[@]}" -DFAR
# Each rank on a node of its own.
holds -DNODES=3 "${any[@]}" -DRECEIVES_FIRST
goes_on -DNODES=3 "${any[@]}" -DRECEIVES_FIRST -DTO1=1
# All ranks on three nodes, as far as the time permits: some millions of states (all 13.5 million are right, and take 40
# s of CPU time and 1 GB).
check "no error" "-DSAFETY -DBITSTATE" "-w22" -DNODES=3 "${overtaking[@]}" -DFAR

for mutant in SET_WITHOUT_COUNTING OUTBOX_BEFORE_BOUND IN_FLIGHT_FORGOTTEN COUNTED_AFTER_DRAINING NOT_ASKED_AGAIN; do
  fails -DNODES=2 "${overtaking[@]}" -DFAR -DMUTANT_$mutant
done
for mutant in AGENT_NOT_WOKEN WATCHERS_FORGOTTEN TIES_DO_NOT_COUNT TIES_BLOCK_EVERYBODY; do
  fails -DNODES=2 "${any[@]}" -DLATE=1 -DMUTANT_$mutant
done
# With any receiver of rank 1 these errors are found in a tenth of the time.
for mutant in IN_FLIGHT_OF_THIRD_FORGOTTEN RISES_NOT_LAST; do
  fails -DNODES=3 "${overtaking[@]/-DTO1=1/-DTO1=7}" -DFAR -DMUTANT_$mutant
done
loops -DNODES=2 "${overtaking[@]}" -DFAR -DMUTANT_RECEIVED_NOT_SAID
exit $failed
