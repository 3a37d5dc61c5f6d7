#!/bin/bash
# noticed_test.sh EMU PROGRAM: reports of operations about a failed rank, and their instants, compared with closed
# forms. PROGRAM is noticed.c: ranks 0 and 1 meet the failure of rank 2 at 5000 ps. L = 1000 ps, so they know of it from
# 6000 ps on; o_s = 100 ps, o_r = 200 ps, G = 1 ps, S = 100 bytes, a poll 1000 ps.
emu=$(realpath "$1") program=$(realpath "$2")
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
unset EMU_LOG EMU_TARGET
failures=0

# target ON_FAILURE: a target on which rank 2's node fails.
target() {
  cat >target.toml <<END
name = "closed form"
compute = "declared"
on_failure = "$1"
[network]
latency = "1000ps"
gap_per_byte = "1ps"
eager_limit = "100B"
send = { fixed = "100ps", per_process = "0ps", per_byte = "0ps" }
receive = { fixed = "200ps", per_process = "0ps", per_byte = "0ps" }
poll = { fixed = "1000ps" }
[[node]]
count = 3
[[event]]
kind = "fail"
node = 2
at = "5000ps"
END
}

# says CASE [JITTER] < EXPECTED: compares the output of the remaining ranks.
says() {
  cat >expected
  EMU_JITTER=$2 timeout 60 "$emu" run -n "${ranks:-3}" --target target.toml "$program" "$1" >out 2>err </dev/null
  local code=$?
  sort -s -n out >got
  diff expected got >difference && [ $code = 0 ] && return
  echo "FAIL: $1: exit code $code; < expected > got"
  sed 's/^/  /' difference err
  failures=$((failures + 1))
}

target error
# Rank 2's last message leaves at 4999 and is under way when rank 0 learns of the failure: 4999 + 1000 + 10 + 200.
says receives <<'END'
0: under way success 6209
0: none left failed 6209
1: waits failed 6000
1: knows failed 7000
END
# A send to a rank that is known to have failed costs nothing.
says sends <<'END'
0: not known yet success 6099
0: known failed 6099
0: known, long failed 6099
1: not answered failed 6000
END
# Rank 2's answer leaves at 4690 + 300, arrives at 5990; c_r = 200, o_s = 100. No data comes after it.
says answered <<'END'
0: none failed 6000
1: answered success 6290
1: known failed 6290
END
# Rank 1's messages arrive at 3000 + 100 + 1010 and at 8100 + 100 + 1010.
says any-source <<'END'
0: before success 4310
0: in doubt failed 6000
0: kept pending 6000
0: acknowledged 0: -1
0: acknowledged 1: 2
0: goes on success 9410
1: one success 3100
1: two success 8200
END
says probes <<'END'
0: iprobe failed 6000
0: probe failed 6000
0: of any failed 6000
1: of any failed 6000
END
# All of these operations are waited for; the receive in doubt remains. Rank 1 tests at 7100; rank 0's message leaves at
# 8410.
says several 200 <<'END'
0: all in-status 8310
0: failed null
0: success null
0: pending kept
0: one success 8410
1: one success 7100
1: test failed 7100
1: index 0
1: some success 9620
1: count 1 index 1
END
# A barrier of three takes 2 (100 + 1000 + 200). Rank 1 sends to rank 0 from 6000 to 7319, and
# gets the answer from 7319 to 8638; an allreduce of 8 bytes of two costs 100 + 1000 + 7 + 200;
# to shrink, two exchanges of 32 bytes, 100 + 1000 + 31 + 200 each; then an allreduce of 4 bytes.
says collectives <<'END'
0: barrier success 2600
0: allreduce failed 6000
0: again failed 6000
0: dup failed 6000
0: agree failed 9945
0: flag 2
0: agree success 12883
0: shrink success 16145
0: handler kept
0: allreduce success 18479
0: size 2 sum 2
1: barrier success 2600
1: allreduce failed 6000
1: again failed 6000
1: dup failed 6000
1: agree failed 8938
1: flag 2
1: agree success 11876
1: shrink success 17176
1: handler kept
1: allreduce success 17476
1: size 2 sum 2
END
cp got same && says collectives 300 <same && EMU_NODES=3 says collectives <same
says making <<'END'
0: dup failed 6000
0: split failed 6000
1: dup failed 6000
1: split failed 6200
END
says handlers <<'END'
0: handler kept
0: handler of 3 members
0: handler failed 6050
0: receive failed 6050
1: handler kept
1: handler of 3 members
1: handler failed 6050
1: wait failed 6050
END

