#!/usr/bin/env bash
# A skeleton predicts the program's own run, and is itself a program.
# Usage: skeleton_test.sh MPIRUN EMU TARGET KERNELS LOOPS MASE
set -euo pipefail
mpirun=$1 emu=$2 target=$3 kernels=$4 loops=$5 mase=$6
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
unset EMU_LOG EMU_TARGET EMU_TRACE EMU_RECORD EMU_JITTER EMU_SKELETON

fail() { echo "FAILED: $*"; exit 1; }

# json FILE KEY
json() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$1" "$2"; }
# near A B SHARE: true if A differs from B by at most this share of B.
near() { python3 -c 'import sys; a, b, s = map(float, sys.argv[1:]); sys.exit(abs(a - b) > s * b)' "$@"; }

# same WORDS...: on fibers the skeleton predicts the time of its C program run by processes, to the last digit.
same() {
  "$emu" skeleton run --target "$target" --json "$dir/fibers.json" "$@" 2>"$dir/said" || fail "on fibers: $*: $(cat "$dir/said")"
  "$emu" skeleton run --processes --target "$target" --json "$dir/processes.json" "$@" 2>"$dir/said" ||
    fail "by processes: $*: $(cat "$dir/said")"
  cmp <(grep -v host_seconds "$dir/fibers.json") <(grep -v host_seconds "$dir/processes.json") ||
    fail "on fibers another prediction: $*: $(cat "$dir/fibers.json" "$dir/processes.json")"
}

# The recorder measures the speed of this machine by the function by which skeletons compute.
sources=$(dirname "$0")/../../../apps/emu/skeleton
# text FILE KIND: emu_work in the file, where it begins with the word KIND.
text() { sed -n "/^$2 double emu_work(/,/^}/p" "$1" | sed "s/^$2 //"; }
[ -n "$(text "$sources/recording/work.h" inline)" ] || fail "recording/work.h has no emu_work"
diff <(text "$sources/recording/work.h" inline) <(text "$sources/generate/prelude.h" static) ||
  fail "emu_work of generate/prelude.h is not that of recording/work.h"

program=("$kernels" jacobi --size 50 --rounds 100 --point 20ns)
"$emu" run -n 6 --target "$target" --json "$dir/program.json" "${program[@]}" >/dev/null 2>&1
"$emu" skeleton record -n 6 --target "$target" -o "$dir/rec" "${program[@]}" >/dev/null 2>"$dir/said"
# Declared work: recording it changes no instant.
near "$(json "$dir/program.json" predicted_seconds)" "$(grep -o '[0-9.]* ms of' "$dir/said" | awk '{ print $1 / 1000 }')" 1e-4 ||
  fail "recording changes the time: $(cat "$dir/said")"

"$emu" skeleton compress -o "$dir/skeleton" "$dir/rec" >"$dir/loops" 2>/dev/null
grep -q ')x' "$dir/loops" || fail "no loop: $(cat "$dir/loops")"
for what in rec skeleton; do
  "$emu" skeleton run --target "$target" --scale 10 --json "$dir/$what.json" "$dir/$what" 2>/dev/null
  near "$(json "$dir/$what.json" predicted_seconds)" "$(json "$dir/program.json" predicted_seconds)" 0.03 ||
    fail "the skeleton of $what predicts $(json "$dir/$what.json" predicted_seconds) s"
done
cmp <(json "$dir/rec.json" predicted_seconds) <(json "$dir/skeleton.json" predicted_seconds) ||
  fail "the text is not the same skeleton"
python3 -c 'import json, sys; r, p = (json.load(open(f)) for f in sys.argv[1:]); sys.exit(r["skeleton_seconds"] > 0.4 * p["predicted_seconds"])' \
  "$dir/rec.json" "$dir/program.json" || fail "the skeleton is not shorter"

# Local actions of a rank are not part of a skeleton, and actions that a skeleton cannot contain are named.
for call in 'MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)' 'MPI_Ibarrier(MPI_COMM_WORLD, &request)'; do
  cat >"$dir/own.c" <<END
