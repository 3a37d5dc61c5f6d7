#!/usr/bin/env bash
# counts_test.sh MPIRUN EMU COUNTS CONFIG: emu_scatter_counts natively and emulated, with good and bad arguments.
set -euo pipefail
mpirun=$1 emu=$2 counts=$3 config=$4
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() {
  echo "FAILED: $*"
  cat "$dir/out" "$dir/err"
  exit 1
}
native() { "$mpirun" -n 4 "$counts" "$@"; }
emulated() { "$emu" run -n 4 --target "$config/seismic-grid-16.toml" "$counts" "$@"; }
one() { "$emu" run -n 1 --target "$config/seismic-grid-16.toml" "$counts" "$@"; }
sed 's/^scatter = "balanced".*/scatter = "uniform"/' "$config/seismic-grid-16.toml" >"$dir/uniform.toml"
uniform() { "$emu" run -n 4 --target "$dir/uniform.toml" "$counts" "$@"; }

# good ANSWER COMMAND...
good() {
  local answer=$1
  shift
  "$@" >"$dir/out" 2>"$dir/err" || fail "exit code $?: $*"
  [ "$(cat "$dir/out")" = "$answer" ] || fail "not $answer: $*"
}
# bad TEXT COMMAND...: expects exit code 2, and TEXT. Natively MPICH chooses the exit code: not 0.
bad() {
  local text=$1 code=0
  shift
  "$@" >"$dir/out" 2>"$dir/err" || code=$?
  [ "$code" = 2 ] || { [ "$1" = native ] && [ "$code" != 0 ]; } || fail "exit code $code, not 2: $*"
  grep -qe "$text" "$dir/err" || fail "no '$text': $*"
}

good '0: 3@0 3@3 2@6 2@8' native 10 64 9e-3 0 0
good '0: 3@0 3@3 2@6 2@8' uniform 10 64 9e-3 0 0
good '0: 0@0 0@0 0@0 0@0' native 0 64 9e-3 0 0
good '1: 0@0 0@0 0@0 0@0' emulated 0 64 9e-3 0 0
good '1: 1000@0' one 1000 64 9e-3 0 0
good '1: 0@0 0@0 0@0 10@0' emulated 10 64 0 3 0  # that costs nothing but sending
# The answer of emu scatter.
cat >"$dir/told.py" <<'END2'
import json, sys
plan = json.load(sys.stdin)
print("1:", " ".join(f"{count}@{begin}" for count, begin in zip(plan["counts"], plan["displacements"])))
END2
for root in 0 2; do
  "$emu" scatter -n 4 --target "$config/seismic-grid-16.toml" --items 1000 --item-bytes 64 --item-seconds 9ms \
    --root $root --json >"$dir/plan"
  good "$(python3 "$dir/told.py" <"$dir/plan")" emulated 1000 64 9e-3 $root 0
done

for run in native emulated; do
  bad 'emu_scatter_counts: invalid number of items: -1 (expected 0 to 2147483647)' $run -1 64 1 0 0
  bad 'emu_scatter_counts: invalid number of items: 3000000000 (expected 0 to 2147483647)' $run 3000000000 64 1 0 0
  bad 'emu_scatter_counts: invalid number of bytes of an item: -1 (expected 0 ' $run 10 -1 1 0 0
  bad 'emu_scatter_counts: .*invalid cost of an item: -1' $run 10 64 -1 0 0
  bad 'emu_scatter_counts: .*invalid cost of an item: nan' $run 10 64 nan 0 0
  bad 'emu_scatter_counts: invalid root: 7 (expected 0 to 3)' $run 10 64 1 7 0
  bad 'emu_scatter_counts: invalid number of ranks: -3 (expected ' $run 10 64 1 0 -3
done
bad 'emu_scatter_counts: invalid number of ranks: 3 (expected 4, the size of MPI_COMM_WORLD)' emulated 10 64 1 0 3
bad 'emu_scatter_counts: invalid order\[2\]: 0 (expected each rank once)' emulated 10 64 1 0 0 0 1 0 2
bad 'emu_scatter_counts: invalid order\[1\]: 9 (expected each rank once)' emulated 10 64 1 0 0 0 9 1 2
bad 'emu_scatter_counts: .* take longer than 640 hours' emulated 2000000000 64 3000 0 0
echo ok