# Rank 0 has the message of 7110 before the answer of 8300 + 1000.
says exchange <<'END'
0: both success 9600
1: one success 6100
1: other success 10999
END
# Rank 1 answers the request of 7100 from 8000 on; its answer arrives at 9300. Its data are there at 9600 + 1199.
says behind <<'END'
0: receive pending 6000
0: barrier failed 6000
0: both pending 9600
0: both success 12309
0: receive success 12509
0: known failed 12509
1: barrier failed 6000
1: long success 10999
1: one success 11099
1: known failed 11199
END
# A cancel is a test, whose false answer costs a poll.
says cancels <<'END'
0: in doubt pending 6000
0: get_status pending 6000
0: cancel success 7000
0: cancelled success 7000
0: flag 1
0: cancel success 7000
0: get_status failed 7000
0: not cancelled failed 7000
END
says detach <<'END'
0: buffered success 100
0: detach success 6000
END
# Rank 0 answers from 5900 on, up to 6100; the data leave rank 1 at 7100 + 200 and arrive at 8499.
sed -i 's/^send.*/send = { fixed = "0ps", per_process = "0ps", per_byte = "0ps" }/' target.toml
says late-choice <<'END'
0: in doubt pending 6100
0: chosen success 6300
0: all success 8699
1: sent success 7300
END

# Without latency a failure is known a picosecond later, so that a rank that waits for one does not block another.
target error
sed -i 's/^latency.*/latency = "0ps"/; s/^count.*/count = 4/' target.toml
printf '[[event]]\nkind = "fail"\nnode = 3\nat = "5000ps"\n' >>target.toml
for nodes in 1 2 4; do
  EMU_NODES=$nodes ranks=4 says crossing <<'END'
0: waits failed 5001
1: waits failed 5001
END
done
# The agreement of two costs 1307 ps, as above.
target error
sed -i 's/^count.*/count = 4/' target.toml
printf '[[event]]\nkind = "fail"\nnode = 3\nat = "100000ps"\n' >>target.toml
ranks=4 says polls <<'END'
0: all in-status 101000
0: agree failed 104026
1: agree failed 103019
END

# Rank 2 fails while all others are in an operation between two groups, and they know of it from 101000 on. If the
# groups do not know each other, rank 3 tells rank 0, whose message has come before: 100 + 1003 + 200; rank 0 tells
# rank 1. In an intercommunicator each rank knows that rank 2 is a member.
target error
sed -i 's/^count.*/count = 4/; s/5000ps/100000ps/' target.toml
for nodes in 1 2 4; do
  EMU_NODES=$nodes ranks=4 says connects <<'END'
0: create failed 102403
0: dup failed 102403
1: create failed 103606
1: dup failed 103606
3: create failed 101300
3: dup failed 101300
END
  EMU_NODES=$nodes ranks=4 says copies-connected <<'END'
0: dup failed 101000
1: dup failed 101000
3: dup failed 101000
END
  EMU_NODES=$nodes ranks=4 says merges <<'END'
0: merge failed 101000
1: merge failed 101000
3: merge failed 101000
END
done

# Rank 2 fails while all ranks send each other the edges of a graph.
target error
sed -i 's/5000ps/19000ps/' target.toml
for nodes in 1 3; do
  EMU_NODES=$nodes says graphs <<'END'
0: graph failed 20000
1: graph failed 20000
END
done

# Rank 2 has sent its message to rank 0, and fails while it answers rank 1: it is not among the remaining ranks when
# rank 0 has received from all.
target error
for nodes in 1 3; do
  EMU_NODES=$nodes says shrinks-before <<'END'
0: shrink success 9369
0: size 2
1: shrink success 10400
1: size 2
1: wait failed 10400
END
done

