#!/bin/bash
# run_test.sh EMU PLAIN RELINKED CONFIG: emu run with right and wrong input.
# PLAIN and RELINKED are program.c without and with libemu, CONFIG is the folder of targets.
emu=$(realpath "$1") plain=$(realpath "$2") relinked=$(realpath "$3") config=$(realpath "$4")
experiments=$(realpath "$(dirname "$0")/../../../scripts/experiments")
. "$(dirname "$0")/../../lib.bash"

printf '#!/bin/sh\ntouch %s/ran\n' "$folder" >marker
cp marker not-executable
chmod +x marker
fast="--target $config/fast-ethernet-64.toml"

# Use
expect 2 'a verb is missing'
expect 2 'unknown verb or option: "walk"' walk
expect 2 'unknown verb or option: "--walk"' --walk
expect 0 '' --help
grep -q 'run .*predict' out || fail 'emu --help does not name the verbs'
expect 0 '' --version
grep -q '^emu [0-9]*\.[0-9]*\.[0-9]*$' out || fail 'emu --version'
expect 0 '' run --help
grep -q -e '--target FILE' out || fail 'emu run --help'
expect 0 '' run -h

# Options
expect 2 '--target is missing' run ./marker
expect 2 'PROGRAM to run is missing' run $fast
expect 2 'PROGRAM to run is missing' run $fast --
expect 2 "unrecognised option '--walk'" run --walk $fast ./marker
expect 2 "unrecognised option '--targe'" run --targe x ./marker
expect 2 "argument for option '-n' is missing" run $fast -n
expect 2 'cannot be specified more than once' run $fast $fast ./marker
expect 2 'unrecognised option' run -x $fast ./marker
for n in 0 -1 x 1.5 2x '' 99999999999; do expect 2 "" run $fast "-n$n" ./marker; done
expect 2 'invalid number of ranks: 0 (expected 1 or more)' run $fast -n 0 ./marker
expect 2 '^emu: error: --mpirun: invalid option: mpirun (expected options of mpirun' run $fast --mpirun "mpirun -l" ./marker
expect 2 'a quote . is not closed' run $fast --mpirun "'x" ./marker
expect 2 '--log-level: unknown level: "loud" (expected debug' run $fast --log-level loud ./marker
EMU_LOG=loud expect 2 'EMU_LOG: unknown level: "loud"' run $fast ./marker
expect 2 '--json: /nowhere/x cannot be written' run $fast -n 2 --json /nowhere/x ./marker
expect 2 '--json: ./marker/x cannot be written: Not a directory' run $fast -n 2 --json ./marker/x ./marker
expect 2 '--json: . is a directory' run $fast -n 2 --json . ./marker

# Targets
expect 2 'no such file: "nowhere.toml"' run --target nowhere.toml ./marker
expect 2 'those are: amanelis, .*ethernet-100g-64, fast-ethernet-64, fast-ethernet-64-loggps' run --target nowhere ./marker
expect 2 'no such file: "/nowhere/x.toml"$' run --target /nowhere/x.toml ./marker
expect 2 'a directory (expected a file)' run --target "$folder/temporary" ./marker
touch empty.toml
expect 2 'empty.toml:1: the file is empty' run --target empty.toml ./marker
expect 2 'not a text file' run --target "$relinked" ./marker
expect 2 'not a regular file' run --target /dev/zero ./marker
for change in 's/"50us"/50/' 's/"50us"/"50KiB"/' 's/"50us"/"-50us"/' 's/^latency.*//' 's/^latency/latenzy/'; do
  sed "$change" "$config/fast-ethernet-64.toml" >bad.toml
  expect 2 'bad.toml:[0-9]*: network.laten[cz]y: ' run --target bad.toml ./marker
  [ "$(wc -l <err)" = 1 ] || fail "the error is said more than once: $change"
done
expect 2 '65 ranks are more than the 64 slots' run $fast -n 65 ./marker

