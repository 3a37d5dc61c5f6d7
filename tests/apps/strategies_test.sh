#!/usr/bin/env bash
# Each strategy computes every pixel once, and its task map shows the rank that dealt it. Natively and emulated.
# Usage: strategies_test.sh MPIRUN EMU TARGET MASE
set -euo pipefail
mpirun=$1
emu=$2
target=$3
mase=$4
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() { echo "FAILED: $*"; exit 1; }

# colours FILE.ppm: number of its colours.
colours() { tail -c +$((1 + $(head -n 3 "$1" | wc -c))) "$1" | od -An -v -w3 -tu1 | sort -u | wc -l; }

image=(--size 80 --task 3 --region "-0.8,0.05,-0.7,0.15")
"$mpirun" -n 1 "$mase" "${image[@]}" --output "$dir/one.ppm" >"$dir/one.out"
# same NAME COMMAND...: expects the image and the output of a run with one rank.
same() {
  local name=$1
  shift
  "$@" "${image[@]}" --output "$dir/$name.ppm" --map "$dir/$name.map.ppm" >"$dir/$name.out" 2>"$dir/$name.err" ||
    fail "$name ends with exit code $?: $(cat "$dir/$name.err")"
  cmp "$dir/one.ppm" "$dir/$name.ppm" || fail "$name: another image"
  cmp "$dir/one.out" "$dir/$name.out" || fail "$name: other output"
}
for dealing in cyclic scattered block; do
  for masters in 1 3 4; do
    same "native-$dealing-$masters" "$mpirun" -n 4 "$mase" --strategy ml --masters "$masters" --dealing "$dealing"
    [ "$(colours "$dir/native-$dealing-$masters.map.ppm")" = "$masters" ] || fail "not $masters masters in the map"
  done
  for masters in 2 5; do
    same "$dealing-$masters" "$emu" run -n 13 --target "$target" "$mase" --strategy ml --masters "$masters" \
      --dealing "$dealing" --cost-per-iteration 1us
    [ "$(colours "$dir/$dealing-$masters.map.ppm")" = "$masters" ] || fail "not $masters masters in the map"
  done
done
# 6400 pixels are 2134 tasks of 3 and less: two blocks of 1067.
[ "$(tail -c +14 "$dir/block-2.map.ppm" | od -An -v -w3 -tu1 | uniq -c | awk '{ print $1 }' | head -n 2 | paste -sd ' ')" = "3201 3199" ] ||
  fail "the border of two blocks"

image=(--size 80 --task 1 --region "-0.8,0.05,-0.7,0.15")
# The maximal number of splits, the maximal number of merges, and none.
masters=0
for when in "0.001 0.0001" "0.001 1000" "1000 1000"; do
  read -r split merge <<<"$when"
  same "native-dy" "$mpirun" -n 3 "$mase" --strategy dy --split-at "$split" --merge-at "$merge"
  for ranks in 2 17; do
    same "dy-$ranks" "$emu" run -n "$ranks" --target "$target" "$mase" --strategy dy --split-at "$split" \
      --merge-at "$merge" --cost-per-iteration 1us
  done
  masters+=" $(colours "$dir/dy-17.map.ppm")"
  masters+="/$(sed -n 's/^mase: \([0-9]*\) splits, \([0-9]*\) merges.*/\1-\2/p' "$dir/dy-17.err")"
done
[[ $masters =~ ^0\ ([0-9]+)/([0-9]+)-0\ ([0-9]+)/([0-9]+)-([0-9]+)\ 1/0-0$ ]] || fail "splits and merges: $masters"
[ "${BASH_REMATCH[1]}" -gt 2 ] && [ "${BASH_REMATCH[2]}" -gt 1 ] || fail "too few splits: $masters"
[ "${BASH_REMATCH[5]}" -gt 2 ] || fail "too few merges: $masters"
echo ok
