#!/bin/bash
# masters_test.sh EMU MASE TARGET CHECK: masters and slaves in emu report, with all strategies of mase. CHECK is
# check_masters.py.
emu=$(realpath "$1") mase=$(realpath "$2") target=$(realpath "$3") check=$(realpath "$4")
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
unset EMU_LOG EMU_TARGET EMU_TRACE
failures=0

fail() {
  echo "FAIL: $*"
  sed 's/^/  /' err
  failures=$((failures + 1))
}

# masters KIND RANKS EDGE COST OPTIONS...: mase with EDGE x EDGE tasks.
masters() {
  local kind=$1 ranks=$2 edge=$3 cost=$4
  shift 4
  timeout 100 "$emu" run -n "$ranks" --target "$target" --trace "$kind" --json "$kind.run.json" \
    "$mase" --size "$edge" --cost-per-pixel "$cost" --strategy "$kind" "$@" >out 2>err || fail "mase --strategy $kind"
  "$emu" report "$kind" -o "$kind.html" --json "$kind.json" --tasks "$kind.csv" >table 2>err || fail "emu report $kind"
  grep -q '^master  *tasks' table || fail "emu report $kind: no table of masters"
  python3 "$check" "$kind" "$kind.run.json" "$kind.json" "$kind.csv" $((edge * edge)) || failures=$((failures + 1))
}

masters si 8 32 795us
masters ml 8 32 200us --masters 2
masters dy 24 64 200us

[ $failures = 0 ] || { echo "$failures failures"; exit 1; }
