#!/usr/bin/env bash
# Costs of polling, compared with closed forms (polls.cc), on one node and on several, with real delays and without.
# Usage: polling_test.sh EMU TARGET POLLS
# shellcheck source=tests/start.bash
. "$(dirname "$0")/../../start.bash"
emu=$1 target=$2 polls=$3

# same_as NAME LONGEST SETTING...: the run must be right, and have the times of all earlier runs with this name.
same_as() {
  local name=$1 longest=$2
  shift 2
  env "$@" timeout 100 "$emu" run -n 3 --target "$target" --json "$dir/run.json" "$polls" "$longest" >"$dir/out" 2>&1 </dev/null ||
    fail "$*: exit code $?: $(cat "$dir/out")"
  grep -oE '"(predicted|finish)_picoseconds": *[0-9]+' "$dir/run.json" >"$dir/times"
  [ -s "$dir/times" ] || fail "no times in the JSON"
  [ -e "$dir/$name" ] || mv "$dir/times" "$dir/$name"
  [ ! -e "$dir/times" ] || cmp "$dir/$name" "$dir/times" || fail "$*: other times than before"
}
same_as long 100000
same_as long 100000 EMU_NODES=2
same_as short 1000
same_as short 1000 EMU_NODES=ranks
same_as long 100000 EMU_JITTER=200
same_as millions 1000000 EMU_JITTER=200
same_as millions 1000000 EMU_NODES=2
same_as jitter 100
same_as jitter 100 EMU_JITTER=20 EMU_NODES=2
echo ok