# Programs
expect 2 'no such program' run $fast -n 2 ./nowhere
expect 2 'no such program' run $fast -n 2 surely-not-a-program
expect 2 'is a directory' run $fast -n 2 ./temporary
expect 2 'is not executable' run $fast -n 2 ./not-executable
printf 'neither\n' >neither && chmod +x neither
expect 2 'not a program (expected an ELF file or a script' run $fast -n 2 ./neither
head -c 100 "$relinked" >cut && chmod +x cut
expect 2 'damaged or cut off' run $fast -n 2 ./cut
expect 2 'libemu is not in this MPI program.*emucc.*--preload' run $fast -n 2 "$plain"
expect 1 'ran without libemu.*emucc.*--preload' run $fast -n 2 /bin/true
expect_unsanitized 1 'ran without libemu' run $fast -n 2 --preload /bin/true
printf '#!/bin/sh\nexec %s "$@"\n' "$plain" >plain-script && chmod +x plain-script
expect 1 'ran without libemu' run $fast -n 2 ./plain-script
expect 1 'ran without libemu' run $fast -n 2 plain-script
expect 7 'ended before MPI_Init, with exit code 7: no prediction.*emucc' run $fast -n 1 sh -c 'exit 7'

# Programs that run with other rights: only root can make one for sure, and some file systems have none.
if cp "$plain" other-rights && chown nobody other-rights 2>/dev/null && chmod u+s other-rights &&
  [[ ",$(findmnt -no OPTIONS -T .)," != *,nosuid,* ]]; then
  expect 2 'other-rights: runs with the rights of another user or group' run $fast -n 2 --preload ./other-rights
  expect 1 '' check ./other-rights
  grep -q 'rights of another user or group' out || fail 'emu check does not see other rights'
fi

# Runs: o_s(4) = 12.1us + 2*0.182us + 4*70.8ns = 12.7472us; with L, 3G and o_r(4) = 12.7528us.
predicted='predicted 75\.5804 us on 2 ranks of "64 x Pentium III 1 GHz, MPICH on Fast Ethernet" (1 message; .* here)'
expect 0 "$predicted" run $fast -n 2 "$relinked"
[ "$(wc -l <err)" = 3 ] || fail 'a run does not say two lines, and that nothing was computed'
grep -q '^emu: no rank computed, since this target counts only the work that programs declare' err || fail 'nothing was declared, and that is not said'
sed 's/"declared"/"measured"/' "$config/fast-ethernet-64.toml" >measured.toml
expect 0 'predicted' run --target measured.toml -n 2 "$relinked"
[ "$(wc -l <err)" = 2 ] || fail 'a run does not say two lines'
expect 0 "$predicted" run $fast -n 2 "$relinked"
grep -q '^emu: critical path: latency 50 us (66.2 %), receive overhead 12\.75 us (16.9 %), send overhead 12\.75 us (16.9 %), gap per byte 80\.4 ns (0.106 %)$' err ||
  fail 'what the time is made of'
