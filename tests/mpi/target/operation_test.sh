#!/bin/bash
# operation_test.sh EMU GOAL PROGRAM: the rank that applies a program's own operation in a reduction pays for the work
# in it. PROGRAM is operation.c.
program=$(realpath "$3")
. "$(dirname "$0")/closed_form.bash"

# says NAME RANKS ARGUMENTS < EXPECTED
says() {
  local name=$1 ranks=$2
  shift 2
  cat >expected
  timeout 60 "$emu" run -n "$ranks" --target target.toml --trace trace "$program" "$@" >out 2>err </dev/null
  code=$?
  sort -n out >got
  diff expected got >difference && [ $code = 0 ] && return
  echo "FAIL: $name: exit code $code; < expected > got"
  sed 's/^/  /' difference err
  failures=$((failures + 1))
}

# Speed 2 on rank 1's node: it applies the operation, of one element, in 500.5 ps, rounded to even steps of 1 ps each.
target <<'END'
[[node]]
count = 1
[[node]]
count = 1
speed = 2.0
END
# 4 bytes: rank 1's part leaves at 100, arrives at 1103, is received by 1303 and added by 2304. Then each sends the
# other its part: rank 1 from 100 on, arriving at 1203, for which rank 0 is late, at 2404 + 200 + 1001 = 3605. Rank 0's
# leaves at 2404, arrives at 3407, is received by 3607 and added by 3607 + 500 + 1.
says 'an element' 2 4 <<'END'
0: 2304 3605
1: 100 4108
END
timeout 60 "$emu" report trace --json report.json >/dev/null 2>err
# In the record it is productive time: two times 1001 on rank 0, 501 on rank 1.
grep -q '"productive": *2503\b' report.json || { echo 'FAIL: not productive in the report'; failures=$((failures + 1)); }
# Four ranks of speed 1: two levels of the tree; rank 2 has added rank 3's data by 2304, and its own part arrives at
# 2304 + 100 + 1003 = 3407. Rank 0 has added rank 1's by 2304, so it is done at 3407 + 200 + 1001 = 4608. Then in pairs
# (0, 1) and (2, 3), done at 5909, 6912, 3705 and 4708; and in pairs (0, 2) and (1, 3), each 100 + 1003 + 200 + 1001
# after the later of the two, at least 1301 after its own.
target <<'END'
[[node]]
count = 4
END
says 'a tree' 4 4 commutes <<'END'
0: 4608 7210
1: 100 8213
2: 2404 8213
3: 100 9216
END

[ $failures = 0 ]