#include <mpi.h>
int main(int argc, char** argv) {
  int begun = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Init(&argc, &argv);
  MPI_Initialized(&begun);
  for (int i = 0; i < 20; ++i) MPI_Barrier(MPI_COMM_WORLD);
  $call;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return MPI_Finalize();
}
END
  mpicc.mpich -o "$dir/own" "$dir/own.c"
  rm -rf "$dir/own.rec"
  code=0
  "$emu" skeleton record -n 2 --target "$target" -o "$dir/own.rec" "$dir/own" >"$dir/said" 2>&1 || code=$?
  case $call in
    *errhandler*) [ $code = 0 ] || fail "$call: $code: $(cat "$dir/said")" ;;
    *) [ $code != 0 ] && grep -q 'MPI_Ibarrier, which a skeleton cannot have' "$dir/said" || fail "$call: $code: $(cat "$dir/said")" ;;
  esac
done

# Half of the durations are half of the mean, the others one and a half. If all ranks vary together, the sum
# follows from the mean; if each of four varies by itself, the longest of them is long in 15 of 16 times.
steps() {
  printf 'skeleton 1\nranks 4\nseconds 1\nevents 4\nloop 640\n'
  printf '  barrier work=0.001%s inside=0 times=640\nend\nend\n' "${1:+ $1}"
}
steps "" >"$dir/even"
for together in 0 1; do
  steps "classes=0.5/0.5/0.5/0.5/1.5/1.5/1.5/1.5/1.5/1.5/1.5 together=$together" >"$dir/uneven$together"
done
for scale in 1 10; do
  for what in even uneven0 uneven1; do
    "$emu" skeleton run --target "$target" --scale $scale --json "$dir/$what.json" "$dir/$what" 2>/dev/null
  done
  near "$(json "$dir/uneven1.json" predicted_seconds)" "$(json "$dir/even.json" predicted_seconds)" 1e-4 ||
    fail "together: $(json "$dir/uneven1.json" predicted_seconds) s"
  near "$(json "$dir/uneven0.json" predicted_seconds)" "$(json "$dir/even.json" predicted_seconds | awk '{ print $1 + 0.64 * 7 / 16 }')" 0.03 ||
    fail "each by itself: $(json "$dir/uneven0.json" predicted_seconds) s"
done

for what in rec even uneven0 uneven1; do same --scale 10 "$dir/$what"; done

# The skeleton as a program: its reports, records and studies equal those of the C program.
"$emu" run --target "$target" --json "$dir/run.json" --report "$dir/page.html" "$dir/skeleton" --scale 5 2>"$dir/said" ||
  fail "emu run of a skeleton: $(cat "$dir/said")"
grep -q 'critical path' "$dir/said" && grep -q 'skeleton' "$dir/page.html" || fail "emu run of a skeleton: $(cat "$dir/said")"
"$emu" skeleton build --scale 5 -o "$dir/five.c" "$dir/skeleton" 2>/dev/null
mpicc.mpich -O2 -o "$dir/five" "$dir/five.c" -lm
"$emu" run --preload -n 6 --target "$target" --json "$dir/five.json" "$dir/five" >/dev/null 2>&1
cmp <(grep -v 'host_seconds\|"program"' "$dir/run.json") <(grep -v 'host_seconds\|"program"' "$dir/five.json") ||
  fail "emu run of a skeleton is not the run of its C program"
"$emu" study --target "$target" --vary network.latency=20us,80us "$dir/skeleton" >"$dir/said" 2>&1 ||
  fail "study of a skeleton: $(cat "$dir/said")"
grep -q '80us' "$dir/said" || fail "study of a skeleton: $(cat "$dir/said")"