[ ! -s out ] || fail 'a run writes to standard output'
expect 0 "$predicted" run --target fast-ethernet-64 -n2 "$relinked"
expect 0 "$predicted" run --target=fast-ethernet-64.toml -n 2 -- "$relinked"
expect 0 "$predicted" run $fast -n 2 --preload "$plain"
expect_unsanitized 0 "$predicted" run $fast -n 2 --preload ./plain-script
expect 0 "$predicted" run $fast -n 2 --preload "$relinked"
sed "s/count = 64/count = 3/" "$config/fast-ethernet-64.toml" >three.toml
expect 0 'on 3 ranks' run --target three.toml "$relinked"
expect 3 "$predicted" run $fast -n 2 "$relinked" exit 3
grep -q 'ended with exit code 3' err || fail 'the exit code is not mentioned'
expect 5 'before MPI_Finalize: no prediction' run $fast -n 2 "$relinked" early 5
expect 1 'ended with exit code 0 before MPI_Finalize: no prediction' run $fast -n 2 "$relinked" early 0
expect 0 "" run $fast -n 2 "$relinked" print --target 'two words' -n '$x' -- --json
[ "$(cat out)" = "$(printf '[--target]\n[two words]\n[-n]\n[$x]\n[--]\n[--json]')" ] || fail 'arguments are changed'
expect 0 "" run $fast -n 2 --mpirun '-prepend-rank -env X "two words"' sh -c 'test "$X" = "two words" && echo good && exec "$0"' "$relinked"
grep -q '\[0\] good' out || fail 'options of mpirun are lost'
# All ranks have their memory at the same addresses, if the system allows a process to request that.
if alike=$(setarch -R cat /proc/self/personality); then
  expect 0 "" run $fast -n 2 sh -c 'cat /proc/self/personality && exec "$0"' "$relinked"
  [ "$(cat out)" = "$(printf '%s\n' "$alike" "$alike")" ] || fail "addresses are random: not $alike"
fi
PATH=/nowhere "$emu" run $fast -n 2 "$relinked" >out 2>err
[ $? = 2 ] && grep -q 'mpirun was not found along PATH' err || fail 'without mpirun'

