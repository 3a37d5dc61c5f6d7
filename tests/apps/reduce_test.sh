#!/usr/bin/env bash
# reduce: right results under each algorithm, with failures at any time, natively and emulated; and times that are known.
# Usage: reduce_test.sh MPIRUN EMU TARGET REDUCE
set -euo pipefail
mpirun=$1
emu=$2
target=$3
reduce=$4
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() { echo "FAILED: $*"; exit 1; }

# all_right N COMMAND...: N lines of output, each with all right and none lost.
all_right() {
  local lines=$1
  shift
  "$@" >"$dir/out" 2>"$dir/err" || fail "exit code $?: $*: $(cat "$dir/out" "$dir/err")"
  [ "$(grep -c ' [1-9][0-9]* right, 0 lost$' "$dir/out")" = "$lines" ] || fail "$*: $(cat "$dir/out")"
}
all=(--algorithms "task,binomial,rabenseifner,mpi")
all_right 4 "$mpirun" -n 4 "$reduce" "${all[@]}" --sizes 64KiB --at-once 3 --repeat 2 --overlap 1ms
all_right 8 "$mpirun" -n 3 "$reduce" "${all[@]}" --sizes 8B,64KiB --operation user --root 1
all_right 1 "$mpirun" -n 2 "$reduce"
for one in "2 sum" "3 user" "10 max" "11 user"; do
  read -r ranks operation <<<"$one"
  all_right 8 "$emu" run -n "$ranks" --target "$target" "$reduce" "${all[@]}" --sizes 1000B,128KiB --at-once 5 \
    --operation "$operation" --root $((ranks - 2)) --cost-per-byte 10ns
done

# Where combining costs nothing, the algorithms of messages take as long as those of MPI_Reduce: the tree, which is
# used for a function of the program's own, and Rabenseifner's.
# seconds RANKS ALGORITHM OPERATION: each alone in a run, so that all begin alike.
seconds() {
  all_right 1 "$emu" run -n "$1" --target "$target" "$reduce" --algorithms "$2" --operation "$3" --sizes 128KiB \
    --timings "$dir/timings"
  cut -f 6 "$dir/timings"
}
for ranks in 9 12; do
  for pair in "binomial user" "rabenseifner sum"; do
    read -r algorithm operation <<<"$pair"
    ours=$(seconds "$ranks" "$algorithm" "$operation")
    [ -n "$ours" ] && [ "$ours" = "$(seconds "$ranks" mpi "$operation")" ] || fail "$algorithm: $ours, MPI_Reduce: $(cat "$dir/timings")"
  done
done

# A worker fails at any time, by itself or with its node: before its input is stored twice all is lost, later nothing.
failed=(--sizes 256KiB --at-once 2 --time-limit 200ms --heartbeat 50ms)
check_failure() {
  local name=$1 lost=$2
  shift 2
  "$emu" run -n 9 --target "$@" >"$dir/out" 2>"$dir/err" || fail "$name: $(cat "$dir/out" "$dir/err")"
  grep -q '1 worker failed' "$dir/err" || fail "$name: nobody has noticed: $(cat "$dir/err")"
  grep -q "$((2 - lost)) right, $lost lost" "$dir/out" || fail "$name: $(cat "$dir/out")"
}
while read -r at lost; do
  check_failure "failure at $at" "$lost" "$target" "$reduce" "${failed[@]}" --fail "3@$at"
  { cat "$target"; printf '\n[[event]]\nnode = 4\nat = "%s"\nkind = "fail"\n' "$at"; } >"$dir/failure.toml"
  check_failure "node's failure at $at" "$lost" "$dir/failure.toml" "$reduce" "${failed[@]}"
done <<<"0ms 2
50ms 0
80ms 0
100ms 0"
# Natively too. When the failure comes is a matter of the host, but every reduction is right or lost, and none is lost
# without a failure.
native_failure() {  # native_failure AT: right=, lost=
  "$mpirun" -n 4 "$reduce" --sizes 64KiB --at-once 3 --repeat 2 --fail "1@$1" >"$dir/out" 2>"$dir/err" ||
    fail "native failure at $1: $(cat "$dir/out" "$dir/err")"
  read -r right lost < <(sed -n 's/.* \([0-9]*\) right, \([0-9]*\) lost$/\1 \2/p' "$dir/out")
  [ $((right + lost)) = 6 ] || fail "native failure at $1: $(cat "$dir/out")"
  [ "$lost" = 0 ] || grep -qx 'reduce: 1 worker failed' "$dir/err" || fail "lost without a failure: $(cat "$dir/out" "$dir/err")"
}
native_failure 1ms
native_failure 0ms
[ "$right" = 0 ] || fail "a worker that fails at once has stored its input: $(cat "$dir/out")"
native_failure 1000s
[ "$lost" = 0 ] || fail "nobody fails in time, and something is lost: $(cat "$dir/out")"

# refused TEXT OPTIONS...: exit code 2, and one line that holds TEXT.
refused() {
  local text=$1 code=0
  shift
  "$mpirun" -n 3 "$reduce" "$@" >"$dir/out" 2>"$dir/err" || code=$?
  [ "$code" = 2 ] || fail "exit code $code, not 2: $*"
  [ "$(grep -c '^reduce: ' "$dir/err")" = 1 ] || fail "not one message: $*: $(cat "$dir/err")"
  grep -qe "$text" "$dir/err" || fail "no '$text': $(cat "$dir/err")"
}
refused "--algorithms 'ring': expected some of task, " --algorithms ring
refused "--sizes '12B': expected sizes like 128KiB, multiples of 8 bytes" --sizes 12B
refused "--root '2': expected a whole number from 0 to 1" --root 2
refused "--fail '2@1s': expected W@TIME: a worker from 0 to 1" --fail 2@1s
refused "only --algorithms task survives" --fail 1@1s --algorithms task,mpi
refused "expected a longer time than --heartbeat's" --time-limit 1ms
refused '--heartbeat: expected a time above 0' --heartbeat 0
refused "cannot be written" --timings "$dir/none/x"
echo ok
