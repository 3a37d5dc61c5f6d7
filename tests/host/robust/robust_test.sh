#!/bin/bash
# robust_test.sh EMU MPIRUN PROGRAM TARGET DEADLY: errors end the job soon, with a reason, and nothing is left behind.
# PROGRAM is misuse.c with libemu. Both ways of starting it are tried: emu run, and mpirun with EMU_TARGET.
emu=$(realpath "$1") mpirun=$2 program=$(realpath "$3") target=$(realpath "$4") deadly=$(realpath "$5")
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
mkdir temporary
export TMPDIR=$folder/temporary
unset EMU_LOG EMU_TARGET EMU_JITTER
# A copy under its own name, so that its processes can be distinguished from others.
cp "$program" "./misuse-$$"
program=$folder/misuse-$$
failures=0
shopt -s nullglob

fail() {
  echo "FAIL: $*"
  sed 's/^/  stdout: /' out
  sed 's/^/  stderr: /' err
  failures=$((failures + 1))
}

processes() {  # that run the program
  local exe
  for exe in /proc/[0-9]*/exe; do
    [ "$(readlink "$exe" 2>/dev/null)" = "$program" ] && echo "${exe//[!0-9]/}"
  done
}

# nothing_left WHAT: within 5 seconds no process, no unused file in /dev/shm, and no temporary file is left.
nothing_left() {
  local _
  for _ in $(seq 50); do
    [ -z "$(processes)" ] && break
    sleep 0.1
  done
  [ -z "$(processes)" ] || { fail "$1: processes outlive it: $(processes)"; kill -KILL $(processes); }
  [ -z "$(ls temporary)" ] || { fail "$1: leaves $(ls temporary) behind"; rm -rf temporary/*; }
  # Another job of the host may have just made a file that it will remove, so only files that remain count.
  local file
  for file in $(shared); do
    for _ in $(seq 50); do
      { [ -e "$file" ] && ! grep -qxF "$file" shared-before && ! grep -qsF "$file" /proc/[0-9]*/maps; } || continue 2
      sleep 0.1
    done
    fail "$1: leaves $file behind"
  done
}
shared() { find /dev/shm -type f -newer start; }

# expect CODE SECONDS PATTERN COMMAND...: expects exit code CODE (+: any except 0) in time, and PATTERN on stderr.
expect() {
  local code=$1 seconds=$2 pattern=$3
  shift 3
  local what="${*//"$folder"\//}"
  touch start
  shared >shared-before
  timeout -k 1 "$seconds" "$@" >out 2>err </dev/null
  local got=$?
  case $got in
    124 | 137) fail "$what: not over after $seconds s" ;;
    0) [ "$code" = 0 ] || fail "$what: exit code 0" ;;
    *) [ "$code" = + ] || [ $got = "$code" ] || fail "$what: exit code $got, not $code" ;;
  esac
  [ -z "$pattern" ] || grep -q -e "$pattern" err || fail "$what: stderr lacks: $pattern"
  nothing_left "$what"
}
lacks() { ! grep -q -e "$1" err || fail "stderr has: $1"; }
once() { [ "$(grep -c -e "$1" err)" = 1 ] || fail "not said once: $1"; }

run() { expect "$1" "$2" "$3" "$emu" run --target "$target" -n "$4" "$program" "$5"; }
start() { expect "$1" "$2" "$3" env EMU_TARGET="$target" "$mpirun" -n "$4" "$program" "$5"; }

# Targets, without emu run: rank 0 reports an error once, for all ranks.
bad() {
  expect 2 20 "$2" env EMU_TARGET="$folder/$1" "$mpirun" -n 3 "$program" none
  once "$2"
}
: >empty.toml
head -c 4096 "$emu" >binary.toml
sed 's/"50us"/"50KiB"/' "$target" >unit.toml
sed 's/count = 64/count = 2/' "$target" >small.toml
bad nowhere.toml 'nowhere.toml'
bad empty.toml 'empty.toml:1: the file is empty'
bad binary.toml 'binary.toml.*not a text file'
bad unit.toml 'unit.toml:[0-9]*: network.latency: '
bad small.toml '3 ranks are more than the 2 slots'
# Ranks that find that the memory of rank 0 is gone report no further error.
for _ in 1 2 3; do
  expect 2 20 '12 ranks are more than the 2 slots' \
    env SLOW=yes EMU_TARGET="$folder/small.toml" "$mpirun" -genv LD_PRELOAD "$deadly" -n 12 "$program" none
  once 'libemu: '
done
for nodes in 0 -1 x 2.5 4x; do
  EMU_NODES=$nodes start 2 20 "EMU_NODES: invalid number of nodes: $nodes (expected 1 or more, or ranks)" 3 returned
  once 'EMU_NODES'
