# A target on which times can be worked out by hand. To be sourced.
# shellcheck shell=bash

# small_target NODES COMPUTE GAP SEND RECEIVE [LINE]...: prints it: nodes alike, 50 us apart; overheads that are the same for any
# message; the lines are more keys of the nodes.
small_target() {
  cat <<TOML
name = "small"
compute = "$2"
[network]
latency = "50us"
gap_per_byte = "$3"
eager_limit = "64KiB"
[network.poll]
fixed = "1ns"
[network.send]
fixed = "$4"
per_process = "0us"
per_byte = "0us"
[network.receive]
fixed = "$5"
per_process = "0us"
per_byte = "0us"
[[node]]
count = $1
TOML
  shift 5
  printf '%s\n' "$@"
}
