#!/usr/bin/env bash
# wrong_test.sh EMU WRONG: wrong use of windows, which natively writes to other memory, gives errors of the right
# classes and has no other effect. Only ranks of one node, both of the target and of the host, can share memory.
# shellcheck source=tests/start.bash
. "$(dirname "$0")/../../start.bash"
emu=$1 wrong=$2

# says NODES WORDS... <EXPECTED: the output of each rank, on this number of nodes of the host. All ranks print equal
# output.
says() {
  local nodes=$1 rank
  shift
  cat >"$dir/expected"
  EMU_NODES=$nodes timeout 60 "$emu" run -n 4 --target "$dir/target.toml" "$wrong" "$@" >"$dir/out" 2>"$dir/err" ||
    fail "$nodes nodes, $*: $(cat "$dir/err")"
  for rank in 0 1 2 3; do
    sed -n "s/^$rank: //p" "$dir/out" | diff "$dir/expected" - || fail "$nodes nodes, $*, rank $rank"
  done
}

target() { # NODES SLOTS
  small_target "$1" declared 50us 10ns 3us 2us "slots = $2" >"$dir/target.toml"
}

target 4 1
for nodes in 1 3; do
  says $nodes <<'END'
put at the end: right
put behind: range
put of other elements: right
put across: range
put far: range
put further: range
put spread: range
get: range
accumulate: range
fetch: range
swap: range
unlock: right
memory 7 7 7 7 1 7
null: 1
put of a freed one: window
fence: window
lock: window
free again: window
END
done

not_shared='not shared'
of() { printf '%s\n' "all: $1" ${2:+"$2"} "node: $3" ${4:+"$4"} "node again: $3" ${4:+"$4"}; }
of "$not_shared" '' right 'sum of 1: 1' >"$dir/alone"
of "$not_shared" '' right 'sum of 2: 3' >"$dir/pairs"
of right 'sum of 4: 10' right 'sum of 4: 10' >"$dir/all"
of "$not_shared" '' "$not_shared" '' >"$dir/none"
says 2 shared <"$dir/alone"
# EMU_NODES distributes the ranks over the nodes of the host in turn.
target 2 2
says 1 shared <"$dir/pairs"
says 2 shared <"$dir/none"
printf '[placement]\npolicy = "cyclic"\n' >>"$dir/target.toml"
says 2 shared <"$dir/pairs"
target 1 4
says 1 shared <"$dir/all"
says 2 shared <"$dir/none"

# Without an error handler the job ends, and the error names the nodes of the ranks.
for nodes in 1 2; do
  EMU_NODES=$nodes timeout 60 "$emu" run -n 4 --target "$dir/target.toml" "$wrong" shared fatal >"$dir/out" 2>"$dir/err" ||
    [ $nodes = 2 ] || fail "one node: $(cat "$dir/err")"
done
message='MPI_Win_allocate_shared: rank 0 is on node 0 of the host, rank 1 is on node 1 of the host, and nodes share no memory'
grep -q "$message" "$dir/err" || fail "it does not say: $message: $(cat "$dir/err")"
echo ok
