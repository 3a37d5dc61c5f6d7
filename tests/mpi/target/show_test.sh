#!/bin/bash
# show_test.sh EMU GOAL: emu target prints the actual durations of messages.
. "$(dirname "$0")/closed_form.bash"

# --- emu target prints the actual durations of messages
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
node = [1, 0]
at = "1s"
until = "3s"
speed = 0.25
[[load]]
nodes = "b"
mean = 0.5
period = "100ms"
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
0: send 1048576b to 4
4: recv 1048576b from 0
END
# 100 + 7000 + 200 + 100 + 5000 + 200, then 100 + 7000 + 1048575 + 200 = 1068475
finish 'a handshake across unlike links' 12700 0 0 0 1068475
says '^  *1 MiB \*  *1.068 us'
says '^  a to b  *1 B  *7.3 ns  *137 MB/s'
says '^  b to a  *1 B  *5.3 ns'
says '^  within a  *1 B  *1.3 ns'
says '^  inside a node of a  *1 B  *301 ps'
says '^  0-1  *a  *2  *1  *0-1$'
says '^  2  *b  *1  *1  *2$'
says '^  1 s  *3 s  *speed x 0.25: nodes 0-1$'
says '^  0 s  *the end  *random load, 0.5 on average, another each 100 ms: node 2$'

# --- emu target --check
check() {
  timeout 20 "$emu" target "$@" >out 2>err
  code=$?
}
check --check target.toml fast-ethernet-64
[ $code = 0 ] && [ $(grep -c ': good: ' out) = 2 ] || { echo 'FAIL: --check'; failures=$((failures + 1)); }
echo 'speed = 1' >>target.toml
check --check target.toml
refuses 'a mistake in the file' 2 'target.toml:[0-9]*: link.speed: unknown key'
check --check none.toml
refuses 'no file' 2 'no such file: "none.toml"'
check
refuses 'nothing to show' 2 'a target FILE is missing'
check -n 99 fast-ethernet-64
refuses 'too many ranks' 2 '99 ranks are more than the 64 slots'
check -n x fast-ethernet-64
refuses 'no number' 2 'invalid number of ranks: x (expected 1 or more)'
check --help
[ $code = 0 ] && grep -q -e '--check' out || { echo 'FAIL: --help'; failures=$((failures + 1)); }

# --- a target on which no program could run to its end causes a warning
warns() {  # NAME LINES: the whole of what is said on stderr
  [ $code = 0 ] && grep -q ': good: ' out && [ "$(sed 's|^emu: warning: [^ ]*target.toml: ||' err)" = "$2" ] && return
  echo "FAIL: $1: exit code $code, or stderr is not: $2"
  sed 's/^/  stderr: /' err
  failures=$((failures + 1))
}
ends() {
  target <<END
[[node]]
count = 4
[[event]]
kind = "fail"
node = [0, 2, 3]
at = "2s"
[[event]]
$1
END
}
ends 'node = 1
kind = "fail"
at = "2.5s"'
check --check target.toml
warns 'all fail' 'every node that has a rank fails for good, the last one at 2.5 s: of a program that is not over by then nothing is left to predict'
check --check -n 1 target.toml
warns 'the only one fails' 'every node that has a rank fails for good, the last one at 2 s: of a program that is not over by then nothing is left to predict'
ends 'node = 1
speed = 0
at = "3s"'
check --check target.toml
warns 'stays 0' 'from 3 s on the speed of node 1 stays 0: a rank there that still computes then ends the run, as starved; end the event with speed 0, or write kind = "fail"'
check target.toml
grep -q 'warning: .*the speed of node 1 stays 0' err || { echo 'FAIL: no warning beside the table'; failures=$((failures + 1)); }
ends 'node = 1
kind = "fail"
at = "3s"
until = "5s"'
check --check target.toml
warns 'one recovers' ''

# --- as many nodes as a target can have: at once
{ sed '/^\[\[node/,$d' target.toml; printf '[[node]]\ncount = 1000000\n'; } >large.toml
timeout 20 "$emu" target large.toml >table 2>err || { echo 'FAIL: a large target'; failures=$((failures + 1)); }
says 'ranks: up to 1000000'

# --- in a grid of two columns, between the first nodes of two groups
network='medium = "grid"
columns = 2'
target <<'END'
[[node]]
name = "a"
count = 3
[[node]]
name = "b"
count = 1
END
network=
timeout 20 "$emu" target target.toml >table 2>err
says '^  within a, 1 hop  *1 B  *1.3 ns'
says '^  a - b, 2 hops  *1 B  *2.3 ns'

# --- values that have an interval, also in a script
! grep -q 'interval' table || { echo 'FAIL: a target without intervals has some'; failures=$((failures + 1)); }
target <<'END'
[[node]]
count = 2
speed = "1.25 +- 2%"
END
sed -i 's/"1000ps"/"50us +- 0.6us"/; s/"1ps"/"100ps +- 0.5ps"/; s/"200ps"/"200ps +- 300ps"/' target.toml
timeout 20 "$emu" target target.toml >table 2>err
says '^  network.latency  *50 us  *+- 600 ns (1.2 %)$'
says '^  network.gap_per_byte  *100 ps/B  *+- 0.5 ps/B (0.5 %)$'
says '^  network.receive.fixed  *200 ps  *+- 300 ps (150 %)$'
says '^  node.speed  *1.25  *+- 0.025 (2 %)$'
! grep -q 'network.send' table || { echo 'FAIL: an exact value has an interval'; failures=$((failures + 1)); }
timeout 20 "$emu" target -n 2 --json - target.toml >table 2>err
python3 - <<'END' || failures=$((failures + 1))
import json
read = json.load(open("table"))
assert read["ranks"] == 2 and read["compute"] == "declared", read
values = {v["key"]: v for v in read["values"]}
def near(a, b): return abs(a - b) <= 1e-12 * abs(b)
latency = values["network.latency"]
assert near(latency["value"], 50e-6) and near(latency["half_width"], 0.6e-6) and latency["unit"] == "s", latency
gap = values["network.gap_per_byte"]
assert near(gap["value"], 100e-12) and near(gap["half_width"], 0.5e-12) and gap["unit"] == "s/B", gap
assert near(values["node.speed"]["half_width"], 0.025), values
assert "half_width" not in values["network.send.fixed"], values
END
timeout 20 "$emu" target --json - target.toml target.toml >table 2>err && { echo 'FAIL: --json of two'; failures=$((failures + 1)); }

# --- receivers read messages above 100 KiB
network='rendezvous = "get"
put_limit = "100KiB"'
target <<'END'
[[node]]
count = 2
END
sed -i 's/"unlimited"/"1000B"/' target.toml
network=
timeout 20 "$emu" target target.toml >table 2>err
says 'receivers read messages above 100 KiB'
says ' 64 KiB \*  '
says ' 1 MiB \* get  '
run 2 <<'END'
0: send 102400b to 1; send 102401b to 1
1: recv 102400b from 0; recv 102401b from 0
END
# Sent: request 100 + 1000, answer 200 + 100 + 1000, data 200 + 100 + 1000 + 102399 + 200: 106299, and the sender is done
# at 2700. Read, from 106299 on: 200 + 100, request to read 1000, data 1000 + 102400, 200, acknowledgement 100 + 1000 +
# 200 for the sender.
finish 'a message that is sent, and one that is read' 212499 211299

[ $failures = 0 ]
