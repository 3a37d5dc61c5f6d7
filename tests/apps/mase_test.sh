#!/usr/bin/env bash
# Equal images for all numbers of ranks, task sizes and formats; a clear error, once, and exit code 2 for wrong options.
# Usage: mase_test.sh MPIRUN MASE
set -euo pipefail
mpirun=$1
mase=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() { echo "FAILED: $*"; exit 1; }

size=(--size 60 --region "-0.8,0.05,-0.7,0.15")
"$mpirun" -n 1 "$mase" "${size[@]}" --output "$dir/1.ppm" >"$dir/1.out"
for ranks in 1 2 5; do
  for task in 1 7 3600 100000; do
    out=$dir/$ranks-$task
    "$mpirun" -n "$ranks" "$mase" "${size[@]}" --task "$task" --output "$out.ppm" >"$out.out"
    cmp "$dir/1.ppm" "$out.ppm" || fail "another image with $ranks ranks and tasks of $task pixels"
    cmp "$dir/1.out" "$out.out" || fail "other output with $ranks ranks and tasks of $task pixels"
  done
done
[ "$(stat -c %s "$dir/1.ppm")" = $((60 * 60 * 3 + 13)) ] || fail "the size of the image"
[ "$("$mase" --count "${size[@]}")" = "$(sed 's/.*, \([0-9]*\) iterations/\1/' "$dir/1.out")" ] || fail "--count"
"$mpirun" -n 3 "$mase" "${size[@]}" --output "$dir/3.png" >/dev/null
[ "$(head -c 4 "$dir/3.png" | tail -c 3)" = PNG ] || fail "no PNG"
"$mpirun" -n 8 "$mase" --size 2 >/dev/null || fail "more slaves than tasks"
"$mpirun" -n 2 "$mase" --help | grep -c Usage: | grep -qx 1 || fail "--help"

# refused TEXT OPTIONS...: expects exit code 2, and one line that contains TEXT.
refused() {
  local text=$1 code=0
  shift
  "$mpirun" -n 3 "$mase" "$@" >"$dir/out" 2>"$dir/err" || code=$?
  [ "$code" = 2 ] || fail "exit code $code, not 2: $*"
  [ "$(grep -c '^mase: ' "$dir/err")" = 1 ] || fail "not one message: $*: $(cat "$dir/err")"
  grep -qe "$text" "$dir/err" || fail "no '$text': $(cat "$dir/err")"
}
refused "--size '0': expected a whole number from 1 to" --size 0
refused "--size '9x'" --size 9x
refused "--task '-1'" --task -1
refused "--iterations '99999999999'" --iterations 99999999999
refused "--region '1,2,3': expected four numbers" --region 1,2,3
refused "--region" --region 1,0,0,1
refused "--region" --region nan,0,1,1
refused "--cost-per-iteration '3 parsecs': expected a time" --cost-per-iteration '3 parsecs'
refused "--cost-per-pixel '-1'" --cost-per-pixel -1
refused "expected a file name that ends in .png or .ppm" --output picture.jpg
refused "$dir/none/x.png: cannot be written" --output "$dir/none/x.png"
refused "$dir/none/x.ppm: cannot be written" --map "$dir/none/x.ppm"
refused "--strategy 'none': expected si, ml or dy" --strategy none
refused "--masters 4: expected at most the number of ranks, 3" --strategy ml --masters 4
refused "--masters is an option of --strategy ml" --masters 2
refused "--split-at '0': expected a number above 0" --strategy dy --split-at 0
refused "colour" --colour
refused "see --help" stray
echo ok