done
EMU_JITTER=much start 2 20 'EMU_JITTER: invalid number of microseconds: much (expected' 3 returned
expect 2 20 'invalid number of ranks: 0 (expected 1 or more)' "$emu" run --target "$target" -n 0 "$program"
expect 1 20 'ran without libemu' "$emu" run --target "$target" -n 2 /bin/true

# Errors of the program.
run 1 20 'rank 1: MPI_Recv: .*32 bytes.*16' 2 truncate
run + 20 'rank 0: MPI_Send: .*rank' 3 out-of-range
for _ in 1 2 3; do
  run 1 20 'rank [0-3] called MPI_Open_port, which is not emulated: ' 4 refused
  once 'which is not emulated'
  lacks 'Abort('
  start 1 20 'rank [0-3] called MPI_Open_port, which is not emulated: ' 4 refused
  once 'which is not emulated'
  lacks 'Abort('
  # On several host nodes, too.
  for nodes in 2 3; do
    EMU_NODES=$nodes run 1 9 'rank [0-5] called MPI_Open_port, which is not emulated: ' 6 refused
    once 'which is not emulated'
    lacks 'Abort('
    EMU_NODES=$nodes run 1 9 'rank 5 called MPI_Open_port, which is not emulated: ' 6 refused-on-last
    once 'libemu: '
  done
done
for how in run start; do
  $how 1 20 'rank 2 waits in MPI_Recv for any source' 3 leave
  grep -q 'exited without MPI_Finalize: rank 1$' err || fail 'a deadlock: who has exited is not named'
  $how 0 20 '' 3 leave-well
  # Under mpirun, lines of several ranks may be joined.
  [ "$(grep -o alive out | wc -l)" = 3 ] || fail 'what a program says that exits without MPI_Finalize is lost'
done
run 0 20 'ranks 1, 2 exited without MPI_Finalize' 3 leave-well
grep -q predicted err || fail 'there is no prediction for a program that exits well'
run + 20 'MPI_Send: called from a second thread' 3 two-threads
run + 20 'deadlock: no rank can go on' 2 threads-deadlock
grep -q 'rank 0 waits in MPI_Recv for rank 1, tag 7$' err || fail 'a deadlock of threads: rank 0'
grep -q 'rank 1 waits in MPI_Recv for rank 0, tag [56]; another thread of it waits in MPI_Recv for rank 0, tag [56]$' err ||
  fail 'a deadlock of threads: rank 1'
run 0 20 'predicted' 3 returned
grep -q alive out || fail 'errors that are returned do not let the program go on'

run 9 20 'line 5000 of what it says' 2 aborts
[ "$(grep -c 'of what it says' err)" = 5000 ] && grep -q 'and the result' out || fail 'what a program says before it aborts is lost'

# With MPICH's message and exit code.
start 9 20 'application called MPI_Abort(MPI_COMM_WORLD, 9) - process 0' 2 aborts
start 44 20 'Abort(300) on node 1 .*: application called MPI_Abort(a name, 300) - process 0' 3 aborts-group
run 3 12 'rank 1 exits without MPI_Finalize' 3 vanish
start 3 12 'rank 1 exits without MPI_Finalize' 3 vanish
start 14 12 'rank 1 exits without MPI_Finalize' 3 vanish-in-handler
start 0 12 '' 3 children

# Deadlocks: the message tells which rank waits for which.
run 1 20 'rank 0 waits in MPI_Ssend for rank 1, tag 11' 3 ssend-cycle
grep -q 'rank 2 waits in MPI_Ssend for rank 0, tag 11' err || fail 'deadlock: rank 2 is missing'
once 'deadlock: no rank can go on'
start 1 20 'rank 2 waits in MPI_Ssend for rank 0, tag 11' 3 ssend-cycle
run 1 20 'rank 1 waits in MPI_Recv for rank 0, tag 42' 4 one-of-many
grep -q 'finished already: 3 ranks' err || fail 'deadlock: those that finished'
lacks 'rank [023] waits'
run 1 20 'rank 0 waits in MPI_Probe for any source, tag 5' 4 calls
grep -q 'rank 1 waits in MPI_Waitall for rank 0, tag 6 (and 1 more request)' err || fail 'deadlock: MPI_Waitall'
grep -q 'rank 2 waits in MPI_Recv for any source, any tag' err || fail 'deadlock: MPI_Recv'
grep -q 'rank 3 waits in MPI_Barrier' err || fail 'deadlock: MPI_Barrier'
# For operations in the background, the message tells the operation and the missing rank.
run 1 20 'rank 0 waits in MPI_Wait for MPI_Ibarrier, which waits for rank 1$' 3 missing
grep -q 'rank 1 waits in MPI_Recv for rank 0, tag 5$' err || fail 'deadlock: who is missing'
grep -q 'rank 2 waits in MPI_Wait for rank 0, tag 6$' err || fail 'deadlock: MPI_Isendrecv'
run 1 20 'MPI_Ibarrier (number 2 in the background of its communicator) has not been called by rank 1$' 3 missing
# Collectives in which ranks disagree.
run 1 20 'do not agree (number 2 of its communicator): ranks 0, 2 call MPI_Reduce with root 0 and 8 bytes; rank 1 calls MPI_Reduce with root 1 and 8 bytes' 3 other-root

