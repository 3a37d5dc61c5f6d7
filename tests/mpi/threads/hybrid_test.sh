#!/usr/bin/env bash
# hybrid_test.sh EMU HYBRID MEASURED MULTIPLE BLOCKED SPINNING ASLEEP NAPPING WATCHED: concurrent work of several
# threads of a rank takes as long as the longest of them, but no less than their sum divided by the number of cores.
# shellcheck source=tests/start.bash
. "$(dirname "$0")/../../start.bash"
emu=$1 hybrid=$2 measured=$3 multiple=$4 blocked=$5 spinning=$6 asleep=$7 napping=$8 watched=$9
# IN_FRONT: a command that starts the programs (scripts/sanitize).

# target RANKS COMPUTE CORES
target() { small_target "$1" "$2" 50us 0us 1us 2us "$3" >"$dir/target.toml"; }

# Number of cores, and the expected output: microseconds of one thread alone, of three rounds of four, and of one alone.
while IFS=: read -r cores wanted; do
  for compute in declared measured; do
    target 2 "$compute" "$cores"
    "$emu" run -n 2 --target "$dir/target.toml" ${IN_FRONT:-} "$hybrid" >"$dir/out" 2>"$dir/err" || fail "$(cat "$dir/err")"
    if [ "$compute" = declared ]; then
      printf '0: %s\n1: %s\n' "$wanted" "$wanted" | diff - "$dir/out" || fail "declared, '$cores'"
      ! grep -q warning "$dir/err" || fail "$(cat "$dir/err")"
    else
      # Measured time is added to declared time.
      awk -v wanted="$wanted" 'BEGIN { n = split(wanted, w) }
        { for (i = 1; i <= n; i++) if ($(i + 1) < w[i]) bad = 1 }
        END { exit bad || NR != 2 }' "$dir/out" || fail "measured, '$cores': $(cat "$dir/out")"
    fi
  done
done <<'END_OF_CASES'
cores = 1:1000 8000 10000 3000 5000
cores = 2:1000 4000 5000 3000 5000
cores = 3:1000 2666 4000 3000 5000
cores = 4:1000 2000 4000 3000 5000
cores = 9:1000 2000 4000 3000 5000
:1000 2000 4000 3000 5000
END_OF_CASES

# Measured: 200 ms of CPU time together, divided by the cores; at most 1 % less, the accuracy for work in such pieces,
# and less than the work of another thread more. With a sanitizer the meter is another one, and its values are not
# checked.
for case in 'cores = 1:198:250' 'cores = 2:99:125' 'cores = 4:49.5:62.5'; do
  IFS=: read -r cores least most <<<"$case"
  target 2 measured "$cores"
  "$emu" run -n 2 --target "$dir/target.toml" ${IN_FRONT:-} "$measured" >"$dir/out" 2>"$dir/err" || fail "$(cat "$dir/err")"
  [ -n "${SANITIZED:-}" ] || awk -v least="$least" -v most="$most" '{ exit !($1 >= least && $1 < most) }' "$dir/out" ||
    fail "measured, $cores: $(cat "$dir/out") ms, not $least to $most"
done
# Threads that call MPI. Rank 0 has rank 2's message of 10 ms 2 + 1 + 50 + 2 us later, whatever its other
# thread does meanwhile. Rank 1 has that thread's messages of 5 ms, and of 1 ms later. Declarations of three
# threads take 4 ms, on two cores (3 + 4 + 4) / 2. Some runs delay a waiting rank on the host at times.
while IFS=: read -r cores declared; do
  for jitter in '' 200; do
    target 3 declared "$cores"
    if [ -n "$jitter" ]; then export EMU_JITTER=$jitter; else unset EMU_JITTER; fi
    rm -rf "$dir/trace"
    timeout 60 "$emu" run -n 3 --target "$dir/target.toml" --trace "$dir/trace" ${IN_FRONT:-} "$multiple" >"$dir/out" 2>"$dir/err" ||
      fail "$(cat "$dir/err")"
    printf '0: 10055 %s 2000\n1: 5053 6054\n' "$declared" | diff - "$dir/out" || fail "multiple, '$cores', jitter '$jitter'"
    grep -q 'warning: several threads of rank 0 called MPI' "$dir/err" || fail "no warning: $(cat "$dir/err")"
    # Both threads' actions belong to one rank in the trace, in the order of its clock.
    "$emu" report "$dir/trace" >"$dir/report" 2>"$dir/err" || fail "no report: $(cat "$dir/err")"
    "$emu" trace "$dir/trace" --perfetto "$dir/events.json" >/dev/null 2>"$dir/err" ||
      fail "the trace cannot be read: $(cat "$dir/err")"
    python3 -m json.tool "$dir/events.json" >/dev/null || fail 'no JSON'
    [ "$(grep -o 'MPI_Send' "$dir/events.json" | wc -l)" -ge 5 ] || fail 'not all sends are in the trace'
  done
