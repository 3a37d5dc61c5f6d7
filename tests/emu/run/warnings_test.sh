#!/bin/bash
# warnings_test.sh EMU DOUBTFUL MASE CONFIG: after a run, emu reports all causes of doubt in the prediction, and no
# more.
emu=$(realpath "$1") doubtful=$(realpath "$2") mase=$(realpath "$3") config=$(realpath "$4")
. "$(dirname "$0")/../../lib.bash"
sed 's/^compute = .*/compute = "measured"/' "$config/fast-ethernet-64.toml" >measured.toml

# warned KEYS OPTIONS... -- WHAT...: expects these warnings of a run of two ranks, in
# which rank 0 does WHAT. The load of this machine during the test, and how its idle cores work, do not matter.
# They are compared at the end.
runs=0
warned() {
  local run=warned.$((++runs))
  echo "$1" >$run.keys
  shift
  expect 0 'predicted' run --target measured.toml -n 2 --json $run.json "$@"
  cp err $run.err
}
warned '' "$doubtful"
warned '' "$doubtful" seed
warned '' "$doubtful" sleeps
warned sleeps --host-clocks "$doubtful" sleeps
warned threads "$doubtful" threads
warned random-seed "$doubtful" random
warned random-seed "$doubtful" date
warned polls "$doubtful" polls
warned host-clock "$doubtful" cpu
warned host-clock --host-clocks "$doubtful" clock
warned children "$doubtful" children
grep -q 'rank 0 started 2 processes (fork, popen, system): their CPU time, .* counts where' err || fail 'processes that are waited for'
warned children "$doubtful" children orphan
grep -q 'rank 0 started 3 processes (fork, popen, system), and the CPU time of 1 of them does not count' err || fail 'a process that nobody waits for'
warned unfinalized "$doubtful" exits
grep -q 'rank 0 exited without MPI_Finalize' err || fail 'an end without MPI_Finalize'
expect 0 'rank 0 started 2 processes (fork, popen, system), whose work does not count' run --target "$config/fast-ethernet-64.toml" -n 2 \
  "$doubtful" children
warned 'threads sleeps' --host-clocks "$doubtful" sleeps threads
grep -q 'rank 0 slept 2 times' err || fail 'calls of sleep are not counted one by one'

# A seed made before MPI_Init belongs to every rank.
expect 0 predicted run --target measured.toml -n 2 --json result.json "$doubtful" early
grep -q 'emu: warning: all 2 ranks took random numbers, or their seed,' err || fail 'a seed made of the date before MPI_Init'

# A host where two ranks share a core; a run whose work is declared does not depend on it.
cat >"$folder/one_core" <<END
#!/bin/sh
exec taskset -c 0 "$emu" "\$@"
END
chmod +x "$folder/one_core"
"$folder/one_core" run --target measured.toml -n 4 --json result.json "$doubtful" work >out 2>err
grep -q '"key": "oversubscribed"' result.json || fail 'four ranks on one core'
"$folder/one_core" run --target "$config/fast-ethernet-64.toml" -n 4 --json result.json "$doubtful" work >out 2>err
{ grep -q predicted err && ! grep -q 'emu: warning' err; } || fail 'declared work does not depend on the host'

# Links: unmeasured ones, in a target with measured ones.
sed -e 's/^latency = "\(.*\)"/latency = "\1 +- 1%"/' -e 's/^count = .*/count = 1\nname = "a"\n[[node]]\nname = "b"\ncount = 63/' \
  "$config/fast-ethernet-64.toml" >partly.toml
printf '[[link]]\nfrom = "a"\nto = "b"\nlatency = "7us"\n' >>partly.toml
expect 0 'emu: warning: never calibrated, unlike the rest of the target: a - b; run emu calibrate' \
  run --target partly.toml -n 2 --json result.json "$doubtful"
grep -q '"key": "links"' result.json || fail 'a link that was never calibrated'

mase_run=("$mase" --size 16 --cost-per-pixel 795us)
expect 0 predicted run --target partly.toml -n 2 --json result.json "${mase_run[@]}"
grep -q 'emu: warning: without an interval, .*: .*network.send.fixed ([0-9]* % of the predicted time)' err || fail 'a value without an interval'
! grep 'without an interval' err | grep -q network.latency || fail 'the latency has an interval'
sed '/^\[\[link\]\]/,$d; s/^\([a-z_]* = "[0-9][0-9.]*us\)"/\1 +- 1%"/; s/1% +- 1%/1%/' partly.toml >wholly.toml
expect 0 predicted run --target wholly.toml -n 2 --json result.json "${mase_run[@]}"
! grep -q 'without an interval\|never calibrated' err || fail 'all values have intervals'

# A program that declares its work causes no doubts.
expect 0 predicted run --target "$config/fast-ethernet-64.toml" -n 5 --json result.json "$mase" --size 16 --cost-per-pixel 795us
! grep -q 'emu: warning' err || fail 'mase leaves no doubt'
grep -q '"warnings": \[\]' result.json || fail 'warnings of mase in JSON'

# The meter's own time.
"$emu" run --log-level debug --target measured.toml -n 2 "$doubtful" polls >out 2>err
grep -q "emu: debug: the meter: to read the thread's CPU time takes [0-9]* to [0-9]* ns, as measured at start, .*; [0-9]* readings, \
for which [0-9]* ns each were taken off" err || fail 'the log does not tell of the meter'
"$emu" run --log-level debug --target "$config/fast-ethernet-64.toml" -n 2 "$doubtful" >out 2>err
{ grep -q predicted err && ! grep -q 'the meter' err; } || fail 'a meter where work is declared'

python3 - $runs <<'END' || fail 'other warnings than expected'
import json, sys
of_the_host = {"cold-cores", "oversubscribed", "stolen", "throttled"}
for run in (f"warned.{number + 1}" for number in range(int(sys.argv[1]))):
    warnings = [w for w in json.load(open(run + ".json"))["warnings"] if w["key"] not in of_the_host]
    said = open(run + ".err").read()
    assert [w["key"] for w in warnings] == open(run + ".keys").read().split(), (run, warnings)
    for warning in warnings:
        assert warning["ranks"] == [0], (run, warning)
        assert "emu: warning: " + warning["text"] + "\n" in said, (run, warning)
END
conclude
