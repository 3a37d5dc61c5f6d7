#!/bin/bash
# calibrate_test.sh EMU CONFIG: calibration of an emulated cluster finds its numbers; wrong input is refused.
emu=$(realpath "$1") config=$(realpath "$2")
. "$(dirname "$0")/../../lib.bash"
verb=(calibrate)

# Wrong input: nothing is measured or written.
expect 2 '-o FILE is missing'
expect 2 'too few numbers: .* (expected three or more' -o x.toml --ranks 2,4
expect 2 'too few numbers: .* (expected three or more' -o x.toml --ranks 1..3
expect 2 '--ranks' -o x.toml --ranks 4..2
expect 2 'unexpected argument: "stray"' -o x.toml stray
expect 2 '/nowhere/x.toml cannot be written' -o /nowhere/x.toml
expect 2 '--measurements: nowhere: not a folder' -o x.toml --measurements nowhere
expect 2 "--measurements: the folder's name is empty" -o x.toml --measurements ''
expect 2 '--nodes: invalid number of nodes: 0' -o x.toml --nodes 0
expect 2 '--longest' -o x.toml --longest 1KiB
expect 2 '--longest' -o x.toml --longest much
expect 2 'no target of that name' -o x.toml --target nowhere
expect 2 '65 ranks are more than the 64 slots' -o x.toml --target "$config/fast-ethernet-64.toml" --ranks 2,4,65
expect 1 'ended with exit code' -o x.toml --mpirun '-surely-no-option'
[ -z "$(ls x.* 2>/dev/null)" ] || fail 'bad input writes a target'
expect 2 '--slots: invalid number of ranks of a node: "0"' -o x.toml --slots 0
expect 2 '--buffers: unknown kind: "hot" .expected warm or cold.' -o x.toml --buffers hot
expect 2 '--from: . is a directory (expected a file)' -o x.toml --from .
head -c 100 "$emu" >binary
expect 2 '--from: binary is not a text file (expected UTF-8)' -o x.toml --from binary
printf 'half\e[31m_roundtrip,1,1\n' >escapes.csv
expect 2 'escapes.csv:1: unknown kind of measurement: "half.x1b.31m_roundtrip"' -o x.toml --from escapes.csv
expect 2 '--buffers excludes --from' -o x.toml --from x.csv --buffers cold
expect 2 '--slots excludes --from' -o x.toml --from x.csv --slots 2
expect 0 '' --help

