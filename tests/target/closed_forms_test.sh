#!/bin/bash
# closed_forms_test.sh EMU GOAL: predictions of small programs, to the picosecond.
emu=$(realpath "$1") goal=$(realpath "$2")
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
unset EMU_LOG EMU_TARGET
failures=0

# One rank a node, L = 1000 ps, o_s = 100 ps, o_r = 200 ps, G = 1 ps, all eager. More of [network] in $network,
# groups of nodes and all else on stdin.
network=
target() {
  cat >target.toml <<END
name = "closed form"
compute = "declared"
$root
[network]
latency = "1000ps"
gap_per_byte = "1ps"
eager_limit = "unlimited"
$network
send = { fixed = "100ps", per_process = "0ps", per_byte = "0ps" }
receive = { fixed = "200ps", per_process = "0ps", per_byte = "0ps" }
END
  cat >>target.toml
}

# run RANKS <<< PROGRAM: plays a GOAL program, calc in picoseconds.
run() {
  { echo "num_ranks $1"; cat; } >program.goal
  rm -f run.json
  timeout 60 "$emu" run -n "$1" --target target.toml --json run.json "$goal" program.goal --unit 1ps >out 2>err
  code=$?
}

# finish NAME PICOSECONDS...: the ranks' finishes in the last run.
finish() {
  local name=$1
  shift
  local got=$(grep -o '"finish_picoseconds": *[0-9]*' run.json 2>/dev/null | grep -o '[0-9]*$' | tr '\n' ' ')
  [ "$got" = "$* " ] && return
  echo "FAIL: $name: finished at $got, not at $*"
  sed 's/^/  stderr: /' err
  failures=$((failures + 1))
}

# refuses NAME CODE PATTERN: the last run ended with CODE and said PATTERN.
refuses() {
  [ $code = "$2" ] && grep -q -e "$3" err && return
  echo "FAIL: $1: exit code $code, not $2, or stderr lacks: $3"
  sed 's/^/  stderr: /' err
  failures=$((failures + 1))
}

# --- nodes of two speeds, one task each
target <<'END'
[[node]]
count = 1
speed = 2.0
[[node]]
count = 2
speed = 0.25
END
run 3 <<'END'
rank 0 { 
a: calc 1000 
}
rank 1 { 
a: calc 1000 
}
rank 2 {
a: calc 1
}
END
finish 'two speeds' 500 4000 4

# --- a step in the middle of a task, another at its very end, and a standstill
target <<'END'
[[node]]
count = 3
[[event]]
node = 0
at = "600ps"
until = "1400ps"
speed = 0.5
[[event]]
node = 1
at = "1000ps"
speed = 0.125
[[event]]
node = [2]
at = "999ps"
until = "5000ps"
speed = 0
END
run 3 <<'END'
rank 0 { 
a: calc 1000 
b: calc 100
b requires a
}
rank 1 {
a: calc 1000
}
rank 2 {
a: calc 1000
}
END
finish 'steps' 1500 1000 5001

# --- availability from a file, with SimGrid's two columns: 100 ps of work in each 150 ps from 50 ps on
cat >half.profile <<'END'
# time  availability
0.00000000005 1.0
0.0000000001 0.5    # for 100 ps
LOOPAFTER 0.0000000001
END
target <<'END'
[[node]]
count = 2
[[availability]]
nodes = 1
file = "half.profile"
END
run 2 <<'END'
rank 0 {
a: calc 10000
}
rank 1 {
a: calc 10050
}
END
finish 'availability' 10000 15050

# --- links: 1 ps inside a node, 5000 ps between the groups, 1000 ps between nodes of a group
target <<'END'
[[node]]
name = "a"
count = 2
slots = 2
[[node]]
name = "b"
count = 1
[[link]]
inside = "a"
latency = "1ps"
gap_per_byte = "0ps"
[[link]]
from = "a"
to = "b"
latency = "5000ps"
END
chain='rank 0 {
s: send 11b to 1
}
rank 1 {
r: recv 11b from 0
s: send 11b to 2
s requires r
}
rank 2 {
r: recv 11b from 1
s: send 11b to 3
s requires r
}
rank 3 {
r: recv 11b from 2
}'
run 4 <<<"$chain"
# Nodes 0 0 1 1: o_s 100, L 1, o_r 200 = 301; o_s 100, L 1000, 10 G, o_r 200 = 1611 at rank 2; 1912 at rank 3.
finish 'inside a node' 100 401 1711 1912
cat >>target.toml <<'END'
[placement]
policy = [0, 2, 1, 1]
END
run 4 <<<"$chain"
# To node 2 and back: 100 + 5000 + 10 + 200 = 5310, and again.
finish 'between groups' 100 5410 10720 10921

