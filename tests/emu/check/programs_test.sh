#!/usr/bin/env bash
# Compares emu check's output for every program of this build with that of binutils: the refused functions in the
# program, and whether libemu is in it. A program that, according to emu check, will stop does stop where it calls the
# named function.
# Usage: programs_test.sh EMU FUNCTIONS BUILD TARGET      FUNCTIONS: a line for each, with its class
set -uo pipefail
emu=$(readlink -f "$1") list=$2 build=$3 target=$4
unset LD_PRELOAD LD_LIBRARY_PATH EMU_TARGET
refused=$(awk '$2 == "refused" { print $1 }' "$list" | paste -sd'|')
functions=$(awk '{ print $1 }' "$list" | paste -sd'|')
failed=0
declare -A seen=([runs]=0 [stops]=0 [other]=0)
wrong() { echo "FAILED: $*"; failed=1; }

# named PROGRAM PATTERN: functions of MPI that the program itself refers to and that match, by their MPI names.
named() { nm -D --undefined-only "$1" | awk '{ print $2 }' | sed 's/@.*//' | grep -E "^P?($2)\$" | sed 's/^PMPI/MPI/' | sort -u; }

check() {
  local program=$1 output code stops missing
  output=$("$emu" check "$program" 2>&1)
  code=$?
  if [[ $(ldd "$program" 2>&1) != *libemu.so* ]]; then
    seen[other]=$((seen[other] + 1))
    [ $code = 1 ] || [[ $output == *'will run under libemu with --preload'*'emu run --preload'* ]] ||
      wrong "$program: libemu is not in it, and emu check ends with $code: $output"
    return
  fi
  stops=$(named "$program" "$refused")
  if [ -z "$stops" ]; then
    seen[runs]=$((seen[runs] + 1))
    [ $code = 0 ] && [[ $output == *': will run under libemu'* ]] || wrong "$program: ends with $code: $output"
    # Its calls are named.
    missing=$(comm -23 <(named "$program" "$functions") <(grep -oE 'MPIX?_[A-Za-z0-9_]+' <<<"$output" | sort -u))
    [ -z "$missing" ] || wrong "$program: $missing: not named: $output"
    return
  fi
  seen[stops]=$((seen[stops] + 1))
  [ $code = 1 ] && [[ $output == *'will stop under libemu if it calls a refused function'* ]] || wrong "$program: ends with $code: $output"
  for function in $stops; do
    grep -q "refused: .*$function" <<<"$output" || wrong "$program: $function is not named: $output"
  done
}

while read -r program; do
  [ "$(head -c 4 "$program" | tr -d '\0')" = $'\x7fELF' ] && check "$program"
done < <(find "$build/tests" "$build/apps" -type f -perm -u+x ! -name '*.so*' ! -path '*.p/*' | sort)

# stops PROGRAM ARGUMENT FUNCTION: runs a program that can stop according to emu check.
stops() {
  [ -x "$1" ] || return 0
  local output
  output=$(timeout 60 "$emu" run -n 3 --target "$target" "$1" "$2" 2>&1)
  local code=$?
  [ $code = 1 ] && [[ $output == *"called $3, which is not emulated"* ]] || wrong "$1 $2 ends with $code: $output"
}
stops "$build/tests/mpi/failures/noticed" revoke MPIX_Comm_revoke
stops "$build/tests/host/robust/misuse" refused MPI_Open_port

echo "${seen[runs]} programs that run, ${seen[stops]} that can stop, ${seen[other]} without libemu"
[ "${seen[runs]}" -ge 5 ] || wrong 'there are hardly any programs: build them first'
exit $failed