# An operation that leaves at F - 1400 arrives at F - 397, and its answer at F + 606, before any rank knows of the
# failure: N = F + 1000. Operations that come too late report the failure at N; rank 1's unlock of rank 0 takes 100 +
# 2000, after a put of 100. To free the window they agree: 20 bytes from rank 1, which rank 0 has at 3300 + 1019 + 200,
# and 20 bytes back.
target error
sed -i 's/5000ps/1ms/' target.toml
for nodes in 1 3; do
  for jitter in '' 200; do
    EMU_NODES=$nodes says windows $jitter <<'END'
0: flush success 1000000606
0: value 5
0: put success 1000000706
0: flush again failed 1000001000
0: unlock failed 1000001000
0: lock failed 1000001000
0: fence failed 1000001000
0: free success 1000004619
0: mine 1
1: rget failed 1000001000
1: flush failed 1000001000
1: unlock-all failed 1000003200
1: put failed 1000003200
1: fence failed 1000003200
1: free success 1000005838
1: mine 5
END
    # Rank 0 knows of the failure at N. Operations that waited for the lock take effect then, rank 1's before rank 0's:
    # results leave for rank 1 at N, and rank 0's fetch leaves at N + 1000 + 100. Later both ask for the lock at one
    # instant, rank 0 first.
    EMU_NODES=$nodes says locks $jitter <<'END'
0: lock success 1000002000
0: unlock success 1000004200
0: value 7
0: lock success 2000002100
0: unlock success 2000004300
0: value 8
0: mine 10
1: lock success 500000100
1: unlock success 1000002003
1: value 6
1: lock success 2000000100
1: unlock success 2000004303
1: value 9
1: mine 5
END
    # In a trace the critical path comes from the failure, through the lock.
    timeout 60 "$emu" run -n 3 --target target.toml --trace recorded --json run.json "$program" locks >out 2>err &&
      "$emu" report recorded --json report.json >out 2>err && [ ! -s err ] && python3 - run.json report.json >out <<'END' || {
import json
import sys

run, report = (json.load(open(name)) for name in sys.argv[1:])
path, causes = report["critical_path"], run["critical_path"]["picoseconds"]
length = sum(path["on_rank"]) + path["between_ranks"] + causes["until_failure"]
print(path, causes)
sys.exit(path["causes"] != causes or path["compute"] != causes["compute"] or length != run["predicted_picoseconds"] or
         path["begins_with_failure"] != {"rank": 2, "picoseconds": 10**9})
END
      echo "FAIL: the record of locks: $(cat out err)"
      failures=$((failures + 1))
    }
    EMU_NODES=$nodes says waits-for-lock $jitter <<'END'
0: lock success 1000002000
0: unlock success 1000004200
0: value 5
0: mine 6
1: unlock success 2000002100
1: mine 5
END
  done
done

target error

# fails CASE PATTERN: the job ends with exit code 1 and a message that matches PATTERN.
fails() {
  timeout 60 "$emu" run -n 3 --target target.toml "$program" "$1" >out 2>err </dev/null
  local code=$?
  [ $code = 1 ] && grep -q -e "$2" err && return
  echo "FAIL: $1: exit code $code, not 1, or stderr lacks: $2"
  sed 's/^/  /' err
  failures=$((failures + 1))
}
fails fatal 'rank 0: MPI_Recv: rank 2 failed at 5 ns with its node, 2, noticed at 6 ns'
fails revoke 'MPIX_Comm_revoke, which is not emulated: .*MPIX_Comm_shrink'
target silent
fails receives 'deadlock'
sed -i 's/5000ps/1ms/' target.toml
fails windows 'deadlock'
fails locks 'deadlock'
sed -i '/event/,$d' target.toml
# Ranks 1 and 2 send 20 bytes each, which rank 0 has at 1319 and 1519; its answers arrive at 2838 and 2938. Then it
# sends its part to rank 1, which exchanges with rank 2 and sends the result back: the allreduce of 8 bytes. No rank
# fails.
says shrinks <<'END'
0: agree success 5552
0: shrink success 11540
0: size 3
1: agree success 4345
1: shrink success 10277
1: size 3
2: agree success 4345
2: shrink success 10033
2: size 3
END

[ $failures = 0 ]
