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
all_right 1 "$mpirun" -n 1 "$reduce"
all_right 2 "$mpirun" -n 5 "$reduce" --sizes 8B,10MiB --operation affine --at-once 4 --copies 3
all_right 2 "$emu" run -n 20 --target "$target" "$reduce" --sizes 8B,64KiB --operation affine --at-once 9 --root 7
for one in "1 sum" "2 sum" "3 user" "10 max" "11 user"; do
  read -r ranks operation <<<"$one"
  all_right 8 "$emu" run -n "$ranks" --target "$target" "$reduce" "${all[@]}" --sizes 1000B,128KiB --at-once 5 \
    --operation "$operation" --root $((ranks - 1)) --cost-per-byte 10ns
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

# A rank fails, by itself or with its node, whatever its role: the root, its heir, another, the deputy, the dealer. Before
# its input stands twice, every other rank says that it is lost; later nothing is lost.
failed=(--sizes 256KiB --at-once 2 --time-limit 200ms --heartbeat 50ms)
# check_failure NAME LOST RANKS TARGET COMMAND...: RANKS fail.
check_failure() {
  local name=$1 lost=$2 ranks=$3
  shift 3
  timeout 60 "$emu" run -n 9 --target "$@" >"$dir/out" 2>"$dir/err" || fail "$name: exit code $?: $(cat "$dir/out" "$dir/err")"
  grep -qE "^reduce: $ranks ranks? failed" "$dir/err" || fail "$name: nobody has noticed: $(cat "$dir/err")"
  grep -q "$((2 - lost)) right, $lost lost" "$dir/out" || fail "$name: $(cat "$dir/out")"
  [ "$(grep -c ': reduction [01] is lost with the input of rank' "$dir/err")" = $((lost * (9 - ranks))) ] ||
    fail "$name: not every rank says what is lost: $(cat "$dir/err")"
}
# failing NODES AT HOW: the target with a failure of these nodes.
failing() {
  printf 'on_failure = "%s"\n' "$3"
  cat "$target"
  printf '\n[[event]]\nnode = %s\nat = "%s"\nkind = "fail"\n' "$1" "$2"
}
for rank in 0 1 3 7 8; do
  for at_lost in "1ms 2" "100ms 0"; do
    read -r at lost <<<"$at_lost"
    for how in "silent heartbeat" "error errors"; do
      read -r on_failure detect <<<"$how"
      failing "$rank" "$at" "$on_failure" >"$dir/failure.toml"
      check_failure "failure of node $rank at $at, $detect" "$lost" 1 "$dir/failure.toml" "$reduce" "${failed[@]}" \
        --detect "$detect"
    done
  done
  check_failure "failure of rank $rank" 0 1 "$target" "$reduce" "${failed[@]}" --fail "$rank@100ms"
done
# Two at once: with a third copy of everything nothing is lost.
for ranks in "[0, 1]" "[7, 8]" "[3, 4]" "[0, 8]"; do
  failing "$ranks" 150ms silent >"$dir/failure.toml"
  check_failure "failures of $ranks" 0 2 "$dir/failure.toml" "$reduce" "${failed[@]}" --copies 3