# Collective operations of all kinds, communicators, messages of all kinds: as text, since no kernel has them all.
all() {
  printf 'skeleton 1\nranks 6\nseconds 1\nevents 6\nloop 20\n'
  cat <<'END'
  communicator comm=0 slot=2 peer=0,1,0,1,0,1 tag=3,2,1,0,5,4 work=1e-05 inside=0 times=20
  allreduce comm=2 bytes=4000 unit=8 work=0 inside=0 times=20
  bcast comm=2 peer=1 bytes=20000 work=1e-05*3,2e-05*3 inside=0 times=20
  barrier work=0 inside=0 times=20
  reduce peer=2 bytes=800 unit=4 work=0 inside=0 times=20
  scan bytes=64 unit=8 work=0 inside=0 times=20
  exscan bytes=64 unit=8 work=0 inside=0 times=20
  gather peer=3 bytes=300 work=0 inside=0 times=20
  scatter peer=3 bytes=300 work=0 inside=0 times=20
  allgather bytes=300 work=0 inside=0 times=20
  alltoall bytes=300 work=0 inside=0 times=20
  reduce_scatter_block bytes=64 unit=8 work=0 inside=0 times=20
  gatherv peer=0 bytes=10,20,30,40,50,60 list=10/20/30/40/50/60,-*5 work=0 inside=0 times=20
  allgatherv bytes=100 list=100x6 work=0 inside=0 times=20
  alltoallv list=100x6/100x6 work=0 inside=0 times=20
  irecv peer=0,0,1,2,3,4 tag=7 slot=0 ranks=0,1*5 work=0 inside=0 times=20
  issend peer=1,2,3,4,5,0 tag=7 bytes=90000 slot=1 ranks=1*5,0 work=0 inside=0 times=20
  wait list=1,0/1*4,0 work=3e-06 inside=0 times=20
  sendrecv peer=1,0,3,2,5,4 source=1,0,3,2,5,4 tag=9 source-tag=9 bytes=500 work=0 inside=0 times=20
  ssend peer=1 tag=3 bytes=10 ranks=1,0*5 work=0 inside=0 times=20
  recv peer=0 tag=3 ranks=0,1,0*4 work=0 inside=0 times=20
  free_communicator slot=2 work=0 inside=0 times=20
END
  printf 'end\nend\n'
}
all >"$dir/all"
for scale in 1 4; do same --scale $scale "$dir/all"; done

# A program of its own, natively.
"$emu" skeleton build --scale 10 -o "$dir/skeleton.c" "$dir/rec" 2>/dev/null
mpicc.mpich -Wall -Werror -Wno-unused-function -Wno-stringop-overflow -o "$dir/native" "$dir/skeleton.c" -lm
"$mpirun" -n 6 "$dir/native" | grep -q '^skeleton: predicted ' || fail "the skeleton does not run natively"
if "$mpirun" -n 3 "$dir/native" >"$dir/out" 2>&1; then fail "runs on other ranks"; fi
grep -q 'invalid number of ranks: 3 (expected 6)' "$dir/out" || fail "does not say on how many ranks it runs"

# Recorded natively.
"$emu" skeleton record -n 3 -o "$dir/native.rec" "$kernels" gradient --size 30 --rounds 20 >/dev/null 2>"$dir/said"
grep -q 'recorded .* events on 3 ranks' "$dir/said" || fail "native: $(cat "$dir/said")"
"$emu" skeleton run --target "$target" "$dir/native.rec" 2>"$dir/said" || fail "native: $(cat "$dir/said")"

# On four ranks each is a corner and goes through the loops in its own order: by words alone they are not aligned.
"$emu" run -n 4 --target "$target" --json "$dir/corners.json" "$kernels" wavefront --size 20 --rounds 20 --point 20ns >/dev/null 2>&1
"$emu" skeleton run -n 4 --target "$target" --scale 5 --json "$dir/four.json" "$kernels" wavefront --size 20 --rounds 20 \
  --point 20ns >/dev/null 2>"$dir/said" || fail "a wavefront of corners: $(cat "$dir/said")"
near "$(json "$dir/four.json" predicted_seconds)" "$(json "$dir/corners.json" predicted_seconds)" 0.03 ||
  fail "a wavefront of corners is predicted at $(json "$dir/four.json" predicted_seconds) s"
[ "$(json "$dir/four.json" symbols)" -lt 40 ] || fail "a wavefront of corners has $(json "$dir/four.json" symbols) symbols"

# From 9, 16 and 25 ranks to 36: equal to a recording with 36, to the picosecond.
small=("$kernels" jacobi --size 20 --rounds 60 --point 200ns)
for n in 9 16 25 36; do
  "$emu" skeleton record -n $n --target "$target" -o "$dir/of$n" "${small[@]}" >/dev/null 2>&1
