#!/bin/bash
# reductions_test.sh EMU GOAL PROGRAM: predefined reductions, copies and temporary memory in collectives have the costs of
# the target. PROGRAM is reductions.c.
program=$(realpath "$3")
. "$(dirname "$0")/closed_form.bash"

# says NAME RANKS BYTES ALLREDUCE ALLGATHER: picoseconds, equal on all ranks.
says() {
  timeout 60 "$emu" run -n "$2" --target target.toml --json run.json "$program" "$3" >out 2>err </dev/null
  code=$?
  local got=$(sort -u -k2,3 out | cut -d' ' -f2,3)
  [ $code = 0 ] && [ "$got" = "$4 $5" ] && return
  echo "FAIL: $1: exit code $code, $got in place of $4 $5"
  sed 's/^/  /' err
  failures=$((failures + 1))
}

# With k bytes a message takes 100 + 1000 + (k - 1) + 200 ps. A reduced byte costs 3 ps, a copied one 5 ps.
network='reduce_per_byte = "3ps"
copy_per_byte = "5ps"'
targets() {
  target <<END
[collectives]
allreduce = "$1"
allgather = "ring"
[[node]]
count = 8
END
}
# A ring of 4: the vector is copied once; six exchanges of a quarter, three of which are reduced. The gather: the own
# block is copied, and three exchanges of a block.
targets ring
says 'ring of 4' 4 400 $((5 * 400 + 6 * (1300 + 99) + 3 * 3 * 100)) $((5 * 400 + 3 * (1300 + 399)))
# Recursive doubling of 8: copied once, three exchanges of the whole vector, all reduced.
targets recursive-doubling
says 'recursive doubling of 8' 8 400 $((5 * 400 + 3 * (1300 + 399 + 3 * 400))) $((5 * 400 + 7 * (1300 + 399)))
# The critical path has the numbers of bytes: 3 x 400 reduced, and the copies of both operations.
for word in '"network.reduce_per_byte":1200' '"network.copy_per_byte":800'; do
  sed -n '/"derivatives"/,/}/p' run.json | tr -d ' ,' | grep -qxF "$word" || {
    echo "FAIL: the derivatives lack $word"
    grep -A20 '"derivatives"' run.json
    failures=$((failures + 1))
  }
done
# Recursive doubling receives the whole vector of another rank beside its own; a ring receives a quarter of it.
for case in '400B 2800' '401B 0'; do
  network="temporary_per_byte = \"7ps\"
temporary_from = \"${case% *}\""
  targets recursive-doubling
  says "temporary memory from ${case% *}" 8 400 $((${case#* } + 3 * (1300 + 399))) $((7 * (1300 + 399)))
  sed -n '/"derivatives"/,/}/p' run.json | tr -d ' ,' | grep -qxF '"network.temporary_per_byte":400' ||
    [ "${case#* }" = 0 ] || { echo 'FAIL: the derivative by temporary memory'; failures=$((failures + 1)); }
done
network='temporary_per_byte = "7ps"
temporary_from = "101B"'
targets ring
says 'temporary memory of a ring of 4' 4 400 $((6 * (1300 + 99))) $((3 * (1300 + 399)))
# Rabenseifner's algorithm uses half of the vector that a library allocates, in units of 16 bytes.
network='temporary_per_byte = "7ps"
temporary_from = "400B"'
targets rabenseifner
says 'temporary memory of halving among 4' 4 400 $((7 * 208 + 2 * (1300 + 199) + 2 * (1300 + 99))) \
  $((3 * (1300 + 399)))
network=
targets ring
says 'free without the keys' 4 400 $((6 * (1300 + 99))) $((3 * (1300 + 399)))

[ $failures = 0 ]
