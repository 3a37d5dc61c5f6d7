#!/usr/bin/env bash
# datatypes_test.sh EMU DATATYPES: operations with random datatypes at the target move the data of MPI_Pack
# and MPI_Unpack, in windows of each rank's own memory, on one node and on two, and in shared windows.
# shellcheck source=tests/start.bash
. "$(dirname "$0")/../../start.bash"
emu=$1 datatypes=$2

small_target 1 declared 50us 10ns 3us 2us 'slots = 8' >"$dir/target.toml"

right() { # RANKS WORDS...
  local ranks=$1
  shift
  timeout 100 "$emu" run -n "$ranks" --target "$dir/target.toml" "$datatypes" "$@" >"$dir/out" 2>"$dir/err" ||
    fail "$*: $(head -5 "$dir/err")"
  cat "$dir/out"
  # Most datatypes contain no byte twice.
  awk '$1 == "put" && $2 > 20 && $4 > 20 && $6 == 140 && $8 == 0 { found = 1 } END { exit !found }' "$dir/out" || fail "$*: $(cat "$dir/out")"
}

for seed in 1 2 3; do right 2 $seed 140; done
right 1 4 140
right 2 5 140 shared
EMU_NODES=2 right 3 6 140
