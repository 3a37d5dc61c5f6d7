#!/usr/bin/env bash
# The C interface of apps/reduce, natively and emulated: the program prints only "the end".
# Usage: reduce_api_test.sh MPIRUN EMU TARGET PROGRAM RANKS
set -euo pipefail
mpirun=$1 emu=$2 target=$3 program=$4 ranks=$5
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

check() {
  timeout 60 "$@" >"$dir/out" 2>"$dir/err" || { echo "FAILED: exit code $?: $*"; cat "$dir/out" "$dir/err"; exit 1; }
  # UCX warns of a sign of life that arrives after the end.
  [ "$(grep -v "UCX  WARN" "$dir/out")" = "the end" ] || { echo "FAILED: $*"; cat "$dir/out" "$dir/err"; exit 1; }
}
check "$mpirun" -n "$ranks" "$program"
check "$emu" run -n "$ranks" --target "$target" "$program"
echo ok
