#!/bin/bash
# namespaces_test.sh EMU MASE MISUSE TARGET RANDOM PLAYER: a job over two nodes that share nothing but a network:
# network namespaces of this machine, joined by a link. Hydra starts its proxies by a launcher that enters the
# namespace; MPICH talks TCP. RANDOM runs random programs with PLAYER. Exit code 77 (skipped) if such a network cannot
# be made.
emu=$(realpath "$1") mase=$(realpath "$2") misuse=$(realpath "$3") target=$(realpath "$4")
random=$(realpath "$5") player=$(realpath "$6")
. "$(dirname "$0")/../../lib.bash"
skip() { echo "skipped: $*"; exit 77; }
[ "$(id -u)" = 0 ] || skip 'network namespaces need root'
command -v ip >/dev/null || skip 'ip is not installed (Debian: apt install iproute2)'

a=emu$$a b=emu$$b
clean_up() {
  for space in $a $b; do ip netns del $space 2>/dev/null; done
  rm -rf "$folder"
}
trap clean_up EXIT
trap 'exit 143' INT TERM
for space in $a $b; do ip netns add $space 2>/dev/null || skip 'there are no network namespaces here'; done
ip link add emu0 netns $a type veth peer name emu0 netns $b || skip 'veth is not there'
set_up() {  # NAMESPACE ADDRESS
  ip -n "$1" link set lo up && ip -n "$1" addr add "$2/24" dev emu0 && ip -n "$1" link set emu0 up
}
set_up $a 10.78.0.1 && set_up $b 10.78.0.2 || skip 'the link cannot be set up'
# UCX uses no device without carrier, which comes a little later.
for space in $a $b; do
  for _ in $(seq 100); do
    ip -n $space link show emu0 | grep -q 'state UP' && break
    sleep 0.05
  done
done
printf '#!/bin/sh\n[ "$1" = -x ] && shift\nspace=%s\n[ "$1" = 10.78.0.1 ] && space=%s\nshift\nexec ip netns exec $space sh -c "$*"\n' $b $a >launcher
chmod +x launcher
how="-localhost 10.78.0.1 -launcher ssh -launcher-exec $folder/launcher -genv UCX_TLS tcp,self -genv UCX_NET_DEVICES emu0"
options="-hosts 10.78.0.1:4,10.78.0.2:4 $how"

# over NODES ARGUMENTS OF emu run...
over() { ip netns exec $a timeout "$seconds" "$emu" run --mpirun "$options" "$@" >out 2>err </dev/null; }
# A copy under its own name, so that its processes can be distinguished from others.
cp "$misuse" "./misuse-$$"
misuse=$folder/misuse-$$
processes() { pgrep -x -r D,R,S,T "misuse-$$"; }  # that run it
process_of() {  # RANK
  local pid
  for pid in $(processes); do
    tr '\0' '\n' <"/proc/$pid/environ" | grep -qx "PMI_RANK=$1" && echo "$pid"
  done
}

# --- equal picoseconds
over -n 8 --target "$target" --json two.json "$mase" --size 96 --task 4 || fail "mase over two nodes: exit code $?"
"$emu" run -n 8 --target "$target" --json one.json "$mase" --size 96 --task 4 >out 2>err || fail 'mase on one node'
for key in predicted_picoseconds finish_picoseconds messages_sent; do
  [ "$(grep -c "\"$key\"" one.json)" -gt 0 ] || fail "no $key"
  diff <(grep "\"$key\"" one.json) <(grep "\"$key\"" two.json) >out || fail "$key over two nodes is not that on one"
done

# --- equal picoseconds of the random programs, with every second rank on the other node
printf '#!/bin/sh\nexec ip netns exec %s %s -hosts 10.78.0.1:1,10.78.0.2:1 %s "$@"\n' \
  $a "$(command -v mpirun.mpich mpirun | head -n 1)" "$how" >mpirun
chmod +x mpirun
timeout 120 "$random" --mpirun "$folder/mpirun" --player "$player" --programs 120 --chain 30 --seed 3301 >out 2>err ||
  fail 'random programs over two nodes'

# --- an error that ranks of both nodes find is reported once
for _ in 1 2 3; do
  over -n 8 --target "$target" "$misuse" refused && fail 'a refused function: exit code 0'
  [ "$(cat out err | grep -c 'MPI_Open_port, which is not emulated')" = 1 ] || fail 'a refused function: not said once'
done

# ends PATTERN: the job in the background ends within ten seconds, reports why, and leaves no process.
ends() {
  local begin=$SECONDS
  wait $job && fail "$1: exit code 0"
  [ $((SECONDS - begin)) -le 10 ] || fail "$1: took $((SECONDS - begin)) s to end"
  grep -q -e "$1" err out || fail "neither stderr nor stdout has: $1"
  for _ in $(seq 100); do
    [ -z "$(processes)" ] && return
    sleep 0.1
  done
  fail "$1: processes outlive it: $(processes)"
  kill -KILL $(processes)
}
start() {  # until all ranks run
  seconds=40 over -n 8 --target "$target" "$misuse" busy &
  job=$!
  for _ in $(seq 100); do
    [ "$(processes | wc -l)" = 8 ] && break
    sleep 0.1
  done
  sleep 1
}

# --- a node that dies: the process with its agent
start
kill -KILL "$(process_of 4)"
# Hydra also sees the process end, and sometimes ends the other processes first.
ends 'lost node 1 (\|EXIT CODE: 9'
if grep -q 'lost node' err; then grep -q 'ranks 4-7' err || fail 'it does not say which ranks the node had'; fi

# --- a node that disappears: no more packets from its network
start
ip -n $b link set emu0 down
ends 'lost node [01] ('
# Only the network informs Hydra's proxy there.
ip -n $b link set emu0 up
proxies() { pgrep -f "hydra_pmi_proxy.*$folder"; }
for _ in $(seq 300); do
  [ -z "$(proxies)" ] && break
  sleep 0.1
done
[ -z "$(proxies)" ] || fail "Hydra's proxies outlive it: $(proxies)"
conclude
