#!/bin/bash
# strangers_test.sh EMU MASE TARGET STRANGERS: a job over four nodes of this machine, at each of whose agents 200
# strangers are the first to connect (strangers.c). It starts, and its output equals the output without them, to the
# picosecond. Agents listen for other nodes of this machine on the loopback only, and the last node's agent does not
# listen at all.
emu=$(realpath "$1") mase=$(realpath "$2") target=$(realpath "$3") strangers=$(realpath "$4")
. "$(dirname "$0")/../../lib.bash"
export EMU_NODES=4 STRANGERS=$folder/addresses

run() {  # NAME OPTIONS OF mpirun
  timeout 60 "$emu" run -n 8 --target "$target" --mpirun "$2" --json "$1.json" "$mase" --size 64 --cost-per-pixel 795us \
    >"$1" 2>err </dev/null
}
touch out err
run quiet '' || fail "without strangers: exit code $?"
[ ! -e addresses ] || fail 'there were strangers'
# Strangers do not delay the start, which would fail if each took a fiftieth of the ten seconds of the time limit.
run besieged "-genv LD_PRELOAD $strangers" || fail "with strangers: exit code $?"
[ "$(sort -u addresses)" = 127.0.0.1 ] || fail "agents listen on: $(sort -u addresses | tr '\n' ' ')"
[ "$(grep -c . addresses)" = 3 ] || fail "$(grep -c . addresses) agents listen, not 3"
cmp quiet besieged || fail 'the program says something else'
for key in predicted_picoseconds finish_picoseconds messages_sent; do
  [ "$(grep -c "\"$key\"" quiet.json)" -gt 0 ] || fail "no $key"
  cmp <(grep "\"$key\"" quiet.json) <(grep "\"$key\"" besieged.json) || fail "$key is not that without strangers"
done
conclude
