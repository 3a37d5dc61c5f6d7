#!/bin/bash
# limits_test.sh EMU GOAL: virtual time ends after 2^62 ps, 53 days. An action that would end later stops the job, and
# no number wraps around.
. "$(dirname "$0")/closed_form.bash"

# costs LATENCY G SEND RECEIVE: a target with these values in [network]; more lines on stdin.
costs() {
  cat >target.toml <<END
name = "without end"
compute = "declared"
[[node]]
count = 3
[network]
latency = "$1"
gap_per_byte = "$2"
$network
send = { fixed = "$3", per_process = "0ps", per_byte = "0ps" }
receive = { fixed = "$4", per_process = "0ps", per_byte = "0ps" }
END
  cat >>target.toml
}
# messages N BYTES: rank 0 sends N messages to rank 1, and rank 2 does nothing.
messages() {
  local i sends= receives=
  for ((i = 0; i < $1; ++i)); do
    sends+="; send ${2}b to 1 tag $i"
    receives+="; recv ${2}b from 0 tag $i"
  done
  run 3 <<<"0: ${sends:2}
1: ${receives:2}
2: calc 1"
}
# ends NAME WHO: the job ended with one message, about WHO (a basic regular expression).
ends() {
  refuses "$1" 1 "^libemu: error: $2: this action would end after 1281 h (53 days), the longest virtual time there is"
  [ "$(grep -c '^libemu: ' err)" = 1 ] || { echo "FAIL: $1: $(grep -c '^libemu: ' err) messages"; failures=$((failures + 1)); }
}
link() {
  printf '[[event]]\nlink = "all"\nat = "0s"\n%s\n' "$1"
}
eager='eager_limit = "unlimited"'

# round TRIPS: a message goes from rank 0 to rank 1, back, and so on.
round() {
  local i zero= one=
  for ((i = 0; i < $1; ++i)); do
    zero+="; $( ((i % 2)) && echo "recv 1b from 1" || echo "send 1b to 1") tag $i"
    one+="; $( ((i % 2)) && echo "send 1b to 0" || echo "recv 1b from 0") tag $i"
  done
  run 3 <<<"0: ${zero:2}
1: ${one:2}
2: calc 1"
}

# --- messages: by their latencies, by their bytes
network=$eager
costs 1h 1ps 100ps 200ps < <(link 'latency = 639.0')
round 2
finish 'two of the longest latencies' 4600800000000000600 2300400000000000400 1
round 3
ends 'latency' 'rank 0, in MPI_I*[sS]end at 1278 h'
costs 1us 1ms 100ps 200ps < <(link 'bandwidth = 0.0001')
messages 1 1048576
ends 'bytes' 'rank 0, in MPI_I*[sS]end at 100 ps'
costs 1us 1ms 100ps 200ps < <(link 'bandwidth = 0.000000001')
messages 1 1048576
ends 'bytes beyond all numbers' 'rank 0, in MPI_I*[sS]end at 100 ps'

# --- sums
costs 1us 1ps 1h 200ps </dev/null
messages 1300 1
ends 'overheads of sends' 'rank 0, in MPI_I*[sS]end at 1281 h'
costs 1us 1ps 100ps 1h </dev/null
messages 1300 1
ends 'overheads of receives' 'rank 1, in MPI_[A-Za-z]* at 1281 h'
network="$eager
gap = \"1h\""
costs 1us 1ps 100ps 200ps </dev/null
messages 1300 1
ends 'gaps' 'rank 0, in MPI_I*[sS]end at 1281 h'

# --- the cards: messages that wait for the sender's card, and for the receiver's; the bus
network="$eager
card = \"serial\""
costs 1us 1ms 100ps 200ps < <(link 'bandwidth = 0.0005')
messages 1 1048576
finish 'one message passes the card' 100 2097150000001000300 1
messages 3 1048576
ends 'a receiving card' 'rank 1, in MPI_[A-Za-z]* at .*'
messages 4 1048576
refuses 'both cards' 1 'longest virtual time there is'
network="$eager
medium = \"bus\""
costs 1us 1ms 100ps 200ps < <(link 'bandwidth = 0.0005')
messages 3 1048576
refuses 'the bus' 1 'longest virtual time there is'

# --- the handshake of a long message, whose third message is beyond the limit
network='eager_limit = "1KiB"'
costs 1h 1ps 100ps 200ps < <(link 'latency = 639.0')
messages 1 1048576
ends 'a handshake' 'rank 0, in MPI_[A-Za-z]* at .*'

# --- computing, on a node that is slow
network=$eager
costs 1us 1ps 100ps 200ps </dev/null
sed -i 's/^count = 3/&\nspeed = 0.000001/' target.toml
run 3 <<'END'
0: calc 4000000000001; calc 1000000000000
1: calc 1
2: calc 1
END
refuses 'computing' 1 'rank 0 computes from .* is too low: that takes until after 1281 h (53 days)'

[ $failures = 0 ] || { echo "$failures failures"; exit 1; }
