#!/bin/bash
# pieces_test.sh EMU GOAL: values that hold for messages of some sizes, and eager limits of links.
. "$(dirname "$0")/closed_form.bash"

pieces='[[network.piece]]
up_to = "10B"
latency = "500ps"
[[network.piece]]
up_to = "20B"
gap_per_byte = "3ps"
send = { fixed = "40ps" }
receive = { per_byte = "2ps" }'
pair='[[node]]
count = 2'

one() {
  run 2 <<<"rank 0 {
s: send ${1}b to 1
}
rank 1 {
r: recv ${1}b from 0
}"
}

target <<<"$pieces
$pair"
one 0
finish 'an empty message is in the first piece' 100 800
one 10
finish 'the last size of the first piece' 100 809  # 100 + 500 + 9 G + 200
one 11
finish 'the first size of the second piece' 40 1292  # 40 + 1000 + 10 x 3 + 200 + 11 x 2
one 20
finish 'the last size of the second piece' 40 1337
one 21
finish 'beyond the pieces' 100 1320

# The request leaves at 100, is there at 600 and answered at 900; the answer is there at 1400, and taken at 1600. These
# have the values of one byte, the data those of 20: 1600 + 40, + 1000 + 19 x 3, + 200 + 20 x 2.
sed -i 's/unlimited/15B/' target.toml
one 20
finish 'a handshake' 1640 2937

# Serial cards: the second message would be there first, but its head comes behind that of the first, at 1040. So the
# card has the first until 1097, and the second until 1106.
network='card = "serial"'
target <<<"$pieces
$pair"
run 2 <<'END'
rank 0 {
a: send 20b to 1 tag 1
b: send 10b to 1 tag 2
b irequires a
}
1: recv 10b from 0 tag 2; recv 20b from 0 tag 1
END
finish 'no overtaking on the way to a serial card' 140 1546  # 1106 + 200 + 240
network=

# A link has its own pieces as soon as it has a value of its own; otherwise the pieces of the network.
target <<END
$pieces
[[node]]
name = "a"
count = 1
[[node]]
name = "b"
count = 1
[[link]]
from = "a"
to = "b"
latency = "2000ps"
[[link.piece]]
up_to = "5B"
latency = "7000ps"
[[link]]
from = "b"
to = "a"
eager_limit = "4B"
END
one 5
finish 'a piece of a link' 100 7304
one 10
finish 'a link without the pieces of the network' 100 2309
run 2 <<'END'
1: send 5b to 0
0: recv 5b from 1
END
# From b to a the pieces of the network, by handshake. The request is there at 600, answered at 900; the answer has L =
# 7000 and is taken at 8100. The data leave at 8200: + 500 + 4 + 200.
finish "a link's eager limit" 8904 8200

# A grid pays L of the piece for each hop.
network='medium = "grid"
columns = 3'
target <<<"$pieces
[[node]]
count = 3"
run 3 <<'END'
0: send 10b to 2
2: recv 10b from 0
END
finish 'hops' 100 0 1309
network=

# A link that is twice as slow for a time: both the piece's L and G.
target <<END
$pieces
$pair
[[event]]
link = "all"
at = "0us"
until = "1s"
latency = 2.0
bandwidth = 0.5
END
one 11
finish 'a piece while the link changes' 40 2322  # 40 + 2000 + 10 x 6 + 222

target <<<"$pieces
$pair
[[network.piece]]
up_to = \"15B\""
one 1
refuses 'pieces out of order' 2 'network.piece.up_to: invalid limit: 15 B (expected more than 20 B, the limit of the preceding piece)'
target <<<"[[network.piece]]
latency = \"1us\"
$pair"
one 1
refuses 'a piece without a limit' 2 'network.piece.up_to: missing'

[ $failures = 0 ]