# --- speed 0 without end is said, not waited for
target <<'END'
[[node]]
count = 2
[[event]]
node = 1
at = "500ps"
speed = 0
END
run 2 <<'END'
rank 1 {
a: calc 501
}
END
refuses 'starvation' 1 'starvation: rank 1 computes from .* on, and the speed of its node, 1, stays 0'

# --- a failure one picosecond before an arrival, at it, and after it; the sender sees nothing of it
# The message leaves at 100 and arrives at 1110; handled until 1310.
one_message='rank 0 {
s: send 11b to 1
}
rank 1 {
r: recv 11b from 0
}'
fails() {
  target <<END
[[node]]
count = 2
[[event]]
kind = "fail"
node = $1
at = "$2ps"
END
}
for at in 1 1109 1110 1310; do  # the receiver is not done at 1310: that is the instant at which it is down
  fails 1 $at
  run 2 <<<"$one_message"
  finish "receiver fails at $at" 100 $at
  grep -q '"failed": true' run.json || { echo "FAIL: receiver at $at: not said to have failed"; failures=$((failures + 1)); }
  grep -q 'predicted 100 ps .*; 1 rank failed with their nodes: 1' err || { echo 'FAIL: not reported'; failures=$((failures + 1)); }
done
fails 1 1311
run 2 <<<"$one_message"
finish 'receiver fails after it is done' 100 1310
grep -q failed run.json && { echo 'FAIL: it finished before'; failures=$((failures + 1)); }
# The sender: the message leaves at 100 or not at all; one that has left arrives.
fails 0 101
run 2 <<<"$one_message"
finish 'sender fails after its message left' 100 1310
fails 0 100
run 2 <<<"$one_message"
refuses 'sender fails as its message leaves' 1 'failed with their nodes: rank 0 at 0.000000 s'
refuses 'the receiver waits for ever' 1 'rank 1 waits in MPI_'
fails 0 0
run 2 <<<"$one_message"
refuses 'failed from the start' 1 'deadlock'

# --- a node that comes back: it stood still, and lost what arrived meanwhile
comes_back() {
  target <<END
[[node]]
count = 2
[[event]]
kind = "fail"
node = 1
at = "$1ps"
[[event]]
kind = "recover"
node = 1
at = "$2ps"
END
}
comes_back 500 1110
run 2 <<<"$one_message"
finish 'back when it arrives' 100 1310
comes_back 1200 3000
run 2 <<<"$one_message"
finish 'down while it is handled' 100 3110
comes_back 500 1111
run 2 <<<"$one_message"
refuses 'lost' 1 'deadlock'
two_messages='rank 0 {
s: send 11b to 1 tag 1
w: calc 5000
w requires s
t: send 11b to 1 tag 1
t requires w
}
rank 1 {
c: calc 1000
r: recv 11b from 0 tag 1
r requires c
}'
comes_back 500 1111
run 2 <<<"$two_messages"
# The first is lost, so the receive gets the second: 100 + 5000 + 100 + 1000 + 10 + 200.
finish 'the next one comes through' 5200 6410

# --- all fail; abort
target <<'END'
[[node]]
count = 2
[[event]]
kind = "fail"
node = "all"
at = "50ps"
END
run 2 <<<"$one_message"
refuses 'all fail' 1 'every rank failed with its node'
root='on_failure = "abort"'
fails 1 1000
root=
run 2 <<<"$one_message"
refuses 'abort' 1 'rank 1 failed at .* with its node, and on_failure is "abort"'

