#!/usr/bin/env bash
# stealing: equal nodes for all numbers of ranks and chunk sizes, natively and emulated; under emulation, equal steals
# at equal instants on any host.
# Usage: stealing_test.sh MPIRUN EMU STEALING TARGET
# shellcheck source=tests/start.bash
. "$(dirname "$0")/../start.bash"
mpirun=$1 emu=$2 stealing=$3 target=$4

"$mpirun" -n 1 "$stealing" --cost 0s 2>/dev/null >"$dir/one"
grep -q '^[0-9]* nodes, sum ' "$dir/one" || fail "$(cat "$dir/one")"
for ranks in 1 2 4; do
  timeout 60 "$mpirun" -n $ranks "$stealing" --cost 1us --chunk $ranks >"$dir/out" 2>"$dir/err" || fail "$ranks ranks: $(cat "$dir/err")"
  cmp "$dir/one" "$dir/out" || fail "other nodes with $ranks ranks"
done

# run NAME [VARIABLE=VALUE]...: 64 ranks.
run() {
  local name=$1
  shift
  env "$@" timeout 100 "$emu" run -n 64 --target "$target" --json "$dir/json" "$stealing" >"$dir/out" 2>"$dir/err" ||
    fail "$name: $(cat "$dir/err")"
  cmp "$dir/one" "$dir/out" || fail "$name: other nodes"
  { grep '^stealing: ' "$dir/err"; grep -o '"finish_picoseconds": *[0-9]*' "$dir/json"; } >"$dir/$name"
}
run plain
grep -q '^stealing: [1-9]' "$dir/plain" || fail "nobody stole: $(cat "$dir/plain")"
run jitter EMU_JITTER=30
run nodes EMU_NODES=2
for name in jitter nodes; do cmp "$dir/plain" "$dir/$name" || fail "$name: other steals, or other instants"; done
echo ok
