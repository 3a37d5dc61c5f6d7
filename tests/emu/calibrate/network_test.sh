#!/bin/bash
# network_test.sh EMU FORWARDER: calibrates, natively, a network of known latency and rate: two network namespaces,
# joined by a forwarder that delays every frame as a line would. Exit code 77 (skipped) if such a network cannot be
# made.
emu=$(realpath "$1") forwarder=$(realpath "$2")
latency_us=5000 rate_mbit=100
trap remove_network EXIT
trap 'exit 143' INT TERM
. "$(dirname "$0")/../../../scripts/network.bash"
make_network "$forwarder" $rate_mbit $latency_us || { echo "skipped: $network_why"; exit 77; }
cd "$network_folder" || exit 1
ip netns exec $network_a timeout 90 "$emu" calibrate -o found.toml --ranks 2,3,4 --quick --longest 256KiB \
  --measurements . --mpirun "$network_options" >out 2>err
code=$?
cat out err
[ $code = 0 ] || { echo "FAIL: emu calibrate ended with exit code $code"; exit 1; }

# within WHAT TRUTH SHARE: compares the value of WHAT in the file.
within() {
  local found
  found=$(sed -nE "s/^$1 = \"([0-9.]+).*/\\1/p" found.toml | head -n 1)
  awk "BEGIN { off = $found / $2 - 1; printf \"$1: %.6g, set %.6g, %.2f %% off\\n\", $found, $2, 100 * off
    exit !(off < $3 && off > -$3) }" || { echo "FAIL: $1"; failed=1; }
}
failed=0
within latency $latency_us 0.10
within gap_per_byte "$((8 * 1000000 / rate_mbit))" 0.05
exit $failed