# --- a bus with two senders: both heads are there at 1100, the first occupies it to 1200, the second to 1300
network='medium = "bus"'
target <<'END'
[[node]]
count = 4
END
run 4 <<'END'
rank 0 {
s: send 101b to 2
}
rank 1 {
s: send 101b to 3
}
rank 2 {
r: recv 101b from 0
}
rank 3 {
r: recv 101b from 1
}
END
finish 'a bus with two senders' 100 100 1400 1500
# The first has left at 100 and occupies the bus from 1100 to 2100, while it is not for rank 2.
run 3 <<'END'
rank 0 {
s: send 1001b to 1
}
rank 1 {
r: recv 1001b from 0
}
rank 2 {
c: calc 500
s: send 1b to 1 tag 3
s requires c
}
END
finish 'who does not receive' 100 2300 600
network=

# --- a grid of 3 x 3: from node 0 to node 8 it is 4 hops, to node 1 one
network='medium = "grid"
columns = 3'
target <<'END'
[[node]]
count = 9
END
run 9 <<'END'
rank 0 {
a: send 11b to 8
b: send 11b to 1
b requires a
}
rank 1 {
r: recv 11b from 0
}
rank 8 {
r: recv 11b from 0
}
END
finish 'a grid' 200 1410 0 0 0 0 0 0 4310
network=

# --- a link four times slower from 100 ps on, and with half of its bandwidth from 200 ps on
target <<'END'
[[node]]
count = 2
[[event]]
link = "all"
at = "100ps"
until = "200ps"
latency = 4.0
[[event]]
link = "all"
at = "200ps"
bandwidth = 0.5
END
run 2 <<'END'
rank 0 {
a: send 11b to 1
b: send 11b to 1
b requires a
}
rank 1 {
r: recv 11b from 0
s: recv 11b from 0
s requires r
}
END
# Leaves at 100: 100 + 4000 + 10 + 200 = 4310. The other at 200: 200 + 1000 + 20, earlier, but received second.
finish 'a link that changes' 200 4510

# --- emu target: what it says a message takes is what it takes
network='send_limit'
target <<'END'
[[node]]
name = "a"
count = 2
slots = 2
[[node]]
name = "b"
count = 1
[[event]]
node = 1
at = "1s"
speed = 0.5
[[link]]
inside = "all"
latency = "1ps"
[[link]]
from = "b"
to = "a"
latency = "5000ps"
[[link]]
from = "a"
to = "b"
latency = "7000ps"
END
sed -i 's/^send_limit//; s/"unlimited"/"1000B"/' target.toml
network=
timeout 20 "$emu" target target.toml >table 2>err || { echo 'FAIL: emu target'; failures=$((failures + 1)); }
says() {
  grep -q -e "$1" table && return
  echo "FAIL: emu target lacks: $1"
  failures=$((failures + 1))
}
run 5 <<'END'
rank 0 {
a: send 1048576b to 4
}
rank 4 {
a: recv 1048576b from 0
}
END
# 100 + 7000 + 200 + 100 + 5000 + 200, then 100 + 7000 + 1048575 + 200 = 1068475
finish 'a handshake across unlike links' 12700 0 0 0 1068475
says '^  *1 MiB \*  *1.068 us'
says '^  a to b  *1 B  *7.3 ns  *137 MB/s'
says '^  b to a  *1 B  *5.3 ns'
says '^  within a  *1 B  *1.3 ns'
says '^  inside a node of a  *1 B  *301 ps'
says '^  0-1  *a  *2  *1  *1$'
says '^  2  *b  *1  *1  *-$'

# --- emu target --check
check() {
  timeout 20 "$emu" target "$@" >out 2>err
  code=$?
}
check --check target.toml fast-ethernet-64
[ $code = 0 ] && [ $(grep -c ': good: ' out) = 2 ] || { echo 'FAIL: --check'; failures=$((failures + 1)); }
echo 'speed = 1' >>target.toml
check --check target.toml
refuses 'a mistake in the file' 2 'target.toml:[0-9]*: link.speed: is an unknown key'
check --check none.toml
refuses 'no file' 2 'there is no file "none.toml"'
check
refuses 'nothing to show' 2 'a target FILE is missing'
check -n 99 fast-ethernet-64
refuses 'too many ranks' 2 '99 ranks are more than the 64 slots'
check -n x fast-ethernet-64
refuses 'no number' 2 '"x" is no number of ranks'
check --help
[ $code = 0 ] && grep -q -e '--check' out || { echo 'FAIL: --help'; failures=$((failures + 1)); }

[ $failures = 0 ]
