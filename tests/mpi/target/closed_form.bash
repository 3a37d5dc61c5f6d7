# For the tests of this folder: predictions of small GOAL programs, to the picosecond. Sourced with the arguments EMU
# GOAL.
emu=$(realpath "$1") goal=$(realpath "$2")
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
unset EMU_LOG EMU_TARGET
failures=0

# One rank a node, L = 1000 ps, o_s = 100 ps, o_r = 200 ps, G = 1 ps, all eager. More keys of [network] in $network,
# groups of nodes and all other tables on stdin.
network=
target() {
  cat >target.toml <<END
name = "closed form"
compute = "declared"
$root
[network]
latency = "1000ps"
gap_per_byte = "1ps"
eager_limit = "unlimited"
$network
send = { fixed = "100ps", per_process = "0ps", per_byte = "0ps" }
receive = { fixed = "200ps", per_process = "0ps", per_byte = "0ps" }
END
  cat >>target.toml
}

# run RANKS <<< PROGRAM: plays a GOAL program, calc in picoseconds. A line "RANK: STATEMENT; STATEMENT; ..." is a rank
# that executes the statements in this order.
run() {
  { echo "num_ranks $1"; awk '!/^[0-9]+: / { print; next }
      { sub(":", " {", $1); print "rank " $1; sub("^[0-9]+ { ", "")
        n = split($0, statements, "; ")
        for (i = 1; i <= n; ++i) { print "s" i ": " statements[i]; if (i > 1) print "s" i " requires s" i - 1 }
        print "}" }'; } >program.goal
  rm -f run.json
  timeout 60 "$emu" run -n "$1" --target target.toml --json run.json "$goal" program.goal --unit 1ps >out 2>err
  code=$?
}

# finish NAME PICOSECONDS...: the ranks' finishes in the last run.
finish() {
  local name=$1
  shift
  local got=$(grep -o '"finish_picoseconds": *[0-9]*' run.json 2>/dev/null | grep -o '[0-9]*$' | tr '\n' ' ')
  [ "$got" = "$* " ] && return
  echo "FAIL: $name: finished at $got, not at $*"
  sed 's/^/  stderr: /' err
  failures=$((failures + 1))
}

# path NAME WORDS...: "cause": picoseconds and "derivative": times of the last run's critical path.
path() {
  local name=$1 word
  shift
  for word; do
    sed -n '/"critical_path"/,/"per_rank"/p' run.json | tr -d ' ,' | grep -qxF "$word" && continue
    echo "FAIL: $name: the critical path lacks $word"
    sed -n '/"critical_path"/,/"per_rank"/s/^/  /p' run.json
    failures=$((failures + 1))
  done
}

# refuses NAME CODE PATTERN: the last run ended with CODE and a message that matches PATTERN.
refuses() {
  [ $code = "$2" ] && grep -q -e "$3" err && return
  echo "FAIL: $1: exit code $code, not $2, or stderr lacks: $3"
  sed 's/^/  stderr: /' err
  failures=$((failures + 1))
}

