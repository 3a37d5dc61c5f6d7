#!/usr/bin/env bash
# trace_test.sh EMU PLAYER SIMULATOR CHECK EXPORTS: recorded random programs of one-sided operations. The trace changes
# nothing, is readable, and agrees with the run. EXPORTS is tests/emu/report/check_exports.py.
# shellcheck source=tests/start.bash
. "$(dirname "$0")/../../start.bash"
emu=$1 player=$2 simulator=$3 check=$4 exports=$5

for seed in 1 2 3 4 5 6 7 8; do
  ranks=$((1 + seed % 5))
  "$simulator" write "$seed" "$ranks" "$dir"
  rm -rf "$dir/log" "$dir/trace" && mkdir "$dir/log"
  EMU_NODES=$((1 + seed % 2)) timeout 100 "$emu" run -n "$ranks" --target "$dir/target.toml" --trace "$dir/trace" \
    --json "$dir/run.json" "$player" "$dir/program" "$dir/log" >"$dir/out" 2>&1 || fail "seed $seed: $(tail -20 "$dir/out")"
  "$simulator" check "$seed" "$ranks" "$dir" || fail "seed $seed: another result where it is recorded"
  "$emu" report "$dir/trace" --json "$dir/report.json" -o "$dir/page.html" >"$dir/out" 2>"$dir/err" ||
    fail "seed $seed: no report: $(cat "$dir/err")"
  [ ! -s "$dir/err" ] || fail "seed $seed: a good trace is warned of: $(cat "$dir/err")"
  "$emu" trace "$dir/trace" --perfetto "$dir/events.json" >"$dir/out" 2>"$dir/err" ||
    fail "seed $seed: the trace cannot be read: $(cat "$dir/err")"
  otf2=()
  if command -v otf2-print >/dev/null && "$emu" trace "$dir/trace" --otf2 "$dir/otf2" 2>/dev/null; then
    otf2-print --silent --warnings-as-errors "$dir/otf2/traces.otf2" >"$dir/out" 2>&1 || fail "otf2-print: $(cat "$dir/out")"
    otf2-print "$dir/otf2/traces.otf2" >"$dir/events.otf2"
    otf2=("$dir/events.otf2")
  fi
  python3 -B "$check" "$dir/run.json" "$dir/report.json" "$dir/events.json" "$dir/program" "${otf2[@]}" ||
    fail "seed $seed, $ranks ranks"
  python3 -B "$exports" "$dir/report.json" "$dir/events.json" || fail "seed $seed, $ranks ranks: exports"
done
echo ok