# value FILE TABLE KEY: a number of a target file, in ps (times), bytes or unchanged.
value() {
  awk -v table="[$2]" -v key="$3" '
    /^\[/ { here = $1 }
    here == table && $1 == key {
      text = $3; gsub(/"/, "", text); unit = text; sub(/^[0-9.]+/, "", unit)
      scale = unit == "us" ? 1e6 : unit == "ns" ? 1e3 : unit == "KiB" ? 1024 : unit == "Mbit/s" ? 0 : 1
      printf "%.6f\n", text * scale; exit }' "$1"
}

# same_as TARGET RANKS: calibrates the target and compares every number, within 1 %.
same_as() {
  # shellcheck disable=SC2086
  expect 0 'wrote found.toml' -o found.toml --target "$1" --ranks "$2" $buffers
  "$emu" target --check found.toml >/dev/null 2>check || fail "found.toml is not a valid target: $(cat check)"
  [ "$(head -c 4 found.png | tail -c 3)" = PNG ] || fail 'no picture'
  local table key
  for table in network network.send network.receive network.poll '[node]'; do
    for key in latency gap gap_per_byte eager_limit fixed per_process per_byte speed; do
      local truth found
      truth=$(value "$1" "$table" $key) found=$(value found.toml "$table" $key)
      [ -n "$truth" ] || continue
      awk "BEGIN { off = $found - $truth; exit !(off * off <= (0.01 * $truth) ^ 2 + 1e-9) }" ||
        fail "$1: $table.$key is $truth, found was '$found'"
    done
  done
}
buffers=''
same_as "$config/fast-ethernet-64.toml" 2,8,32
grep -q '^card = "free"' found.toml || fail 'the card'
grep -q '^# Buffers were warm' found.toml || fail 'warm buffers are not named'
same_as "$config/fast-ethernet-64-loggps.toml" 2,3,4
# A gap longer than the overheads, serial cards, other speeds, another eager limit.
sed 's/^gap = .*/gap = "55us"/; s/^gap_per_byte.*/gap_per_byte = "0.9us"/; s/"free"/"serial"/; s/"64KiB"/"5000B"\nhandshake_trips = 4/
  s/^speed = .*/speed = 2.5/; s/^latency.*/latency = "3us"/' "$config/fast-ethernet-64.toml" >other.toml
same_as other.toml 2,4,6
grep -q '^card = "serial"' found.toml || fail 'the card is not found'
[ "$(value found.toml network eager_limit)" = 5000.000000 ] || fail 'the eager limit'
[ "$(value found.toml network handshake_trips)" = 4.000000 ] || fail 'the trips of a handshake'
sed 's/"64KiB"/"unlimited"/' "$config/fast-ethernet-64.toml" >unlimited.toml
expect 0 '' -o found.toml --target unlimited.toml --ranks 2,4,6
grep -q '^eager_limit = "unlimited"' found.toml || fail 'no eager limit'

# The file names the buffers. An emulated cluster knows no caches: both kinds find the same numbers.
buffers='--buffers cold'
same_as "$config/fast-ethernet-64.toml" 2,4,6
grep -q '^# Buffers were cold.* With warm ones: send.per_byte 70800 ps, receive.per_byte 72200 ps' found.toml ||
  fail "cold buffers are not named: $(grep Buffers found.toml)"
buffers=''

# Cards that the ranks of a node share, with both directions apart, together, and at a rate of their own.
for duplex in full half 18MB/s; do
  sed "s/^card = .*/card = \"node\"\ncard_bandwidth = \"12MB\/s\"\nduplex = \"${duplex/\//\\/}\"/; s/^count = .*/count = 4/
    s/^slots = .*/slots = 4/" "$config/fast-ethernet-64.toml" >cards.toml
  expect 0 'wrote found.toml' -o found.toml --target cards.toml --ranks 2,4,8 --slots 4
  grep -q '^card = "node"' found.toml && grep -q '^slots = 4' found.toml || fail "cards of duplex $duplex are not found"
  rate=$(value found.toml network card_bandwidth)
  awk "BEGIN { off = $rate / (1e6 / 12) - 1; exit !(off * off <= 0.015 ^ 2) }" || fail "card of duplex $duplex: ${rate} ps"
  case $duplex in
    18*)
      rate=$(value found.toml network duplex)
      awk "BEGIN { off = $rate / (1e6 / 18) - 1; exit !(off * off <= 0.015 ^ 2) }" || fail "both directions: ${rate} ps"
      ;;
    *) grep -q "^duplex = \"$duplex\"" found.toml || fail "duplex $duplex is not found: $(grep ^duplex found.toml)" ;;
  esac
done
rm -f x.*
expect 1 'on 8 nodes .expected two nodes with equal numbers' -o x.toml --target "$config/fast-ethernet-64.toml" --ranks 2,4,8 --slots 4
[ -z "$(ls x.* 2>/dev/null)" ] || fail 'cards that cannot be measured leave a target'

# Invalid results are refused, and nothing is written: here the latency is 0, between machines and within one.
rm -f found.*
sed 's/^latency.*/latency = "0us"/' "$config/fast-ethernet-64.toml" >none.toml
expect 1 'invalid latency: .*send and receive overlap' -o found.toml --target none.toml --ranks 2,4,6
sed 's/^count = .*/count = 1/; s/^slots = .*/slots = 64/' none.toml >one.toml
expect 1 'invalid latency: .*-hosts a,b' -o found.toml --target one.toml --ranks 2,4,6
grep -q 'Nothing was written' err && [ ! -e found.toml ] && [ ! -e found.png ] || fail 'a refused fit is written'

conclude
