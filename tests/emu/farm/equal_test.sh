#!/bin/bash
# equal_test.sh EMU MASE LOOPS PREFETCHING CONFIG: emu farm predicts the times of emu run with the program that sends
# these messages, to the picosecond, on targets of all kinds.
emu=$(realpath "$1") mase=$(realpath "$2") loops=$(realpath "$3") prefetching=$(realpath "$4") config=$(realpath "$5")
. "$(dirname "$0")/../../lib.bash"

# network LINES: a target whose times are no round numbers, with more keys of [network].
network() {
  cat <<TOML
name = "odd"
compute = "declared"
[network]
latency = "9.137us"
gap_per_byte = "7.3ns"
$1
[network.send]
fixed = "1.003us"
per_process = "0.017us"
per_byte = "1.1ns"
[network.receive]
fixed = "1.309us"
per_process = "0.023us"
per_byte = "1.7ns"
[network.poll]
fixed = "0.7us"
TOML
}
{ network 'eager_limit = "64KiB"'; printf '[[node]]\ncount = 16\n'; } >growing.toml
{ network 'eager_limit = "1KiB"'; cat <<'TOML'; } >unequal.toml
[[node]]
name = "fast"
count = 3
speed = "1.5 spread 10%"
[[node]]
name = "slow"
count = 13
speed = 0.37
jitter = "8%"
[[event]]
node = [1, 5]
at = "1ms"
until = "30ms"
speed = 0.1
[[event]]
node = 2
at = "2ms"
until = "3ms"
speed = 0
[[load]]
nodes = "3-8"
mean = 1.7
period = "700us"
TOML
{ network 'eager_limit = "64KiB"'; printf '[[node]]\ncount = 5\nspeed = 2.1\n[[node]]\ncount = 5\nspeed = 0.7\n'; } >speeds.toml
{ network 'eager_limit = "7B"'; printf '[[node]]\ncount = 16\n'; } >handshakes.toml
{ network $'eager_limit = "9B"\nhandshake_trips = 4\ncard = "serial"\ngap = "15us"'; printf '[[node]]\ncount = 16\n'; } >serial.toml
{ network $'eager_limit = "64KiB"\ncard = "serial"'; printf '[[node]]\ncount = 16\n'; } >cards.toml
{ network $'eager_limit = "64KiB"\nmedium = "bus"'; printf '[[node]]\ncount = 16\n'; } >bus.toml
{ network $'eager_limit = "11B"\nmedium = "bus"'; printf '[[node]]\ncount = 16\n'; } >bus-handshakes.toml
{ network $'eager_limit = "64KiB"\nmedium = "grid"\ncolumns = 4'; printf '[[node]]\ncount = 16\n'; } >grid.toml
{ network $'eager_limit = "64KiB"\ncard = "serial"\n[[network.piece]]\nup_to = "11B"\nlatency = "4us"\nsend = { fixed = "2us" }'; cat <<'TOML'; } >links.toml
[placement]
policy = "cyclic"
[[node]]
name = "near"
count = 4
slots = 3
[[node]]
name = "far"
count = 3
slots = 2
[[link]]
from = "near"
to = "far"
latency = "120us"
eager_limit = "10B"
[[link]]
inside = "all"
latency = "0.5us"
gap_per_byte = "1GB/s"
[link.receive]
fixed = "0.2us"
[[event]]
link = ["near", "far"]
at = "2ms"
until = "6ms"
latency = 3.3
bandwidth = 0.2
TOML

picoseconds() { sed -n 's/.*"predicted_picoseconds": *\([0-9]*\).*/\1/p' "$1"; }

# same TARGET RANKS OPTIONS -- PROGRAM ARGUMENTS...: OPTIONS, in one word, are options of emu farm.
same() {
  local target=$1 ranks=$2 options=$3
  shift 4
  # shellcheck disable=SC2086
  expect 0 '' farm --target "$target" --ranks "$ranks" $options --json farm.json
  expect 0 '' run --target "$target" -n "$ranks" --json run.json "$@"
  [ -n "$(picoseconds run.json)" ] && [ "$(picoseconds farm.json)" = "$(picoseconds run.json)" ] ||
    fail "$target, $ranks ranks, $options: emu farm has $(picoseconds farm.json) ps, $* $(picoseconds run.json) ps"
}

