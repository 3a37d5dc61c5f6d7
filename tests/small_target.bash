# A target for computations of times by hand. To be sourced.
# shellcheck shell=bash

# small_target NODES COMPUTE LATENCY GAP SEND RECEIVE [LINE]...: prints the target. Nodes are alike, and overheads are
# equal for all messages; the lines are more keys of the nodes, and other tables.
small_target() {
  cat <<TOML
name = "small"
compute = "$2"
[network]
latency = "$3"
gap_per_byte = "$4"
eager_limit = "64KiB"
[network.poll]
fixed = "1ns"
[network.send]
fixed = "$5"
per_process = "0us"
per_byte = "0us"
[network.receive]
fixed = "$6"
per_process = "0us"
per_byte = "0us"
[[node]]
count = $1
TOML
  shift 6
  printf '%s\n' "$@"
}
