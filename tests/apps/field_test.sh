#!/bin/bash
# field_test.sh MPIRUN EMU PATTERNS COLUMNS ROWS GRID: the programs that were measured on clusters.
experiments=$(realpath "$(dirname "$0")/../../scripts/experiments")
mpirun=$1 emu=$(realpath "$2") patterns=$(realpath "$3") columns=$(realpath "$4") rows=$(realpath "$5") grid=$(realpath "$6")
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0
fail() {
  echo "FAIL: $*"
  failures=$((failures + 1))
}

# L = 1000 ps, o_s = 100 ps, o_r = 200 ps, G = 1 ps. All ranks leave a barrier of a power of two at one instant.
cat >target.toml <<'END'
name = "closed form"
compute = "declared"
[network]
latency = "1000ps"
gap_per_byte = "1ps"
eager_limit = "unlimited"
send = { fixed = "100ps" }
receive = { fixed = "200ps" }
[[node]]
count = 8
END

# slowest NAME BYTES RANKS PICOSECONDS
slowest() {
  echo "$1 $2 $3 1 0" >cases
  timeout 60 "$emu" run -n "$3" --target target.toml "$patterns" cases >out 2>err || fail "$1: $(tail -1 err)"
  local got=$(awk '{ printf "%.0f", $4 * 1e12 }' out)
  [ "$got" = "$4" ] || fail "$1 of $2 bytes, $3 ranks: $got ps in place of $4"
}
slowest nwaydissemination_nocompute 101 8 $((3 * 1400))
slowest nwaydissemination 101 8 $((3 * 1400 + 2 * 101000))  # 101 ns of work before the second and the third step
slowest pipelinedring 404 4 $((4 * 1400))
slowest sendrecv_same 101 8 1400
echo 'linear_alltoall 8 4 2 1' >cases
timeout 60 "$mpirun" -n 4 "$patterns" cases >out 2>err || fail "patterns natively: $(tail -1 err)"
grep -q '^linear_alltoall 8 4 [0-9.]* [0-9.]* [0-9.]*$' out || fail "patterns natively: $(cat out)"
for wrong in 'walk 1 1 1 0:unknown pattern' 'send 1 9 1 0:invalid number of ranks' 'send -1 2 1 0:invalid number of bytes' 'send 1 2 1 3:invalid start: 3 (expected 0, 1 or 2)'; do
  echo "${wrong%%:*}" >bad
  timeout 60 "$emu" run -n 8 --target target.toml "$patterns" bad >out 2>err && fail "accepted: ${wrong%%:*}"
  grep -q "${wrong#*:}" err || fail "${wrong%%:*}: stderr lacks: ${wrong#*:}"
done

# Two slaves of one speed share 40 columns by factoring: 10 10 and so on; both have half of them.
"$columns" --table table-40 --size 40 --iterations 100 || fail 'the table of iterations'
echo 'a fss 40 1 1,1 0 0 1000 1' >deal
timeout 60 "$emu" run -n 3 --target target.toml "$columns" --cases deal --table table >out 2>err || fail "columns: $(tail -1 err)"
grep -q '^a 0 0\.[0-9]* 20/[0-9]*/[0-9.]* 20/[0-9]*/[0-9.]*$' out || fail "columns: $(cat out)"
PYTHONPATH=$experiments python3 -c '
from clusters import pcad
share = pcad.share_of_work(open("err").read())
assert 0.9 < share <= 1, share
' || fail "the share of work in: $(cat err)"
echo 'a fss 40 1 1 0 0 1000 1' >deal
timeout 60 "$emu" run -n 3 --target target.toml "$columns" --cases deal --table table >out 2>err && fail 'too few powers'
grep -q 'invalid number of powers: 1 (expected 2' err || fail "too few powers: $(tail -1 err)"

# Four rows of 4 points, 219 iterations of 1 ps in all. A message of 4 bytes takes 100 + 1003 + 200 ps.
"$rows" --table image-4 --size 4 --iterations 50 --same real || fail 'the table of rows'
# seconds SCHEME PICOSECONDS: a master and a slave
seconds() {
  echo "a $1 4 0.001" >image
  timeout 60 "$emu" run -n 2 --target target.toml "$rows" --cases image --table image >out 2>err || fail "$1: $(tail -1 err)"
  local got=$(awk '{ printf "%.0f", $2 * 1e12 }' out)
  [ "$got" = "$2" ] || fail "$1: $got ps in place of $2"
}
seconds dynamic $((4 * (1303 + 1303 + 200) + 219 + 100))  # the last 100 ps stop the slave
seconds again $((4 * (1303 + 1303 + 200) + 219 + 100))
seconds tagged $((4 * (1303 + 1303) + 219 + 100))
seconds static $((4 + 100 + 1003 + 8 * 200))  # the first row, and the receives of all
seconds with-master $((151 + 7 + 1303 + 3 * 200))
echo 'a dynamic 5 1' >image
timeout 60 "$emu" run -n 2 --target target.toml "$rows" --cases image --table image >out 2>err && fail 'accepted: no table'
grep -q 'image-5: not a table of the iterations of 5 ' err || fail "no table: $(tail -1 err)"
echo 'a fair 4 1' >image
timeout 60 "$emu" run -n 2 --target target.toml "$rows" --cases image --table image >out 2>err && fail 'accepted: fair'
grep -q 'unknown scheme: "fair" (expected dynamic' err || fail "unknown scheme: $(tail -1 err)"

# grid_takes RANKS CASE PICOSECONDS: the last barrier has a round of 1300 ps for each doubling of the ranks. Without a gap
# per byte ranks leave the communicator's creation, and so the barriers, at one instant.
sed 's/gap_per_byte = "1ps"/gap_per_byte = "0ps"/' target.toml >gapless.toml
grid_takes() {
  echo "a $2" >grid
  timeout 60 "$emu" run -n "$1" --target gapless.toml "$grid" --cases grid >out 2>err || fail "$2: $(tail -1 err)"
  local got=$(awk '{ printf "%.0f", $2 * 1e12 }' out)
  [ "$got" = "$3" ] || fail "$2: $got ps in place of $3"
}
grid_takes 8 'jacobi 2 1 10' $((1000 + 6 * (80 + 1300 + 80) + 3 * 1300))  # a point of 1 ns, and six faces of 8 bytes
grid_takes 2 ring $((2 * (1300 + 200) + 1300))
# A synchronous send to a rank that waits takes 2600 ps, and its receive, with the answer, 1400 ps. Rank 0 has received at
# 4000 ps, and sends until 9300 ps; at first rank 1 receives 100 ps late. Each further step takes 8200 ps.
grid_takes 2 ring-in-turn $((9300 + 8200 + 1300))
echo 'a torus' >grid
timeout 60 "$emu" run -n 2 --target target.toml "$grid" --cases grid >out 2>err && fail 'accepted: torus'
grep -q 'grid:1: expected NAME jacobi' err || fail "torus: $(tail -1 err)"

[ $failures = 0 ]