fast=$config/fast-ethernet-64.toml
for target in "$fast" unequal.toml handshakes.toml serial.toml cards.toml bus-handshakes.toml grid.toml links.toml; do
  same "$target" 7 '--tasks 144 --task-seconds 0.1ms --chunk 5' -- "$mase" --size 12 --task 5 --cost-per-pixel 0.1ms
done
for target in unequal.toml serial.toml bus.toml links.toml; do
  same "$target" 6 '--tasks 100 --task-seconds 0.2ms --protocol request --rule self' -- \
    "$loops" --iterations 100 --mean 0.2ms --rule self
  same "$target" 12 '--tasks 144 --task-seconds 37us --masters 3 --chunk 2' -- \
    "$mase" --size 12 --task 2 --cost-per-pixel 37us --strategy ml --masters 3
done
for ranks in 1 16; do
  same serial.toml "$ranks" '--tasks 9 --task-seconds 0.1ms' -- "$mase" --size 3 --cost-per-pixel 0.1ms
  same growing.toml "$ranks" '--tasks 50 --task-seconds 0.1ms --protocol request --rule guided' -- \
    "$loops" --iterations 50 --mean 0.1ms --rule guided
done
for rule in static factoring trapezoid weighted adaptive mfsc af awf-b awf-c awf-d awf-e advised; do
  same speeds.toml 9 "--tasks 700 --task-seconds 33us --protocol request --rule $rule" -- \
    "$loops" --iterations 700 --mean 33us --rule $rule
done
same speeds.toml 9 "--tasks 700 --task-seconds 33us --protocol request --rule fsc --overhead 90us --deviation 20us" -- \
  "$loops" --iterations 700 --mean 33us --rule fsc --overhead 90us --deviation 20us
for ranks in 1 2 5 12; do
  same unequal.toml $ranks "--tasks 900 --task-seconds 0.1ms --protocol request --rule advised" -- \
    "$loops" --iterations 900 --mean 0.1ms --rule advised
done
same links.toml 14 '--tasks 3 --task-seconds 0.1ms --protocol request --rule advised' -- "$loops" --iterations 3 --mean 0.1ms --rule advised
for dealing in cyclic block; do
  same growing.toml 16 "--tasks 1024 --task-seconds 11us --masters 16 --dealing $dealing" -- \
    "$mase" --size 32 --cost-per-pixel 11us --strategy ml --masters 16 --dealing $dealing
done

# Uneven costs.
awk 'BEGIN { print "task,cost"; for (i = 0; i < 200; ++i) printf "%d,%dus\n", i, 10 + i * i % 97 }' >costs.csv
sed '1d; s/.*,//' costs.csv >costs
same links.toml 8 '--csv costs.csv --column cost --protocol request --rule factoring' -- "$loops" --costs costs --rule factoring

# The tasks of a recorded run, in the order in which they were dealt.
expect 0 '' run --target growing.toml -n 6 --trace trace --json run.json "$mase" --size 10 --cost-per-iteration 1us
expect 0 '' farm --target growing.toml --ranks 6 --trace trace --json farm.json
[ "$(picoseconds farm.json)" = "$(picoseconds run.json)" ] || fail 'the tasks of a recorded run take another time'
cp -r trace cut
head -c $(($(stat -c %s trace/rank.1) / 2)) trace/rank.1 >cut/rank.1
expect 0 'warning: cut/rank.1: position [0-9]*: the trace is cut off' farm --target growing.toml --ranks 6 --trace cut
expect 0 'warning: cut/rank.1: position [0-9]*: the trace is cut off' scatter --target growing.toml -n 6 --items 9 --item-bytes 1 --trace cut
expect 2 'a run on "odd", and the target is' farm --target "$fast" --ranks 6 --trace trace

# Several tasks for each slave at a time, long messages, and work of the master.
for target in growing.toml unequal.toml cards.toml; do
  same $target 5 '--tasks 90 --task-seconds 10us --prefetch 3 --chunk 4 --input-bytes 100 --result-bytes 70 --master-seconds 7us' -- \
    "$prefetching" 90 0.00001 3 4 100 70 0.000007
done
same unequal.toml 4 '--tasks 90 --task-seconds 0.1ms --prefetch 2 --chunk 4 --result-bytes 700' -- "$prefetching" 90 0.0001 2 4 0 700 0
same handshakes.toml 4 '--tasks 40 --task-seconds 0.1ms --chunk 4 --input-bytes 100' -- "$prefetching" 40 0.0001 1 4 100 4 0
conclude