done <<'END_OF_CASES'
:4000
cores = 2:5500
END_OF_CASES
# A thread that never calls, and waits in the system, delays no rank: rank 0 has rank 2's
# message of 10 ms 1 + 50 + 2 us later, and rank 1 the message that rank 0 then sent.
target 3 declared ''
timeout 60 "$emu" run -n 3 --target "$dir/target.toml" ${IN_FRONT:-} "$blocked" >"$dir/out" 2>"$dir/err" || fail "$(cat "$dir/err")"
echo '10053 10106' | diff - "$dir/out" || fail "blocked"
# A thread sleeps on the target, concurrently with the other thread's actions; the causes of the finish show this.
for nodes in '' 2; do
  if [ -n "$nodes" ]; then export EMU_NODES=$nodes; else unset EMU_NODES; fi
  for jitter in '' 200; do
    if [ -n "$jitter" ]; then export EMU_JITTER=$jitter; else unset EMU_JITTER; fi
    target 2 declared ''
    rm -rf "$dir/trace"
    timeout 60 "$emu" run -n 2 --target "$dir/target.toml" --trace "$dir/trace" --json "$dir/run.json" ${IN_FRONT:-} "$asleep" >"$dir/out" \
      2>"$dir/err" || fail "$(cat "$dir/err")"
    echo '6106 7106 10000 26107' | diff - "$dir/out" || fail "asleep, nodes '$nodes', jitter '$jitter'"
    "$emu" report "$dir/trace" --json "$dir/report.json" >"$dir/report" 2>"$dir/err" || fail "no report: $(cat "$dir/err")"
    python3 -c '
import json, sys
run, report = (json.load(open(name))["critical_path"] for name in sys.argv[1:])
assert run["picoseconds"] == report["causes"], (run, report)
assert run["picoseconds"]["sleep"] == 20_000_000_000, run' "$dir/run.json" "$dir/report.json" || fail 'another part of the time asleep'
  done
done
# A thread that naps between its tests continues while another thread waits for a semaphore.
for nodes in '' 2; do
  if [ -n "$nodes" ]; then export EMU_NODES=$nodes; else unset EMU_NODES; fi
  for jitter in '' 200; do
    if [ -n "$jitter" ]; then export EMU_JITTER=$jitter; else unset EMU_JITTER; fi
    target 2 declared ''
    timeout 60 "$emu" run -n 2 --target "$dir/target.toml" ${IN_FRONT:-} "$napping" >"$dir/out" 2>"$dir/err" ||
      fail "napping, nodes '$nodes', jitter '$jitter': $(cat "$dir/err")"
    echo '6002 7503' | diff - "$dir/out" || fail "napping, nodes '$nodes', jitter '$jitter'"
  done
done
# Threads that never call do not delay it, though one is always awake. None is taken for a spinning thread.
target 2 declared ''
timeout 100 "$emu" run -n 2 --target "$dir/target.toml" ${IN_FRONT:-} "$watched" >"$dir/out" 2>"$dir/err" || fail "watched: $(cat "$dir/err")"
awk '{ exit !($1 >= 5553) }' "$dir/out" || fail "watched: $(cat "$dir/out")"
! grep -q 'second of CPU time' "$dir/err" || fail "warned: $(cat "$dir/err")"
unset EMU_NODES EMU_JITTER
# A thread that spins until the waiting thread has received delays no rank: rank 0 gets rank
# 2's message of 10 ms, and rank 1 the one of 1 us later. Also on two nodes of the host.
for nodes in '' 2; do
  if [ -n "$nodes" ]; then export EMU_NODES=$nodes; else unset EMU_NODES; fi
  target 3 declared ''
  timeout 100 "$emu" run -n 3 --target "$dir/target.toml" ${IN_FRONT:-} "$spinning" >"$dir/out" 2>"$dir/err" || fail "spinning: $(cat "$dir/err")"
  echo '10053 10054' | diff - "$dir/out" || fail "spinning, nodes '$nodes'"
  grep -q 'warning: a thread of .* second of CPU time' "$dir/err" || fail "no warning: $(cat "$dir/err")"
done
unset EMU_NODES
# With measured work, spinning counts as work, and no assumption is needed.
target 3 measured ''
timeout 100 "$emu" run -n 3 --target "$dir/target.toml" ${IN_FRONT:-} "$spinning" >"$dir/out" 2>"$dir/err" || fail "spinning: $(cat "$dir/err")"
awk '{ exit !($1 >= 10053 && $2 >= 10054) }' "$dir/out" || fail "spinning, measured: $(cat "$dir/out")"
! grep -q 'second of CPU time' "$dir/err" || fail "warned: $(cat "$dir/err")"
echo ok
