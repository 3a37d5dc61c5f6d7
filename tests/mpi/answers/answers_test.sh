#!/usr/bin/env bash
# A program gets equal results natively and emulated, on targets that use every way of sending.
# IN_FRONT: a command that starts the program (scripts/sanitize).
# Usage: answers_test.sh MPIRUN TARGET PROGRAM RANKS...
set -euo pipefail
mpirun=$1 target=$2 program=$3
shift 3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
unset EMU_TARGET EMU_RECORD EMU_STATUS EMU_HOST_CLOCKS

# variant NAME EXPRESSION: TARGET with one change.
variant() {
  sed -e "$2" "$target" >"$dir/$1.toml"
  cmp -s "$target" "$dir/$1.toml" && { echo "FAILED: no such line for the variant $1"; exit 1; }
  targets+=("$1")
}
# All ranks are on one node, as in the native run.
sed -e 's/^count = .*/count = 1/; s/^slots = .*/slots = 64/' "$target" >"$dir/as-given.toml"
target=$dir/as-given.toml
targets=(as-given)
variant rendezvous 's/^eager_limit = .*/eager_limit = "8B"/'
variant serial 's/^card = .*/card = "serial"/; s/^eager_limit = .*/eager_limit = "1KiB"/'

# run NAME RANKS: writes the results of all ranks to the folder NAME.
run() {
  mkdir "$dir/$1"
  ANSWERS=$dir/$1 timeout 120 "$mpirun" -n "$2" ${IN_FRONT:-} "$program" >"$dir/$1/output" 2>&1 </dev/null ||
    { echo "FAILED: $1 with $2 ranks ends with exit code $?"; head -20 "$dir/$1/output"; exit 1; }
}

for ranks in "$@"; do
  run "native$ranks" "$ranks"
  [ "$(cat "$dir/native$ranks"/rank* | wc -l)" -ge "$ranks" ] || { echo "FAILED: it found out nothing"; exit 1; }
  for name in "${targets[@]}"; do
    EMU_TARGET=$dir/$name.toml run "$name$ranks" "$ranks"
    diff -r "$dir/native$ranks" "$dir/$name$ranks" ||
      { echo "FAILED: other answers (right) with $ranks ranks, target $name"; exit 1; }
  done
done
echo ok
