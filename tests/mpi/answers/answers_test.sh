#!/usr/bin/env bash
# A program gets equal results natively and emulated, on targets that use every way of sending, with ranks that emu forks
# and with ranks that mpirun starts.
# IN_FRONT: a command that starts the program (scripts/sanitize).
# Usage: answers_test.sh MPIRUN EMU TARGET PROGRAM RANKS...
set -euo pipefail
mpirun=$1 emu=$2 target=$3 program=$4
shift 4
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

# run NAME RANKS COMMAND...: writes the results of all ranks to the folder NAME.
run() {
  local name=$1 ranks=$2
  shift 2
  mkdir "$dir/$name"
  ANSWERS=$dir/$name timeout 120 "$@" >"$dir/$name/output" 2>&1 </dev/null ||
    { echo "FAILED: $name with $ranks ranks ends with exit code $?"; head -20 "$dir/$name/output"; exit 1; }
}
# emulate NAME RANKS: on the target NAME. A command in front of the program cannot fork its ranks.
emulate() {
  if [ "$1" = as-given ] && [ -z "${IN_FRONT:-}" ]; then
    run "$1$2" "$2" "$emu" run -n "$2" --target "$dir/$1.toml" "$program"
    sed -i '/^emu: /d' "$dir/$1$2/output"
  else
    EMU_TARGET=$dir/$1.toml run "$1$2" "$2" "$mpirun" -n "$2" ${IN_FRONT:-} "$program"
  fi
}

for ranks in "$@"; do
  run "native$ranks" "$ranks" "$mpirun" -n "$ranks" ${IN_FRONT:-} "$program"
  [ "$(cat "$dir/native$ranks"/rank* | wc -l)" -ge "$ranks" ] || { echo "FAILED: it found out nothing"; exit 1; }
  for name in "${targets[@]}"; do
    emulate "$name" "$ranks"
    diff -r "$dir/native$ranks" "$dir/$name$ranks" ||
      { echo "FAILED: other answers (right) with $ranks ranks, target $name"; exit 1; }
  done
done
echo ok
