#!/usr/bin/env bash
# A program prints and writes the same answers natively and emulated, and two emulated runs predict equal picoseconds.
# Usage: same_answers_test.sh MPIRUN EMU TARGET RANKS PROGRAM [ARGS]; OUT in ARGS begins the name of a file that PROGRAM
# writes.
# COMPUTE=measured in the environment: two predictions differ, but each has to be consistent (check_measured.py).
set -euo pipefail
mpirun=$1
emu=$2
target=$3
ranks=$4
shift 4
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() { echo "FAILED: $*"; exit 1; }

# run NAME COMMAND...: writes its output to NAME.stdout, and the file it writes to the folder NAME.
run() {
  local name=$1
  shift
  mkdir "$dir/$name"
  local words=("${@//OUT/$dir/$name/OUT}")
  "${words[@]}" >"$dir/$name.stdout" || fail "$name run ends with exit code $?"
}

run native "$mpirun" -n "$ranks" "$@"
for i in 1 2; do
  run "emulated$i" "$emu" run -n "$ranks" --target "$target" --json "$dir/$i.json" "$@"
  cmp "$dir/native.stdout" "$dir/emulated$i.stdout" || fail "other output"
  diff -r "$dir/native" "$dir/emulated$i" || fail "another file"
done
for i in 1 2; do
  grep -oE '"(predicted|finish)_picoseconds": *[0-9]+' "$dir/$i.json" >"$dir/$i.times"
  [ -s "$dir/$i.times" ] || fail "no times in the JSON"
done
if [ "${COMPUTE:-declared}" = measured ]; then
  for i in 1 2; do python3 "$(dirname "$0")/check_measured.py" "$dir/$i.json" || fail "emulation $i"; done
else
  cmp "$dir/1.times" "$dir/2.times" || fail "two emulations differ"
fi
echo ok