done
# The dealer and both its deputies, and all but two ranks: who is left notices, and nothing waits for ever.
# check_end NAME COUNT RANKS ARGUMENTS...: of COUNT reductions each is right, or said to be lost, with the inputs of some of
# RANKS, by all others.
check_end() {
  local name=$1 count=$2 ranks=$3 right lost living
  shift 3
  timeout 60 "$emu" run -n 9 --target "$dir/failure.toml" "$reduce" "$@" >"$dir/out" 2>"$dir/err" ||
    fail "$name: exit code $?: $(cat "$dir/out" "$dir/err")"
  read -r right lost < <(sed -n 's/.* \([0-9]*\) right, \([0-9]*\) lost$/\1 \2/p' "$dir/out")
  living=$((9 - $(tr -cd , <<<"$ranks" | wc -c) - 1))
  [ $((right + lost)) = "$count" ] || fail "$name: $(cat "$dir/out")"
  [ "$(grep -cE ": reduction [0-9] is lost with the input of rank [${ranks//[ ,]/}](, [${ranks//[ ,]/}])*\$" "$dir/err")" = $((lost * living)) ] ||
    fail "$name: not every rank says whose input is lost: $(cat "$dir/out" "$dir/err")"
}
for ranks in "6, 7, 8" "0, 1, 2, 3, 4, 5, 6" "2, 3, 4, 5, 6, 7, 8" "1, 2, 3, 5, 6, 7, 8" "0, 1" "0, 8" "7, 8" "3, 4" "3, 5"; do
  for at in 5ms 60ms 120ms; do
    for how in "silent heartbeat" "error errors"; do
      read -r on_failure detect <<<"$how"
      failing "[$ranks]" "$at" "$on_failure" >"$dir/failure.toml"
      check_end "failures of $ranks at $at, $detect" 2 "$ranks" "${failed[@]}" --detect "$detect"
    done
  done
done
failing "[6, 7, 8]" 150ms silent >"$dir/failure.toml"
check_end "failure of the dealer and its deputies" 2 "6, 7, 8" "${failed[@]}" --copies 4
grep -q " [12] right" "$dir/out" || fail "four copies, three failures: all is lost"
# The heir fails when the root has; of a long vector some segments may be over, and stand at these two only.
for at in 1500ms 2500ms 3500ms; do
  failing 0 "$at" silent >"$dir/failure.toml"
  printf '[[event]]\nnode = 1\nat = "%s"\nkind = "fail"\n' "$((${at%ms} + 5))ms" >>"$dir/failure.toml"
  check_end "failures of root and heir after $at" 1 "0, 1" --sizes 12MiB --time-limit 5s --heartbeat 1s
done
# By silence, where MPI says it earlier: the same program.
failing 7 100ms error >"$dir/failure.toml"
check_failure "an error where silence is looked for" 0 1 "$dir/failure.toml" "$reduce" "${failed[@]}"
# Who is asked, or asks, during a reduction much longer than the limit has not failed.
all_right 1 "$emu" run -n 9 --target "$target" "$reduce" --sizes 1MiB --cost-per-byte 1us --heartbeat 50ms --time-limit 400ms
[ "$(grep -c failed "$dir/err")" = 0 ] || fail "held for failed: $(cat "$dir/err")"
# After a failure in a communicator that MPIX_Comm_shrink makes, whoever has failed, and also before the first reduction.
for rank in 0 1 3 8; do
  failing "$rank" 1ms error >"$dir/failure.toml"
  timeout 60 "$emu" run -n 9 --target "$dir/failure.toml" "$reduce" --sizes 256KiB --repeat 3 --detect errors --shrink \
    >"$dir/out" 2>"$dir/err" || fail "shrink, rank $rank: exit code $?: $(cat "$dir/out" "$dir/err")"
  grep -q ": 2 right, 1 lost" "$dir/out" || fail "shrink, rank $rank: $(cat "$dir/out" "$dir/err")"
  grep -qx "reduce: 1 rank failed" "$dir/err" || fail "shrink, rank $rank: nobody has noticed: $(cat "$dir/err")"
done
failing 3 1us error >"$dir/failure.toml"
all_right 1 timeout 60 "$emu" run -n 9 --target "$dir/failure.toml" "$reduce" --sizes 256KiB --detect errors --shrink
# Inputs at risk are stored first.
# stored RISK: when rank 4's input and the last one's stood twice.
stored() {
  all_right 1 "$emu" run -n 9 --target "$target" "$reduce" --sizes 1MiB --at-once 4 --stored --timings "$dir/timings" $1
  cut -f 8- "$dir/timings" | awk '{ for (i = 1; i <= NF; ++i) if ($i > last) last = $i; print $5, last }'
}
read -r usual usual_last <<<"$(stored "")"
read -r first last <<<"$(stored "--risk 4")"
awk -v a="$first" -v b="$usual" -v c="$last" -v d="$usual_last" 'BEGIN { exit !(a < 0.9 * b && c < 1.2 * d) }' ||
  fail "--risk: stored at $first s, of $last; without it at $usual s, of $usual_last"
# The same rank by a history.
printf '# node, failures\nnode4 2\n  elsewhere 7\n' >"$dir/history"
# same A B: the same times, but for what it takes to learn of the nodes' names.
same() { awk -v a="$1" -v b="$2" 'BEGIN { split(a, x); split(b, y); d = x[1] - y[1]; exit !(d < 1e-6 && d > -1e-6) }'; }
same "$(stored "--risk $dir/history")" "$first" || fail "--risk with a history is not --risk 4"
# A deputy fails, and the dealer, which others load, makes its blocks for longer than the limit: it is heard of meanwhile, and
# hears the answers of all others, none of whom it may take for failed.
{
  awk '/^\[\[node\]\]/ { exit } { print }' "$(dirname "$target")/ethernet-100g-64.toml" | sed 's/^compute = .*/compute = "declared"/'
  printf '[[node]]\ncount = 16\n[[load]]\nnodes = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]\nmean = 3\n'
  printf 'period = "10ms"\nseed = 7\n[[event]]\nkind = "fail"\nnode = 14\nat = "14ms"\n'
} >"$dir/busy.toml"
all_right 1 "$emu" run -n 16 --target "$dir/busy.toml" "$reduce" --sizes 1MiB --at-once 4 --cost-per-byte 0.3ns --heartbeat 1ms \
  --time-limit 5ms
grep -q 'reduce: 1 rank failed' "$dir/err" || fail "a busy dealer: $(cat "$dir/err")"
# What starts after the failure goes on without that input, or is lost with it.
failing 3 5ms error >"$dir/failure.toml"
for option in "--leave-out 2 right, 1 lost" "--copies=2 0 right, 3 lost"; do
  read -r option said <<<"$option"
  "$emu" run -n 9 --target "$dir/failure.toml" "$reduce" --sizes 256KiB --repeat 3 --detect errors "$option" >"$dir/out" 2>"$dir/err" ||
    fail "$option: $(cat "$dir/out" "$dir/err")"
  grep -q ": $said" "$dir/out" || fail "$option: $(cat "$dir/out")"
done
# Natively too. When the failure comes is a matter of the host, but every reduction is right or lost, and none is lost
# without a failure.
native_failure() {  # native_failure AT: right=, lost=
  "$mpirun" -n 4 "$reduce" --sizes 64KiB --at-once 3 --repeat 2 --fail "1@$1" >"$dir/out" 2>"$dir/err" ||
    fail "native failure at $1: $(cat "$dir/out" "$dir/err")"
  read -r right lost < <(sed -n 's/.* \([0-9]*\) right, \([0-9]*\) lost$/\1 \2/p' "$dir/out")
  [ $((right + lost)) = 6 ] || fail "native failure at $1: $(cat "$dir/out")"
  [ "$lost" = 0 ] || grep -qx 'reduce: 1 rank failed' "$dir/err" || fail "lost without a failure: $(cat "$dir/out" "$dir/err")"
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
refused "--root '3': expected a whole number from 0 to 2" --root 3
refused "--fail '3@1s': expected R@TIME: a rank from 0 to 2" --fail 3@1s
refused "only --algorithms task survives" --fail 1@1s --algorithms task,mpi
refused "expected a longer time than --heartbeat's" --time-limit 1ms
refused '--heartbeat: expected a time above 0' --heartbeat 0
refused "do not keep the order of ranks" --operation affine --algorithms binomial
refused "expected a run without --fail" --stored --fail 1@1s
refused "--risk '1,3': expected ranks from 0 to 2" --risk 1,3
refused "--risk $dir/none: cannot be read" --risk "$dir/none"
refused "--shrink: expected --algorithms task and --detect errors" --shrink
refused "cannot be written" --timings "$dir/none/x"
echo ok
