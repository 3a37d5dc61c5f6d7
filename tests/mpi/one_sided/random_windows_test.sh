#!/usr/bin/env bash
# random_windows_test.sh EMU PLAYER SIMULATOR KIND SEED PROGRAMS RANKS...: random programs of one-sided operations have
# the instants and results of a simulator, on any host.
# shellcheck source=tests/start.bash
. "$(dirname "$0")/../../start.bash"
emu=$1 player=$2 simulator=$3 kind=$4 seed=$5 programs=$6
shift 6

# Ranks on one node of the host, or in turn on several; with real delays and without.
variants=("A=" "EMU_JITTER=60" "EMU_NODES=2" "EMU_NODES=3 EMU_JITTER=40" "EMU_NODES=ranks")
for ((i = 0; i < programs; ++i)); do
  for ranks in "$@"; do
    "$simulator" write $((seed + i)) "$ranks" "$dir" "$kind"
    read -ra variant <<<"${variants[$(((i + ranks) % ${#variants[@]}))]}"
    rm -rf "$dir/log" && mkdir "$dir/log"
    env "${variant[@]}" timeout 100 "$emu" run -n "$ranks" --target "$dir/target.toml" "$player" "$dir/program" "$dir/log" \
      >"$dir/out" 2>&1 || fail "seed $((seed + i)), $ranks ranks, ${variant[*]}: $(tail -20 "$dir/out")"
    "$simulator" check $((seed + i)) "$ranks" "$dir" "$kind" || fail "another result, ${variant[*]}"
  done
done
echo ok
