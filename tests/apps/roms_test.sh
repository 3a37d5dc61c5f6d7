#!/usr/bin/env bash
# roms: equal sets of rotations with each strategy; a clear error for wrong options.
# Usage: roms_test.sh MPIRUN ROMS
set -euo pipefail
mpirun=$1
roms=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() { echo "FAILED: $*"; exit 1; }

grid=(--steps 7 --segments 24)
"$mpirun" -n 1 "$roms" "${grid[@]}" --output "$dir/one" >"$dir/one.out"
read -r collide of all _ <"$dir/one.out"
[ "$of $all" = "of 343" ] && [ "$collide" -gt 20 ] && [ "$collide" -lt 320 ] || fail "$(cat "$dir/one.out")"
[ "$(wc -l <"$dir/one")" = "$collide" ] || fail "another number of lines"
for strategy in si "ml --masters 2" "dy --split-at 0.01"; do
  # shellcheck disable=SC2086
  "$mpirun" -n 4 "$roms" "${grid[@]}" --task 5 --strategy $strategy --output "$dir/other" >"$dir/other.out"
  cmp "$dir/one" "$dir/other" || fail "$strategy: other rotations"
  cmp "$dir/one.out" "$dir/other.out" || fail "$strategy: other output"
done

# refused TEXT OPTIONS...: expects exit code 2, and one line that contains TEXT.
refused() {
  local text=$1 code=0
  shift
  "$mpirun" -n 2 "$roms" "$@" >"$dir/out" 2>"$dir/err" || code=$?
  [ "$code" = 2 ] || fail "exit code $code, not 2: $*"
  [ "$(grep -c '^roms: ' "$dir/err")" = 1 ] || fail "not one message: $*: $(cat "$dir/err")"
  grep -qe "$text" "$dir/err" || fail "no '$text': $(cat "$dir/err")"
}
refused "--steps '0': expected a whole number from 1 to 1000" --steps 0
refused "--cost '-1'" --cost -1
refused "--masters 3: expected at most" --strategy ml --masters 3
refused "cannot be written" --output "$dir/none/x"
echo ok
