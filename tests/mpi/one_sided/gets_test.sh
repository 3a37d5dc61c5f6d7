#!/usr/bin/env bash
# gets_test.sh EMU GETS: the data of 2,000 gets of a MiB do not accumulate before they are
# waited for, arrive at the expected instants, and equal the target's memory in every epoch.
# shellcheck source=tests/start.bash
. "$(dirname "$0")/../../start.bash"
emu=$1 gets=$2

small_target 2 declared 50us 10ns 3us 2us >"$dir/target.toml"
for nodes in '' 2; do
  if [ -n "$nodes" ]; then export EMU_NODES=$nodes; else unset EMU_NODES; fi
  timeout 200 "$emu" run -n 2 --target "$dir/target.toml" "$gets" >"$dir/out" 2>"$dir/err" || fail "$(cat "$dir/err")"
  cat "$dir/out"
  awk '$2 == "MiB" { ++ranks; if ($1 > 800) bad = 1 } END { exit bad || ranks != 2 }' "$dir/out" || fail "nodes '$nodes': too much memory"
  # 2,000 o_s; L to rank 0 and back with the remaining bytes; and the fence: rank 1 sends a message and receives one.
  [ "$(grep -v MiB "$dir/out")" = 16590750000 ] || fail "nodes '$nodes': not 6000 + 50 + 50 + 10485.75 + 3 + 2 us"
done
