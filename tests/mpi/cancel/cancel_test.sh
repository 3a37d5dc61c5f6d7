#!/usr/bin/env bash
# cancel_test.sh EMU TAKEN_BACK FAILING BESIDE: cancelled sends and receives, compared with closed forms; on any host.
#
# A send costs 1 us, a receive 2 us, and a message travels for 10 us and a nanosecond for each byte. So an
# eager message of 100 bytes arrives at 11.099 us, its cancellation at 12, and the answer at 12 + 2 + 1 + 10.
# shellcheck source=tests/start.bash
. "$(dirname "$0")/../../start.bash"
emu=$1 taken_back=$2 failing=$3 beside=$4

# closed_forms WHAT RANKS TARGET PROGRAM: the program prints the lines of "right", on any host.
closed_forms() {
  local setting
  for setting in EMU_JITTER= EMU_JITTER=100 "EMU_NODES=$2 EMU_JITTER=50"; do
    # shellcheck disable=SC2086
    env $setting timeout 100 "$emu" run -n "$2" --target "$dir/$3.toml" --json "$dir/json" "$4" >"$dir/out" 2>"$dir/err" ||
      fail "$1: $setting: exit code $?: $(cat "$dir/err")"
    grep '^[a-z].*\(rank\|cancelled\)' "$dir/out" | diff "$dir/right" - || fail "$1: $setting: not the closed forms"
  done
}

cat >"$dir/target.toml" <<'END'
name = "two"
compute = "declared"
[network]
latency = "10us"
gap_per_byte = "1ns"
eager_limit = "8000B"
[network.poll]
fixed = "0us"
[network.send]
fixed = "1us"
per_process = "0us"
per_byte = "0us"
[network.receive]
fixed = "2us"
per_process = "0us"
per_byte = "0us"
[[node]]
count = 2
END
cat >"$dir/right" <<'END'
eager, before, rank 0: cancelled 0 at 25000000
eager, at once, rank 0: cancelled 1 at 25000000
eager, after, rank 0: cancelled 1 at 25000000
eager and long, before, rank 0: cancelled 0 at 28999000
eager and long, after, rank 0: cancelled 1 at 28999000
any source, waiting, rank 0: cancelled 0 at 25000000
any source, before, rank 0: cancelled 0 at 25000000
any source, after, rank 0: cancelled 1 at 25000000
rendezvous, waiting, rank 0: cancelled 0 at 27000000
rendezvous, before, rank 0: cancelled 0 at 27900000
rendezvous, after, rank 0: cancelled 1 at 25000000
synchronous, before, rank 0: cancelled 0 at 26900000
synchronous, after, rank 0: cancelled 1 at 25000000
chosen meanwhile, rank 0: cancelled 0 at 25000000
probed, rank 0: cancelled 1 at 25000000
taken while answering, rank 0: cancelled 1 at 26000000 over at 27000000
taken at that instant, rank 0: cancelled 0 at 28999000
behind it, rank 0:
persistent, rank 0: cancelled 1 at 25000000 over at 26000000
buffered, rank 0: cancelled 1 at 25000000 detached at 25000000
to itself, rank 0: cancelled 1
eager, before, rank 1: got 1 at 13900000
eager, at once, rank 1: got 2 at 38000000
eager, after, rank 1: got 2 at 38000000
eager and long, before, rank 1: got 1 at 17999000
eager and long, after, rank 1: got 2 at 41999000
any source, waiting, rank 1: got 1 at 13099000
any source, before, rank 1: got 1 at 13900000
any source, after, rank 1: got 2 at 38000000
rendezvous, waiting, rank 1: got 2 at 138999000
rendezvous, before, rank 1: got 2 at 139899000
rendezvous, after, rank 1: got 2 at 38000000
synchronous, before, rank 1: got 1 at 14900000
synchronous, after, rank 1: got 2 at 38000000
chosen meanwhile, rank 1: got 1 at 102000000
probed, rank 1: 0 1 0
taken while answering, rank 1: found 3 at 37000000 got 1 at 39000000 over at 39000000
taken at that instant, rank 1: found at 15999000 got 6 at 17999000 cancelled 1 at 17999001
behind it, rank 1: got 3 at 42000000
persistent, rank 1: got 4 at 102000000
buffered, rank 1:
to itself, rank 1: cancelled 1
rank 1 has finished, rank 0: cancelled 1 at 25000000
END

closed_forms "taken back" 2 target "$taken_back"

# The short message is received at 3 + 10 + 2, or found at 2 + 10 if only one is long; the false test of the cancel
# costs 1 ps. The long ones arrive at 1 + 10 + 6.999 and 1 later. With the other thread: rank 1 has its request at 1 +
# 10, so the short message is received at 11 + 3 + 10 + 2, and the first long one arrives at 11 + 1 + 10 + 6.999. It is
# received by 30.999; then the answer of 11 + 3 + 2 + 2 + 1 + 10 costs 2, and the data 1.
cat >"$dir/right" <<'END'
isendrecv, rank 0: cancelled at 15000000, 1 at 19999000, 2 at 21999000
probed, rank 0: cancelled at 12000000, 3 at 14000001, 1 at 19999000
other thread, rank 0: cancelled at 26000000, 1 at 33999000, 2 at 35999000
END
closed_forms "receives beside others" 2 target "$beside"

# If the program states that no send is cancelled, the buffered send never completes.
if EMU_CANCEL_SENDS=0 timeout 100 "$emu" run -n 2 --target "$dir/target.toml" "$taken_back" >"$dir/out" 2>"$dir/err"; then
  fail 'EMU_CANCEL_SENDS=0: ended'
fi
grep -q 'rank 0 waits in MPI_Buffer_detach for rank 1' "$dir/err" || fail "EMU_CANCEL_SENDS=0: $(cat "$dir/err")"

# Rank 1's node fails at 100 us, before the cancellations reach it; this is known 10 us later. Rank 2's answer arrives
# at 100 + 5 + 10 + 3 + 10.
sed 's/^count = 2/count = 3/; s/^compute.*/&\non_failure = "error"/' "$dir/target.toml" >"$dir/fails.toml"
printf '[[event]]\nkind = "fail"\nnode = 1\nat = "100us"\n' >>"$dir/fails.toml"
cat >"$dir/right" <<'END'
of another: success, cancelled 1, at 128000000
buffered: failed, cancelled 0, at 128000000
synchronous: failed, cancelled 0, at 128000000
rendezvous: failed, cancelled 0, at 128000000
eager: failed, cancelled 0, at 128000000
END
closed_forms "a receiver that fails" 3 fails "$failing"

# No rank is informed of the failure. Nevertheless, the waits end at the same instants, and nothing was sent.
sed -i '/^on_failure/d' "$dir/fails.toml"
sed -i 's/failed, cancelled 0/success, cancelled 1/' "$dir/right"
closed_forms "a receiver that fails silently" 3 fails "$failing"
echo ok
