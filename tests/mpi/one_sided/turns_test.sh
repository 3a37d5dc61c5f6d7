#!/usr/bin/env bash
# turns_test.sh EMU TURNS CHECK: ranks that write with a shared pointer get the places, and on a shared storage
# the turns, of the closed form, at its instants, while the first rank computes, or has finished; on any host.
# shellcheck source=tests/start.bash
. "$(dirname "$0")/../../start.bash"
emu=$1 turns=$2 check=$3

for storage in own shared 'shared late'; do
  read -r storage late <<<"$storage"
  small_target 12 declared 50us 10ns 3us 2us '[storage]' 'latency = "20us"' 'bandwidth = "50ns"' \
    "shared = $([ $storage = shared ] && echo true || echo false)" >"$dir/target.toml"
  for variant in A= EMU_JITTER=100 'EMU_NODES=3 EMU_JITTER=50'; do
    read -ra variables <<<"$variant"
    env "${variables[@]}" timeout 100 "$emu" run -n 12 --target "$dir/target.toml" "$turns" "$dir/file" ${late:+"$late"} >"$dir/out" \
      2>"$dir/err" || fail "$storage $late, $variant: $(cat "$dir/err")"
    "$check" 3000000 50000000 70000 20000000 50000 $storage <"$dir/out" || fail "$storage $late, $variant: not the closed form"
    [ ! -e "$dir/file" ] || fail "$storage, $variant: the file is still there"
  done
done
echo ok
