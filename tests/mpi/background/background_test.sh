#!/usr/bin/env bash
# background_test.sh EMU OVERLAP ALL TARGET: collectives in the background take the expected time on any host.
# shellcheck source=tests/start.bash
. "$(dirname "$0")/../../start.bash"
emu=$1 overlap=$2 all=$3 target=$4

# A message costs 1 us at the sender, 2 at the receiver, and 50 in transit. A barrier of two ranks is one message in
# each direction; during work only its overheads count.
small_target 2 declared 50us 0us 1us 2us >"$dir/two.toml"
"$emu" run -n 2 --target "$dir/two.toml" "$overlap" >"$dir/out" 2>"$dir/err" || fail "$(cat "$dir/err")"
[ "$(cat "$dir/out")" = "1000053000000 1000003000000" ] || fail "overlap: $(cat "$dir/out")"

# Messages, wildcards, tests and several operations at once: equal picoseconds on any host.
for nodes in 1 2 5; do
  for jitter in "" 50; do
    mkdir "$dir/$nodes$jitter"
    EMU_NODES=$nodes EMU_JITTER=$jitter ANSWERS=$dir/$nodes$jitter "$emu" run -n 5 --target "$target" --json "$dir/json" "$all" \
      >"$dir/out" 2>&1 || fail "$nodes nodes, jitter '$jitter': $(cat "$dir/out")"
    grep -o '"predicted_seconds":[^,]*' "$dir/json" >>"$dir/predicted"
    diff -r "$dir/1" "$dir/$nodes$jitter" || fail "other answers on $nodes nodes, jitter '$jitter'"
  done
done
[ "$(sort -u "$dir/predicted" | wc -l)" = 1 ] || fail "other predictions: $(cat "$dir/predicted")"
