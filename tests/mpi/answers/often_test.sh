#!/usr/bin/env bash
# A program runs well however often it runs: which of its threads the host runs first differs from run to run.
# Usage: often_test.sh MPIRUN TARGET PROGRAM RANKS TIMES
set -euo pipefail
mpirun=$1 target=$2 program=$3 ranks=$4 times=$5
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/answers"
# All ranks are on one node.
sed -e 's/^count = .*/count = 1/; s/^slots = .*/slots = 64/' "$target" >"$dir/target.toml"
for ((run = 1; run <= times; ++run)); do
  ANSWERS=$dir/answers EMU_TARGET=$dir/target.toml timeout 60 "$mpirun" -n "$ranks" "$program" >"$dir/output" 2>&1 </dev/null || {
    echo "FAILED: run $run of $times ends with exit code $?"
    head -20 "$dir/output"
    exit 1
  }
done
echo ok
