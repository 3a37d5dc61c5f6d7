#!/bin/bash
# network_test.sh EMU FORWARDER: calibrates, natively, a network whose latency and rate are known: two network
# namespaces, joined by links with a token bucket and a forwarder that holds every frame for a while.
# Exit code 77 (skipped) where such a network cannot be made.
emu=$(realpath "$1") forwarder=$(realpath "$2")
latency_us=5000 rate_mbit=100
skip() { echo "skipped: $*"; exit 77; }
[ "$(id -u)" = 0 ] || skip 'network namespaces need root'
for tool in ip tc; do command -v $tool >/dev/null || skip "$tool is not installed (Debian: apt install iproute2)"; done

a=emu$$a b=emu$$b line=emu$$m
folder=$(mktemp -d) || exit 1
clean_up() {
  [ -z "${pid:-}" ] || kill "$pid" 2>/dev/null
  for space in $a $b $line; do ip netns del $space 2>/dev/null; done
  rm -rf "$folder"
}
trap clean_up EXIT
trap 'exit 143' INT TERM
for space in $a $b $line; do ip netns add $space 2>/dev/null || skip 'there are no network namespaces here'; done
cd "$folder" || exit 1

# a: emu0 -- port0 :line: port1 -- emu0 :b
side() {
  local space=$1 port=$2 address=$3
  ip link add emu0 netns "$space" type veth peer name "$port" netns $line || return 1
  ip -n "$space" link set lo up && ip -n "$space" link set emu0 mtu 3000 && ip -n $line link set "$port" mtu 3000 up || return 1
  ip netns exec "$space" "$forwarder" emu0 || return 1
  ip -n "$space" addr add "$address/24" dev emu0 && ip -n "$space" link set emu0 up || return 1
  tc -n "$space" qdisc add dev emu0 root tbf rate ${rate_mbit}mbit burst 6200 limit 8mb || return 1
  # No slow start: it would take a round trip more for each doubling of the size.
  ip -n "$space" route replace 10.77.0.0/24 dev emu0 scope link src "$address" initcwnd 1000 initrwnd 1000 || return 1
  echo 0 | ip netns exec "$space" tee /proc/sys/net/ipv4/tcp_slow_start_after_idle >/dev/null
}
side $a port0 10.77.0.1 && side $b port1 10.77.0.2 || skip 'veth or tbf is not there'
ip netns exec $line "$forwarder" port0 port1 $latency_us >ready &
pid=$!
for _ in $(seq 100); do [ -s ready ] && break; sleep 0.05; done

# Hydra starts its proxy on host 10.77.0.2 by this, which enters the namespace.
printf '#!/bin/sh\n[ "$1" = -x ] && shift\nspace=%s\n[ "$1" = 10.77.0.1 ] && space=%s\nshift\nexec ip netns exec $space sh -c "$*"\n' $b $a >launcher
chmod +x launcher
options="-hosts 10.77.0.1:1,10.77.0.2:8 -localhost 10.77.0.1 -launcher ssh -launcher-exec $folder/launcher"
options+=" -genv UCX_TLS tcp,self -genv UCX_NET_DEVICES emu0"
ip netns exec $a timeout 90 "$emu" calibrate -o found.toml --ranks 2,3,4 --quick --longest 256KiB \
  --measurements . --mpirun "$options" >out 2>err
code=$?
cat out err
[ $code = 0 ] || { echo "FAIL: emu calibrate ended with exit code $code"; exit 1; }

# within WHAT TRUTH SHARE: what the file has for WHAT.
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