# A rank is killed while others communicate, and while they sleep.
for how in killed killed-asleep; do
  run 9 12 'libemu: error: rank 3 was killed by signal 9 (Killed)' 4 $how
  lacks 'predicted'
  start 9 12 '' 4 $how
  grep -q 'Killed (signal 9)' out err || fail "$how: mpirun does not say by which signal"
done

# With two helpers of mpirun on one machine. mpirun's exit code then depends on which helper ends first.
helpers=(-launcher fork -hosts one:2,two:2)
for how in killed killed-asleep aborts-group vanish leave; do
  for nodes in 1 2; do
    expect + 12 '' env EMU_NODES=$nodes EMU_TARGET="$target" "$mpirun" "${helpers[@]}" -n 4 "$program" $how
  done
done

# mpirun returns the program's exit code, and everything ends at once.
for how in 3:vanish 14:vanish-in-handler 44:aborts-group 0:children 0:leave-well; do
  expect "${how%:*}" 5 '' env EMU_TARGET="$target" "$mpirun" "${helpers[@]}" -n 4 "$program" "${how#*:}"
done

# A rank that dies in MPI_Init: when MPICH starts, and after all ranks have found each other. DEADLY is preloaded.
for when in early late; do
  for how in exit _exit kill; do
    for rank in 0 3; do
      for manager in '' "${helpers[*]}"; do
        # mpirun reports a killed rank in its own words.
        case $how in kill) code=+ ;; *) code=5 ;; esac
        # shellcheck disable=SC2086
        expect $code 6 '' env EMU_CORES=2 EMU_TARGET="$target" DIES=$when:$how:$rank \
          "$mpirun" $manager -n 4 -genv LD_PRELOAD "$deadly" "$program" none
        [ $how = kill ] || grep -q "rank $rank exits in MPI_Init" out err || fail "rank $rank, $when, by $how: not said"
      done
    done
  done
done

# An interrupt from the keyboard: the signal reaches the whole group.
interrupt() {
  touch start
  shared >shared-before
  : >out
  # A shell makes its background processes ignore the interrupt.
  setsid env --default-signal=INT "$@" >out 2>err </dev/null &
  local group=$! _
  for _ in $(seq 150); do
    grep -q alive out && break
    sleep 0.1
  done
  grep -q alive out || fail "$*: did not start"
  local began=$SECONDS
  kill -INT -- -$group
  wait $group
  local code=$?
  # Hydra by itself sometimes reports success.
  [ $code != 0 ] || [ "$1" != "$emu" ] || fail 'an interrupted run ends with exit code 0'
  [ $((SECONDS - began)) -le 6 ] || fail 'an interrupted run goes on'
  nothing_left "interrupt $*"
}
interrupt "$emu" run --target "$target" -n 4 "$program" busy
interrupt env EMU_TARGET="$target" "$mpirun" -n 4 "$program" busy
interrupt env EMU_TARGET="$target" "$mpirun" "${helpers[@]}" -n 4 "$program" busy

# The process manager of the ranks dies: no other process would end them.
manager_dies() {
  touch start
  shared >shared-before
  : >out
  setsid env EMU_NODES="$1" EMU_TARGET="$target" "$mpirun" -n 4 "$program" "$2" >out 2>err </dev/null &
  local manager=$! proxy _
  for _ in $(seq 150); do
    grep -q alive out && break
    sleep 0.1
  done
  grep -q alive out || fail "$2: did not start"
  read -r proxy _ <"/proc/$manager/task/$manager/children"
  [[ $(readlink "/proc/$proxy/exe") == *hydra_pmi_proxy ]] || fail "$proxy is not a process manager of ranks"
  kill -KILL "$proxy"
  nothing_left "the process manager dies, $1 nodes, $2"
  kill -KILL "$manager" 2>/dev/null
  wait "$manager" 2>/dev/null
}
manager_dies 1 asleep
manager_dies 2 asleep
manager_dies 2 busy

[ $failures = 0 ] || { echo "$failures failures"; exit 1; }
