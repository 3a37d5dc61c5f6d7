#!/bin/bash
# golden_test.sh EMU PHASES PROGRAM MASE CONFIG EXPECTED: the output of the verbs of emu for small programs equals the
# folder EXPECTED. Compute is declared, so only the duration of a run depends on the machine.
. "$(dirname "$0")/../../golden.sh"
emu=$(realpath "$1") phases=$(realpath "$2") program=$(realpath "$3") mase=$(realpath "$4") config=$(realpath "$5")
expected=$(realpath "$6")
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
unset EMU_LOG EMU_TARGET EMU_TRACE EMU_JITTER
ln -s "$phases" phases && ln -s "$program" program && ln -s "$mase" mase && ln -s "$config" config
failures=0
# In an incomplete build, --accept would store the messages about missing programs.
for file in phases program mase config; do
  [ -e $file ] || { echo "FAIL: $file is missing"; exit 1; }
done

fail() {
  echo "FAIL: $*"
  failures=$((failures + 1))
}

# kept NAME ARGUMENTS...: compares emu's output on both streams, and its exit code, with EXPECTED/NAME.txt.
kept() {
  local name=$1
  shift
  timeout 100 "$emu" "$@" >"$name.out" 2>"$name.err" </dev/null
  echo "exit code $?" >>"$name.err"
  build=$(dirname "$(dirname "$(dirname "$emu")")")
  {
    echo "\$ emu $*"
    cat "$name.out"
    echo '--- stderr'
    cat "$name.err"
  } | sed -E "s|$build|BUILD|g; s|$folder|HERE|g; s|$config|CONFIG|g; s|; [0-9.]+ [mun]?s here|; TIME here|" >"$name.txt"
  same "$expected/$name.txt" "$name.txt"
}
# Removes causes of the critical path that take no time from the second file if the first
# file does not name them, so that a new cause changes only runs in which it occurs.
known_causes() {
  awk -F'"' '
    FNR == NR { known[$2]; next }
    /"(causes|picoseconds)": {/ { inside = 1 }
    /}/ { inside = 0 }
    inside && /^ *"[a-z_]*": 0,?$/ && !($2 in known) { if (!/,$/) sub(/,$/, "", line); next }
    FNR > 1 { print line }
    { line = $0 }
    END { print line }' "$1" "$2"
}
# file NAME: also compares the file NAME.
file() {
  sed -E 's/("host_seconds": )[0-9.e+-]+/\1TIME/' "$1" >"$1.all"
  if [ -e "$expected/$1" ]; then known_causes "$expected/$1" "$1.all"; else cat "$1.all"; fi >"$1.masked"
  same "$expected/$1" "$1.masked"
}

fast=config/fast-ethernet-64.toml
kept run run -n 4 --target $fast --json run.json --trace program.trace ./program 12 500
file run.json
kept run-phases run -n 2 --target $fast --trace phases.trace ./phases
kept run-masters run -n 12 --target $fast --trace mase.trace ./mase --size 16 --cost-per-pixel 300us --strategy dy

kept report report program.trace --json report.json --tasks tasks.csv
file report.json
file tasks.csv
kept report-phases report phases.trace --json report-phases.json
file report-phases.json
kept report-masters report mase.trace

kept trace trace program.trace --perfetto perfetto.json
file perfetto.json

kept target target $fast
cat >uneven.toml <<'END'
name = "uneven"
compute = "declared"
on_failure = "error"
[network]
latency = "10us"
gap_per_byte = "1ns"
eager_limit = "4KiB"
card = "serial"
[network.send]
fixed = "1us"
per_process = "10ns"
per_byte = "0.1ns"
[network.receive]
fixed = "2us"
per_process = "10ns"
per_byte = "0.1ns"
[[node]]
name = "fast"
count = 2
slots = 2
speed = 2.0
[[node]]
name = "slow"
count = 3
[[link]]
inside = "fast"
latency = "1us"
[placement]
policy = "cyclic"
[[event]]
at = "1s"
node = 1
speed = 0.5
[[event]]
kind = "fail"
at = "2s"
until = "2.5s"
node = [0, 1, 3]
[[event]]
kind = "fail"
at = "10s"
node = 2
[[event]]
link = ["fast", "slow"]
at = "2s"
until = "5s"
latency = 4
bandwidth = 0.5
[[event]]
link = "all"
at = "5s"
until = "6s"
bandwidth = 0.25
END
kept target-uneven target uneven.toml
sed 's/10us/fast/; s/-1/x/; s/count = 3/count = 0/' uneven.toml >wrong.toml
kept target-wrong target --check wrong.toml $fast
kept check check ./program

[ $failures = 0 ] || { echo "$failures failures"; exit 1; }
