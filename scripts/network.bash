# A network of known latency and rate on one machine: two network namespaces, joined by a forwarder that delays every
# frame as a line would. Needs root, iproute2, and the kernel's veth. To be sourced.
# shellcheck shell=bash

# make_network FORWARDER RATE_MBIT LATENCY_US: stores the names of the namespaces in `network_a` and `network_b`,
# options of mpirun that start rank 0 in the first and all others in the second in `network_options`, and the folder of
# its files in `network_folder`. If the network cannot be made, fails and stores the reason in `network_why`. The caller
# calls remove_network at the end.
make_network() {
  local forwarder=$1 rate_mbit=$2 latency_us=$3
  [ "$(id -u)" = 0 ] || { network_why='network namespaces need root'; return 1; }
  local space
  command -v ip >/dev/null || { network_why='ip is not installed (Debian: apt install iproute2)'; return 1; }
  network_a=emu$$a network_b=emu$$b network_line=emu$$m
  network_folder=$(mktemp -d) || return 1
  for space in $network_a $network_b $network_line; do
    ip netns add $space 2>/dev/null || { network_why='there are no network namespaces here'; return 1; }
  done
  # a: emu0 -- port0 :line: port1 -- emu0 :b
  network_side $network_a port0 10.77.0.1 && network_side $network_b port1 10.77.0.2 || { network_why='veth is not there'; return 1; }
  ip netns exec $network_line "$forwarder" port0 port1 "$rate_mbit" "$latency_us" >"$network_folder/ready" &
  network_pid=$!
  disown  # the shell says nothing when it is killed
  for _ in $(seq 100); do [ -s "$network_folder/ready" ] && break; sleep 0.05; done
  # Hydra starts its proxy on host 10.77.0.2 by this, which enters the namespace.
  printf '#!/bin/sh\n[ "$1" = -x ] && shift\nspace=%s\n[ "$1" = 10.77.0.1 ] && space=%s\nshift\nexec ip netns exec $space sh -c "$*"\n' \
    $network_b $network_a >"$network_folder/launcher"
  chmod +x "$network_folder/launcher"
  network_options="-hosts 10.77.0.1:1,10.77.0.2:8 -localhost 10.77.0.1 -launcher ssh -launcher-exec $network_folder/launcher"
  network_options+=" -genv UCX_TLS tcp,self -genv UCX_NET_DEVICES emu0"
}

# One end of the network, with the variables of make_network.
network_side() {
  local space=$1 port=$2 address=$3
  ip link add emu0 netns "$space" type veth peer name "$port" netns "$network_line" || return 1
  ip -n "$space" link set lo up && ip -n "$space" link set emu0 mtu 3000 && ip -n "$network_line" link set "$port" mtu 3000 up || return 1
  ip netns exec "$space" "$forwarder" emu0 || return 1
  ip -n "$space" addr add "$address/24" dev emu0 && ip -n "$space" link set emu0 up || return 1
  # No slow start: it would take another round trip for each doubling of the size.
  ip -n "$space" route replace 10.77.0.0/24 dev emu0 scope link src "$address" initcwnd 1000 initrwnd 1000 || return 1
  echo 0 | ip netns exec "$space" tee /proc/sys/net/ipv4/tcp_slow_start_after_idle >/dev/null
  # Windows that hold the longest messages from the start on: the kernel enlarges windows at times of its own choice,
  # and if data flow in both directions, the acknowledgement of one waits behind the other on the line.
  echo 4096 8388608 8388608 | ip netns exec "$space" tee /proc/sys/net/ipv4/tcp_rmem /proc/sys/net/ipv4/tcp_wmem >/dev/null
  # BBR, the default of some hosts, derives its pace from estimates of the line, and slows down at times to probe it.
  echo reno | ip netns exec "$space" tee /proc/sys/net/ipv4/tcp_congestion_control >/dev/null
}

remove_network() {
  local space
  [ -z "${network_pid:-}" ] || kill "$network_pid" 2>/dev/null
  for space in ${network_a:-} ${network_b:-} ${network_line:-}; do
    ip netns pids $space 2>/dev/null | xargs -r kill -9 2>/dev/null
    ip netns del $space 2>/dev/null
  done
  [ -z "${network_folder:-}" ] || rm -rf "$network_folder"
}