# JSON
expect 0 "$predicted" run $fast -n 2 --json result.json "$relinked"
expect 0 "$predicted" run $fast -n 2 --json - "$relinked"
diff <(grep -v host_seconds out) <(grep -v host_seconds result.json) || fail '--json - is not --json FILE'
keys='program target ranks predicted_seconds predicted_picoseconds messages bytes host_seconds critical_path ends_at_rank
picoseconds derivatives warnings per_rank'
per_rank='rank finish_picoseconds compute_seconds send_overhead_seconds receive_overhead_seconds poll_seconds
handshake_seconds wait_seconds node_down_seconds messages_sent bytes_sent'
# The causes add up.
causes=$(sed -n '/"picoseconds": {/,/}/p' result.json | grep -v picoseconds)
[ "$(awk '{ sum += $2 } END { print sum }' <<<"$causes")" = 75580400 ] || fail 'the causes do not add up'
[ "$(grep -vxF "$causes" result.json | grep -o '^ *"[a-z_]*":' | tr -d ' ":')" = "$(printf '%s\n' $keys $per_rank $per_rank)" ] || fail 'JSON keys'
for line in '"ranks": 2' '"predicted_seconds": 7.55804e-05' '"predicted_picoseconds": 75580400' '"messages": 1' '"bytes": 4' \
  '"finish_picoseconds": 12747200' '"latency": 50000000' '"network.receive.fixed": 1' '"network.latency": 1' '"network.gap_per_byte": 3' \
  '"network.send.per_process": 2' '"network.send.per_byte": 4'; do
  grep -q "^ *$line,\$" result.json || fail "JSON lacks $line"
done
expect 1 '/dev/full: cannot be written' run $fast -n 2 --json /dev/full "$relinked"

# Traces
expect 2 '--trace: the folder /nowhere/t cannot be made' run $fast -n 2 --trace /nowhere/t ./marker
expect 2 '--trace: the folder . holds other files' run $fast -n 2 --trace . ./marker
expect 2 '--trace: out: not a folder' run $fast -n 2 --trace out ./marker
expect 2 "the folder's name is empty" run $fast -n 2 --trace '' ./marker
expect 2 '--trace: invalid value: - (expected the name of a folder' run $fast -n 2 --trace - ./marker
expect 0 '' run --target fast-ethernet-64 -n 3 --trace traced "$relinked"
expect 0 "$predicted" run $fast -n 2 --trace traced "$relinked"
[ "$(ls traced)" = "$(printf 'program.0\nprogram.1\nrank.0\nrank.1')" ] || fail 'an older trace is mixed with a new one'
expect 2 'full/rank.[0-9]*: the trace cannot be written: No space left on device' run $fast -n 32 --trace full \
  sh -c '[ "$PMI_RANK" = 0 ] || ln -sf /dev/full "full/rank.$PMI_RANK"; exec "$0"' "$relinked"
grep -q emucc err && fail 'a full disk is taken for a program without libemu'

# Temporary files
for place in /nowhere /dev/null; do
  TMPDIR=$place expect 2 "TMPDIR: no folder can be made in $place: .* (expected a folder for temporary files" run $fast -n 2 ./marker
  TMPDIR=$place expect 2 "TMPDIR: no folder can be made in $place: " study $fast --ranks 2 "$relinked"
done

# The folder for temporary files fills while the ranks run, so their messages are lost; or it is full before. Without the
# right to mount a file system, this is not tested.
cat >in-a-full-folder <<'END'
#!/bin/sh
mount -t tmpfs -o size=64k none small || exit 77
head -c "$1" /dev/zero >small/filled 2>/dev/null
export TMPDIR=small XDG_CACHE_HOME="$PWD/cache"
shift
"$@"
END
chmod +x in-a-full-folder
mkdir small

# full SIZE ARGUMENTS...: with SIZE bytes of 64 KiB in use, emu names the cause, and no consequence.
full() {
  unshare -rm ./in-a-full-folder "$1" timeout 60 "$emu" "${@:2}" >out 2>err
  [ $? != 77 ] || return
  grep -q 'TMPDIR: nothing can be written to small/emu-[^ ]*: No space left on device (expected' err ||
    fail "in a full folder: ${*:2}"
  ! grep -q 'damaged\|not an MPI program' out err || fail "in a full folder, a consequence: ${*:2}"
}
if unshare -rm true 2>/dev/null; then
  full 60K study $fast --ranks 2 sh -c 'head -c 60K /dev/zero >"$TMPDIR/more"; exec "$0"' "$relinked"
  full 64K run $fast -n 2 "$relinked"
  full 64K calibrate -o full.toml --quick
  full 64K check "$plain"
fi
expect 1 'TMPDIR: nothing can be written to .*/temporary/emu-[^ ]*: No such file' study $fast --ranks 2 sh -c 'rm -r temporary/emu-*; exit 3'

# Signals: the program ends, and nothing remains.
for signal in INT TERM HUP QUIT; do
  timeout 60 "$emu" run $fast -n 2 "$relinked" sleep >out 2>err &
  runner=$!
  for _ in $(seq 100); do grep -q sleeping out && break; sleep 0.1; done
  child=$(pgrep -P $runner)
  # Job control is off, so an interrupt is ignored in the background; emu handles it nevertheless.
  kill -$signal "$child"
  wait $runner
  code=$?
  [ $code = $((128 + $(kill -l $signal))) ] || fail "SIG$signal: exit code $code"
  [ -z "$(ls temporary)" ] || fail "SIG$signal leaves $(ls temporary) behind"
done
# Also if an experiment runs the command, and only the experiment gets the signal.
rm out
PYTHONPATH=$experiments python3 -c 'import subprocess, sys, experiment
experiment.end_by_signals()
subprocess.run(sys.argv[1:], capture_output=True)' "$emu" run $fast -n 2 sh -c 'echo sleeping >out; exec "$0" sleep' "$relinked" 2>err &
runner=$!
for _ in $(seq 100); do [ ! -s out ] || break; sleep 0.1; done
kill $runner
wait $runner
code=$?
[ $code = 143 ] && [ -z "$(ls temporary)" ] || fail "an experiment: exit code $code, leaves $(ls temporary)"
# Also while the command itself plays a schedule, or a study has it played, and before a page of it is complete.
awk 'BEGIN {
  print "num_ranks 32"
  for (r = 0; r < 32; ++r) {
    print "rank " r " {"
    for (i = 0; i < 20000; ++i) {
      print "l" 2 * i ": send 8b to " (r + 1) % 32 " tag 0\nl" 2 * i + 1 ": recv 8b from " (r + 31) % 32 " tag 0"
      if (i) print "l" 2 * i " requires l" 2 * i - 1
    }
    print "}"
  }
}' >long.goal
for what in "run $fast --report page.html" "study $fast --vary network.latency=1us,2us"; do
  for signal in INT TERM HUP; do
    timeout 60 "$emu" $what long.goal >out 2>err &
    runner=$!
    for _ in $(seq 100); do [ -z "$(ls temporary)" ] || break; sleep 0.05; done
    kill -$signal "$(pgrep -P $runner)"
    wait $runner
    code=$?
    [ $code = $((128 + $(kill -l $signal))) ] || fail "emu $what, SIG$signal: exit code $code"
    [ -z "$(ls temporary)" ] || fail "emu $what, SIG$signal leaves $(ls temporary) behind"
    [ ! -e page.html ] || fail "emu $what, SIG$signal: the run goes on"
  done
