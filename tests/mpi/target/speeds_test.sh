#!/bin/bash
# speeds_test.sh EMU GOAL: nodes of different speed, and speeds that change.
. "$(dirname "$0")/closed_form.bash"

# --- nodes of two speeds, one task each
target <<'END'
[[node]]
count = 1
speed = 2.0
[[node]]
count = 2
speed = 0.25
END
run 3 <<'END'
0: calc 1000
1: calc 1000
2: calc 1
END
finish 'two speeds' 500 4000 4

# --- the shares of ranks of one node
target <<'END'
[[node]]
count = 2
slots = 3
speed = 2.0
speed_with = [1.0, 0.8, 0.5]
[[event]]
node = 1
at = "100ps"
speed = 0.5
END
run 5 <<'END'
0: calc 1000
1: calc 100
2: calc 1000
3: calc 1000
4: calc 160
END
finish 'speeds of ranks that share a node' 1000 100 1000 1150 100

# --- a step in the middle of a task, another at its very end, and a standstill
target <<'END'
[[node]]
count = 3
[[event]]
node = 0
at = "600ps"
until = "1400ps"
speed = 0.5
[[event]]
node = 1
at = "1000ps"
speed = 0.125
[[event]]
node = [2]
at = "999ps"
until = "5000ps"
speed = 0
END
run 3 <<'END'
0: calc 1000; calc 100
1: calc 1000
2: calc 1000
END
finish 'steps' 1500 1000 5001
path 'steps' '"compute":1000' '"waiting_for_speed_change":4001'

# --- a message between two computations: its cost has the weight of the difference of speeds before and after a change
target <<'END'
[[node]]
count = 2
[[event]]
node = 1
at = "3000ps"
until = "4000ps"
speed = 0
[[event]]
node = 1
at = "4000ps"
speed = 0.25
END
run 2 <<'END'
0: calc 500; send 1b to 1
1: recv 1b from 0; calc 1300
END
finish 'weights' 600 4400  # arrival 1600, received 1800, 1200 at once, 100 at a quarter
path 'weights' '"compute":2100' '"waiting_for_speed_change":1000' '"latency":1000' '"network.latency":4' \
  '"network.send.fixed":4' '"network.receive.fixed":4' '"node.speed":-7.2e-09'

# --- availability from a file, with SimGrid's two columns: 100 ps of work in each 150 ps from 50 ps on
cat >half.profile <<'END'
# time  availability
0.00000000005 1.0
0.0000000001 0.5    # for 100 ps
LOOPAFTER 0.0000000001
END
target <<'END'
[[node]]
count = 2
[[availability]]
nodes = 1
file = "half.profile"
END
run 2 <<'END'
0: calc 10000
1: calc 10050
END
finish 'availability' 10000 15050

# --- speed 0 without end is reported, not waited for
target <<'END'
[[node]]
count = 2
[[event]]
node = 1
at = "500ps"
speed = 0
END
run 2 <<'END'
1: calc 501
END
refuses 'starvation' 1 'starvation: rank 1 computes from 0 s on, and the speed of its node, 1, stays 0'
# --- a speed above 0 is not reported as 0
target <<'END'
[[node]]
count = 1
speed = 0.000001
END
run 1 <<'END'
0: calc 4000000000000
END
finish 'little, but enough' 4000000000000000000
run 1 <<'END'
0: calc 5000000000000
END
refuses 'too slow' 1 'the speed of its node, 0, is too low'

[ $failures = 0 ]
