#!/bin/bash
# places_test.sh EMU MPIRUN PLACES TARGET: a program finds the nodes of the target, whatever the nodes of the host are.
emu=$(realpath "$1") mpirun=$2 places=$(realpath "$3") target=$(realpath "$4")
. "$(dirname "$0")/../../lib.bash"

sed 's/^count = .*/count = 3/; s/^slots = .*/slots = 2/' "$target" >block.toml
{ cat block.toml && printf '[placement]\npolicy = "cyclic"\n'; } >cyclic.toml
declare -A right=([block]='node0:2 node0:2 node1:2 node1:2 node2:1 '
                  [cyclic]='node0:2 node1:2 node2:1 node0:2 node1:2 ')
for policy in block cyclic; do
  for nodes in 1 2 ranks; do
    EMU_NODES=$nodes expect 0 predicted run -n 5 --target $policy.toml --json $nodes.json "$places"
    [ "$(cat out)" = "${right[$policy]}" ] || fail "$policy, $nodes: $(cat out)"
    cmp <(grep picoseconds 1.json) <(grep picoseconds $nodes.json) || fail "$policy, $nodes: another time"
  done
  EMU_TARGET=$policy.toml "$mpirun" -n 5 "$places" >out 2>err
  [ "$(cat out)" = "${right[$policy]}" ] || fail "$policy, by mpirun: $(cat out)"
done
expect 1 'invalid type of communicator' run -n 2 --target block.toml "$places" other
conclude