done
"$emu" skeleton run --target "$target" --json "$dir/right.json" "$dir/of36" 2>/dev/null
"$emu" skeleton run -n 36 --target "$target" --json "$dir/told.json" "$dir"/of{9,16,25} 2>"$dir/said" ||
  fail "extrapolate: $(cat "$dir/said")"
cmp <(json "$dir/told.json" predicted_seconds) <(json "$dir/right.json" predicted_seconds) ||
  fail "for 36 ranks $(json "$dir/told.json" predicted_seconds) s in place of $(json "$dir/right.json" predicted_seconds)"
grep -q 'note: from 9, 16 and 25 ranks, seen in a grid of 2 dimensions' "$dir/said" || fail "laws: $(cat "$dir/said")"
"$emu" skeleton extrapolate -n 36 -o "$dir/told" "$dir"/of{25,9,16} 2>/dev/null
"$emu" skeleton run --target "$target" --json "$dir/again.json" "$dir/told" 2>/dev/null
# The text has nine digits of each number.
near "$(json "$dir/again.json" predicted_seconds)" "$(json "$dir/told.json" predicted_seconds)" 1e-8 ||
  fail "what extrapolate wrote is another"

# Two ranks that send before they receive, which works as long as messages are buffered.
cat >"$dir/both.c" <<'END'
#include <mpi.h>
int main(int argc, char** argv) {
  int rank, out[10] = {0}, in[10];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 20; ++i) {
    MPI_Send(out, 10, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Recv(in, 10, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return MPI_Finalize();
}
END
mpicc.mpich -o "$dir/both" "$dir/both.c"
"$emu" skeleton record -n 2 -o "$dir/both.rec" "$dir/both" 2>/dev/null
"$emu" skeleton build -o "$dir/short.c" "$dir/both.rec" 2>"$dir/said" || fail "relies on buffers: $(cat "$dir/said")"
grep -q 'needs messages that are buffered' "$dir/said" || fail "does not say that buffers are needed: $(cat "$dir/said")"
"$emu" skeleton build -o "$dir/short.c" "$dir/rec" 2>"$dir/said"
if grep -q 'buffered' "$dir/said"; then fail "says that buffers are needed"; fi

# wrong WORDS COMMAND...: expects exit code 1 or 2 and a message with these words.
wrong() {
  local words=$1 code=0
  shift
  "$emu" skeleton "$@" >"$dir/out" 2>&1 || code=$?
  [ "$code" = 1 ] || [ "$code" = 2 ] || fail "$*: exit code $code"
  grep -q -- "$words" "$dir/out" || fail "$*: no \"$words\" in: $(cat "$dir/out")"
}
cut() {  # cut NAME BYTES: a recording of which the last file lacks its end
  cp -r "$dir/rec" "$dir/$1"
  truncate -s "$2" "$dir/$1/rank.5"
}
cut short 1000 && wrong 'has no end after' compress "$dir/short"
cut empty 0 && wrong 'not a recording of a rank' compress "$dir/empty"
cp -r "$dir/rec" "$dir/missing" && rm "$dir/missing/rank.4" && wrong 'there were 6 ranks' compress "$dir/missing"
cp -r "$dir/rec" "$dir/mixed" && cp "$dir/native.rec/rank.1" "$dir/mixed/rank.1" && wrong 'two runs' compress "$dir/mixed"
wrong 'not a recording' compress "$dir"
wrong 'ended with exit code' record -n 2 --target "$target" -o "$dir/bad" "$kernels" none
wrong 'without the recorder' record -n 2 --target "$target" -o "$dir/bad" /bin/true
wrong 'ended with exit code 3' record -n 2 -o "$dir/bad" sh -c 'exit 3'
[ ! -e "$dir/bad" ] || fail "a program that was not recorded leaves a folder"
wrong '-n is missing' record -o "$dir/bad" "$kernels"
wrong 'is not a recording: it contains' record -n 2 -o "$dir" "$kernels"
wrong 'invalid number: 0.5 .expected 1 to' build --scale 0.5 "$dir/rec"
wrong 'not a skeleton' build "$dir/program.json"
wrong 'has no option --json' build --json x "$dir/rec"
wrong 'tells nothing of others' run -n 4 --target "$target" "$dir/rec"
wrong '-n is missing' run --target "$target" "$dir/of9" "$dir/of16"
wrong '50: not a recording' run --target "$target" "$dir/of9" 50
wrong '-n is missing' extrapolate "$dir/of9" "$dir/of16"
wrong 'too few recordings: 1 .expected two or three' extrapolate -n 20 "$dir/of9"
wrong 'two of the recordings have 9 ranks' extrapolate -n 20 "$dir/of9" "$dir/of9"
wrong '20 ranks cannot be extrapolated from these recordings' extrapolate -n 20 "$dir/rec" "$dir/of9"
"$emu" skeleton build --scale 1e6 -o "$dir/large.c" "$dir/rec" 2>&1 | grep -q 'note: the skeleton takes' || fail "no note"

# A master that deals tasks continues to do so, also if the tasks are dealt differently.
"$emu" run -n 5 --target "$target" --json "$dir/farm.json" "$kernels" farm --rounds 600 --task 3ms >/dev/null 2>&1
"$emu" skeleton record -n 5 --target "$target" -o "$dir/farm" "$kernels" farm --rounds 600 --task 3ms >/dev/null 2>&1
"$emu" skeleton run --target "$target" --scale 5 --json "$dir/farm.skeleton.json" "$dir/farm" 2>/dev/null
"$emu" skeleton build --scale 5 "$dir/farm" 2>/dev/null | grep -q '600 tasks' || fail "the farm is not seen"
near "$(json "$dir/farm.skeleton.json" predicted_seconds)" "$(json "$dir/farm.json" predicted_seconds)" 0.05 ||
  fail "farm: the skeleton predicts $(json "$dir/farm.skeleton.json" predicted_seconds) s"

same --scale 5 "$dir/farm"

# So does a master whose slaves ask for their first task, whether or not the chunks become smaller.
for rule in self guided; do
  asking=("$loops" --rule $rule --iterations 3000 --cost bimodal)
  "$emu" skeleton record -n 12 --target "$target" -o "$dir/$rule" "${asking[@]}" >/dev/null 2>&1
  "$emu" skeleton run --target "$target" --scale 5 --json "$dir/$rule.json" "$dir/$rule" 2>"$dir/said"
  near "$(json "$dir/$rule.json" predicted_seconds)" "$(json "$dir/$rule.json" recorded_seconds)" 0.05 ||
    fail "loops $rule: $(cat "$dir/said")"
  same --scale 5 "$dir/$rule"
  [ "$(json "$dir/$rule.json" symbols)" -lt 10 ] || fail "loops $rule: $(cat "$dir/said")"
  if grep -q 'from any source\|% off' "$dir/said"; then fail "loops $rule: $(cat "$dir/said")"; fi
done

# Several masters are not such a farm: the verb reports the consequence, and the resulting error shown by the recording.
"$emu" skeleton record -n 12 --target "$target" -o "$dir/masters" "$mase" --size 128 --task 16 --cost-per-iteration 1us \
  --strategy ml >/dev/null 2>&1
"$emu" skeleton run --target "$target" "$dir/masters" 2>"$dir/said" || true
grep -q 'steps receive from any source and are of no farm' "$dir/said" || fail "several masters: $(cat "$dir/said")"
same "$dir/masters"
grep -q 'on this target the program took .*% off' "$dir/said" || fail "several masters: $(cat "$dir/said")"

# Ranks that do not match would wait forever: the emulator reports this, and no skeleton is written.
"$emu" skeleton record -n 6 --target "$target" -o "$dir/less" "$kernels" jacobi --size 50 --rounds 60 >/dev/null 2>&1
cp "$dir/less/rank.2" "$dir/mixed/rank.2" && cp "$dir/rec/rank.1" "$dir/mixed/rank.1"
wrong 'does not run through under the emulator' build -o "$dir/mixed.c" "$dir/mixed"
wrong 'does not run through: deadlock: no rank can go on' run --target "$target" "$dir/mixed"
[ ! -e "$dir/mixed.c" ] || fail "a skeleton that waits for ever was handed over"