done
# Also while the ranks start: the process manager may then wait for ranks that wait for it.
for moment in 0.01 0.015 0.02 0.03 0.04 0.05 0.06 0.08 0.1; do
  timeout 60 "$emu" run $fast -n 3 "$relinked" sleep >out 2>err &
  runner=$!
  sleep $moment
  child=$(pgrep -P $runner)
  kill -TERM $child
  began=$SECONDS
  wait $runner
  code=$?
  [ $code = 143 ] || fail "SIGTERM after $moment s: exit code $code"
  [ $((SECONDS - began)) -le 20 ] || fail "SIGTERM after $moment s: it took $((SECONDS - began)) s to end"
  [ -z "$(ls temporary)" ] || fail "SIGTERM after $moment s leaves $(ls temporary) behind"
done

# A start that fails: hosts that do not answer, a remote shell that gives up.
printf '#!/bin/sh\nexec sleep 300\n' >silent && printf '#!/bin/sh\necho nobody is there >&2\nexit 255\n' >refusing
chmod +x silent refusing
export EMU_START_LIMIT=2
for shell in silent refusing; do
  reason='0 of 2 hosts have answered'
  [ $shell = silent ] || reason='the remote shells that it uses have ended'
  expect 2 "mpirun has started nothing within 2 s: $reason" \
    run $fast -n 2 --mpirun "-launcher ssh -launcher-exec $folder/$shell -hosts nowhere,nobody" "$relinked"
  expect 1 "mpirun has started nothing within 2 s: $reason" calibrate --ranks 2,3,4 -o calibrated.toml \
    --mpirun "-launcher ssh -launcher-exec $folder/$shell -hosts nowhere,nobody"
done
grep -q 'it said:' err && grep -q 'nobody is there' err || fail 'what mpirun said is lost'
pgrep -f "$folder/silent" && fail 'a remote shell outlives emu'
expect 0 "$predicted" run $fast -n 2 sh -c 'sleep 4; exec "$0"' "$relinked"
EMU_START_LIMIT=x expect 2 'EMU_START_LIMIT: invalid number of seconds: x ' run $fast -n 2 "$relinked"
unset EMU_START_LIMIT

# A reader that goes away: of the program's output, and of emu's.
timeout 60 "$emu" run $fast -n 2 "$relinked" 2>&1 </dev/null | true
[ -z "$(ls temporary)" ] || fail "emu run leaves $(ls temporary) behind when its reader is gone"
timeout 60 "$emu" study --fresh $fast --ranks 2,3 "$relinked" 2>&1 </dev/null | true
[ -z "$(ls temporary)" ] || fail "emu study leaves $(ls temporary) behind when its reader is gone"
sleep 1
pgrep -f "$relinked sleep" && fail 'a rank outlives emu'

conclude
