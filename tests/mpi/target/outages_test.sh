#!/bin/bash
# outages_test.sh EMU GOAL: nodes that fail and recover.
. "$(dirname "$0")/closed_form.bash"

# --- a failure one picosecond before an arrival, at it, and after it; the sender sees nothing of it
# The message leaves at 100 and arrives at 1110; handled until 1310.
one_message='0: send 11b to 1
1: recv 11b from 0'
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
  grep -q 'predicted 100 ps .*; 1 rank failed with its node: 1' err || { echo 'FAIL: not reported'; failures=$((failures + 1)); }
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
refuses 'sender fails as its message leaves' 1 'failed with its node: rank 0 at 100 ps'
refuses 'the receiver waits for ever' 1 'rank 1 waits in MPI_'
fails 0 0
run 2 <<<"$one_message"
refuses 'failed from the start' 1 'deadlock'

# --- a node that comes back: it stood still, and lost messages that arrived meanwhile
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
two_messages='0: send 11b to 1 tag 1; calc 5000; send 11b to 1 tag 1
1: calc 1000; recv 11b from 0 tag 1'
comes_back 500 1111
run 2 <<<"$two_messages"
# The first is lost, so the receive gets the second: 100 + 5000 + 100 + 1000 + 10 + 200.
finish 'the next one comes through' 5200 6410

# --- cards that carry one message at a time, and a bus
# The first byte of two messages is there at 1100. The second passes from 1160 to 1220, when the node is down.
two_senders='0: send 61b to 2
1: send 61b to 2; calc 500; send 61b to 2
2: recv 61b from 0; recv 61b from 1'
for network in 'card = "serial"' 'medium = "bus"'; do
  target <<'END'
[[node]]
count = 3
[[event]]
kind = "fail"
node = 2
at = "1200ps"
until = "1300ps"
END
  run 3 <<<"$two_senders"
  # Down while it handles the first; then the second of rank 1: 100 + 500 + 100 + 1000 + 60 + 200.
  finish "$network: kept until the node is down" 100 700 1960
done
network=

# --- an error for ranks that wait for lost messages
# Lost are rank 2's only message to rank 1, and the second of three of rank 0, which its card would begin to send at
# 600.
lost_messages='0: send 501b to 1 tag 1; send 501b to 1 tag 2; calc 1000; send 1b to 1 tag 3
rank 1 {
r: recv 501b from 0 tag 1
q: recv 1b from 0 tag 3
q requires r
p: recv 501b from 0 tag 2
p requires q
o: recv 1b from 2
o requires r
}
2: calc 2000; send 1b to 1'
for nodes in 1 3; do
  for network in '' 'card = "serial"'; do
    target <<'END'
[[node]]
count = 3
[[event]]
kind = "fail"
node = 0
at = "500ps"
until = "700ps"
[[event]]
kind = "fail"
node = 1
at = "3ns"
until = "4ns"
END
    EMU_NODES=$nodes run 3 <<<"$lost_messages"
    refuses "lost, on $nodes nodes" 1 '^ *rank 1 waits in MPI_'
    refuses "lost on arrival, on $nodes nodes" 1 'lost while the node of rank 1 was down: 1 message to it, from rank 2 at 3.1 ns$'
    if [ "$network" ]; then
      refuses "lost before the card sent it, on $nodes nodes" 1 \
        'lost while the node of rank 0 was down: 1 message from it, to rank 1 at 600 ps$'
    elif grep -q 'lost while the node of rank 0' err; then
      echo 'FAIL: with a free card rank 0 sends all'
      failures=$((failures + 1))
    fi
  done
done
network=

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
refuses 'all fail' 1 'every rank failed with its node, the last one at 50 ps:'
root='on_failure = "abort"'
fails 1 1000
root=
run 2 <<<"$one_message"
refuses 'abort' 1 'rank 1 failed at 1 ns with its node, and on_failure is "abort"'

# --- the first rank in virtual time writes the message for a cause that ends many ranks
all_compute=$(printf '%d: calc 5000\n' {0..5})
of_all() {
  target <<END
[[node]]
count = 6
[[event]]
node = "all"
at = "50ps"
$1
END
}
# said_once NAME PATTERN: one rank of the job writes the message; PATTERN names it.
said_once() {
  local nodes
  for nodes in 1 1 1 3 6; do
    EMU_NODES=$nodes run 6 <<<"$all_compute"
    refuses "$1, on $nodes nodes" 1 "$2"
    [ "$(grep -c 'rank [0-5] \(failed\|computes\)' err)" = 1 ] && continue
    echo "FAIL: $1, on $nodes nodes: not said once"
    sed 's/^/  stderr: /' err
    failures=$((failures + 1))
  done
}
root='on_failure = "abort"'
of_all 'kind = "fail"'
said_once 'abort' 'rank 0 failed at 50 ps with its node, and on_failure is "abort"'
# The rank that fails first writes it, whichever rank comes to its failure first on the host.
target <<END
[[node]]
count = 6
[[event]]
node = [0, 1, 2, 3]
at = "50ps"
kind = "fail"
[[event]]
node = 5
at = "49ps"
kind = "fail"
END
said_once 'abort of the first' 'rank 5 failed at 49 ps with its node, and on_failure is "abort"'
root=
of_all 'speed = 0'
said_once 'starvation' 'starvation: rank 0 computes from 0 s on, and the speed of its node, 0, stays 0;'
# The rank that comes to it first in virtual time writes it, not the first rank.
all_compute=$(sed '/^5:/!s/calc/calc 7; &/' <<<"$all_compute")
said_once 'starvation of the first' 'starvation: rank 5 computes from 0 s on, and the speed of its node, 5, stays 0;'

[ $failures = 0 ]
