#!/bin/bash
# links_test.sh EMU GOAL: links of their own, networks that are no switch or that change.
. "$(dirname "$0")/closed_form.bash"

# --- links: 1 ps inside a node, 5000 ps between the groups, 1000 ps between nodes of a group
target <<'END'
[[node]]
name = "a"
count = 2
slots = 2
[[node]]
name = "b"
count = 1
[[link]]
inside = "a"
latency = "1ps"
gap_per_byte = "0ps"
[[link]]
from = "a"
to = "b"
latency = "5000ps"
END
chain='0: send 11b to 1
1: recv 11b from 0; send 11b to 2
2: recv 11b from 1; send 11b to 3
3: recv 11b from 2'
run 4 <<<"$chain"
# Nodes 0 0 1 1: o_s 100, L 1, o_r 200 = 301; o_s 100, L 1000, 10 G, o_r 200 = 1611 at rank 2; 1912 at rank 3.
finish 'inside a node' 100 401 1711 1912
cat >>target.toml <<'END'
[placement]
policy = [0, 2, 1, 1]
END
run 4 <<<"$chain"
# To node 2 and back: 100 + 5000 + 10 + 200 = 5310, and again.
finish 'between groups' 100 5410 10720 10921

# --- a bus with two senders: both heads are there at 1100, the first occupies it to 1200, the second to 1300
network='medium = "bus"'
target <<'END'
[[node]]
count = 4
END
run 4 <<'END'
0: send 101b to 2
1: send 101b to 3
2: recv 101b from 0
3: recv 101b from 1
END
finish 'a bus with two senders' 100 100 1400 1500
# The first has left at 100 and occupies the bus from 1100 to 2100, although it is not for rank 2.
run 3 <<'END'
0: send 1001b to 1
1: recv 1001b from 0
2: calc 500; send 1b to 1 tag 3
END
finish 'who does not receive' 100 2300 600
network=

# --- a grid of 3 x 3: from node 0 to node 8 it is 4 hops, to node 1 one
network='medium = "grid"
columns = 3'
target <<'END'
[[node]]
count = 9
END
run 9 <<'END'
0: send 11b to 8; send 11b to 1
1: recv 11b from 0
8: recv 11b from 0
END
finish 'a grid' 200 1410 0 0 0 0 0 0 4310
network=

# --- a link four times slower from 100 ps on, and with half of its bandwidth from 200 ps on
target <<'END'
[[node]]
count = 2
[[event]]
link = "all"
at = "100ps"
until = "200ps"
latency = 4.0
[[event]]
link = "all"
at = "200ps"
bandwidth = 0.5
END
run 2 <<'END'
0: send 11b to 1; send 11b to 1
1: recv 11b from 0; recv 11b from 0
END
# Leaves at 100: 100 + 4000 + 10 + 200 = 4310. The other at 200: 200 + 1000 + 20, earlier, but received second.
finish 'a link that changes' 200 4510

# --- an answer does not wait for the bytes that its card is sending: rank 0 has 10000 under way to rank 2, until 10100
network='card = "serial"'
target <<'END'
[[node]]
count = 3
END
sed -i 's/unlimited/20000B/' target.toml
run 3 <<'END'
rank 0 {
s: send 10001b to 2
r: recv 30001b from 1
r irequires s
}
1: send 30001b to 0
2: recv 10001b from 0
END
# The request is there at 1100, answered at 1400; the answer is there at 2400. The data leave at 2400 + 200 + 100.
finish 'an answer on a busy card' 33900 2700 11300
network=

[ $failures = 0 ]
