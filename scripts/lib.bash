# What the scripts share. To be sourced in the root of the repository.
# shellcheck shell=bash

die() { echo "$(basename "$0"): $1" >&2; exit "${2:-1}"; }

# calc EXPRESSION: its value, with 15 digits.
calc() { awk "BEGIN { printf \"%.15g\", ($1) }"; }

# number_in FILE KEY: the first number that FILE (JSON of emu run) gives for KEY.
number_in() { sed -nE "s/.*\"$2\": *([-+0-9.eE]+).*/\1/p" "$1" | head -n 1; }

# microseconds_in TARGET SECTION KEY: a time of a target file, without its unit, which must be us.
microseconds_in() {
  local value
  value=$(awk -v section="[$2]" -v key="$3" -F ' *= *' '
    match($0, /^\[[^]]*\]/) { here = substr($0, 1, RLENGTH) }
    here == section && $1 == key { split($2, parts, "\""); print parts[2] }' "$1")
  [[ $value =~ ^[0-9.]+us$ ]] || die "$1: [$2] $3 is '$value', expected a time in us"
  echo "${value%us}"
}

# overhead_us TARGET send|receive RANKS BYTES: fixed + per_process * P + per_byte * k.
overhead_us() {
  local section=network.$2
  calc "$(microseconds_in "$1" "$section" fixed) + $(microseconds_in "$1" "$section" per_process) * $3 \
    + $(microseconds_in "$1" "$section" per_byte) * $4"
}

# predict JSON LABEL RANKS TARGET PROGRAM ARGUMENTS...: one emulated run, number `run` of `runs`. Says what it predicts;
# leaves that in `predicted`, in seconds, the program's output in JSON.out, and the rest in JSON.
predict() {
  local json=$1 label=$2 ranks=$3 target=$4
  shift 4
  run=$((run + 1))
  printf '[%2d/%d] %s: ' "$run" "$runs" "$label"
  build/apps/emu/emu run --cores 1 -n "$ranks" --target "$target" --json "$json" "$@" >"$json.out" 2>"$json.log" </dev/null ||
    { echo failed; cat "$json.log" >&2; exit 1; }
  predicted=$(number_in "$json" predicted_seconds)
  [ -n "$predicted" ] || die "$json: no predicted_seconds"
  printf '%9.3f s predicted, %5.1f s here\n' "$predicted" "$(number_in "$json" host_seconds)"
}
