#!/usr/bin/env bash
# Chains and general graphs run to their end; wrong use gives a clear error, once, with exit code 2.
# Usage: goal_test.sh MPIRUN GOAL GRAPH, a schedule for 3 ranks.
set -euo pipefail
mpirun=$1
goal=$2
graph=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() { echo "FAILED: $*"; exit 1; }

timeout 60 "$mpirun" -n 3 "$goal" "$graph" --unit 0.1ns || fail "a general graph"

# refused TEXT RANKS OPTIONS...: expects exit code 2, and one line that contains TEXT.
refused() {
  local text=$1 ranks=$2 code=0
  shift 2
  "$mpirun" -n "$ranks" "$goal" "$@" >"$dir/out" 2>"$dir/err" || code=$?
  [ "$code" = 2 ] || fail "exit code $code, not 2: $*"
  [ "$(grep -c '^goal: ' "$dir/err")" = 1 ] || fail "not one message: $*: $(cat "$dir/err")"
  grep -qe "$text" "$dir/err" || fail "no '$text': $(cat "$dir/err")"
}
echo 'num_ranks 2
rank 0 {
calc x
}' >"$dir/bad.goal"
echo 'num_ranks 1
rank 0 {
calc 9223372036854775807
}' >"$dir/long.goal"
refused "graph.goal needs 3 ranks, not 2" 2 "$graph"
refused "bad.goal:3: expected 'calc D'" 2 "$dir/bad.goal"
refused "long.goal: with this --unit" 1 "$dir/long.goal"
refused "none.goal: cannot be read" 2 "$dir/none.goal"
refused "--unit '1': expected a time above 0" 3 "$graph" --unit 1
refused "--unit '0ns'" 3 "$graph" --unit 0ns
refused "no FILE" 2
echo ok
