#!/usr/bin/env bash
# Gives each reader thousands of randomly damaged files, which are equal in every run.
# Usage: fuzz_test.sh BUILD SOURCE EMU GOAL LOOPS READER...
set -euo pipefail
build=$1 source=$2 emu=$3 goal=$4 loops=$5
shift 5
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
unset EMU_LOG EMU_TARGET EMU_TRACE EMU_RECORD EMU_JITTER
# shellcheck source=tests/unit/fuzz/starting_files.bash
. "$source/tests/unit/fuzz/starting_files.bash"
starting_files "$dir/start" "$source" "$build/seeds" "$emu" "$goal" "$loops"
for reader; do
  echo -n "$reader: "
  EMU_FUZZ_KEEP=$dir/last "$build/replay_$reader" 20000 3 "$dir/start/$reader"/* && continue
  echo "FAILED: $reader, by this input:"
  [ ! -e "$dir/last" ] || base64 "$dir/last"
  exit 1
done
