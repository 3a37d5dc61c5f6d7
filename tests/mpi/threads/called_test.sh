#!/usr/bin/env bash
# called_test.sh EMU CALLED: a thread whose wait ends by an event that another thread handles continues at that instant.
# shellcheck source=tests/start.bash
. "$(dirname "$0")/../../start.bash"
emu=$1 called=$2
# IN_FRONT: a command that starts the program (scripts/sanitize).
small_target 2 declared 50us 0us 1us 2us >"$dir/target.toml"

# Rank 1 sends at 1 ms and 1 us; rank 0 has the message 50 + 2 us later.
for nodes in 1 2; do
  for jitter in 0 200; do
    for _ in 1 2 3 4 5; do
      EMU_NODES=$nodes EMU_JITTER=$jitter timeout 60 "$emu" run -n 2 --target "$dir/target.toml" ${IN_FRONT:-} "$called" >"$dir/out" \
        2>"$dir/err" || { echo "FAILED: $(cat "$dir/err")"; exit 1; }
      echo '1053 10000' | diff - "$dir/out" || { echo "FAILED: nodes $nodes, jitter $jitter"; exit 1; }
    done
  done
done
echo ok
