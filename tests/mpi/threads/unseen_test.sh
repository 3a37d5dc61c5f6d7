#!/usr/bin/env bash
# unseen_test.sh EMU UNSEEN: threads of the C library may call MPI, or wake threads that do: no earlier wait is a
# deadlock.
# shellcheck source=tests/start.bash
. "$(dirname "$0")/../../start.bash"
emu=$1 unseen=$2
writer=
trap '[ -z "$writer" ] || kill "$writer" 2>/dev/null || true; rm -rf "$dir"' EXIT
small_target 3 declared 50us 0us 1us 2us '' >"$dir/target.toml"

# The byte for some modes comes when all ranks wait, or have ended. Rank 1 has rank 2's message of 10 ms 1 + 50 + 2 us
# later.
for mode in timer callback aio suspend; do
  for nodes in '' 2; do
    if [ -n "$nodes" ]; then export EMU_NODES=$nodes; else unset EMU_NODES; fi
    rm -f "$dir/mark" "$dir/fifo"
    mkfifo "$dir/fifo"
    (
      until [ -e "$dir/mark" ]; do sleep 0.05; done
      sleep 0.3
      [ "$mode" = timer ] || printf x >"$dir/fifo"
    ) &
    writer=$!
    timeout 100 "$emu" run -n 3 --target "$dir/target.toml" ${IN_FRONT:-} "$unseen" "$mode" "$dir/mark" "$dir/fifo" >"$dir/out" \
      2>"$dir/err" || fail "$mode, nodes '$nodes': $(cat "$dir/err")"
    echo 10053 | diff - "$dir/out" || fail "$mode, nodes '$nodes'"
    wait "$writer"
    writer=
  done
done
unset EMU_NODES
# An expired timer keeps no rank waiting.
code=0
timeout 100 "$emu" run -n 3 --target "$dir/target.toml" ${IN_FRONT:-} "$unseen" over "$dir/mark" "$dir/fifo" >"$dir/out" 2>"$dir/err" || code=$?
[ "$code" = 1 ] || fail "a deadlock ended with $code: $(cat "$dir/err")"
grep -q 'deadlock: no rank can continue' "$dir/err" || fail "no deadlock: $(cat "$dir/err")"
grep -q 'rank 0 waits in MPI_Recv for rank 1' "$dir/err" || fail "of another rank: $(cat "$dir/err")"
echo ok
