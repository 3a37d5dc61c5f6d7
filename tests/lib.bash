# What tests of the command emu share. To be sourced when all paths that a test was given are absolute: goes into a
# folder of its own, which is removed in the end.
# shellcheck shell=bash

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
mkdir temporary
export TMPDIR=$folder/temporary  # to see what stays behind
unset EMU_LOG EMU_TARGET EMU_TRACE EMU_RECORD EMU_JITTER
failures=0
verb=()      # of emu, where expect is about one
seconds=120  # that a command of expect may take
said=(err)   # where expect looks for the pattern: out, err

fail() {
  echo "FAIL: $*"
  sed 's/^/  stdout: /' out
  sed 's/^/  stderr: /' err
  failures=$((failures + 1))
}

# expect CODE PATTERN ARGUMENTS...: $emu ends with CODE, says PATTERN (a basic regular expression), leaves no temporary file,
# and with CODE 2 has not run the program "marker", which would have made the file "ran".
expect() {
  local code=$1 pattern=$2
  shift 2
  local what="emu ${verb[*]:+${verb[*]} }$*"
  timeout "$seconds" "$emu" "${verb[@]}" "$@" >out 2>err </dev/null
  local got=$?
  [ $got = "$code" ] || fail "$what: exit code $got, not $code"
  [ -z "$pattern" ] || grep -q -e "$pattern" "${said[@]}" || fail "$what: ${said[*]} lacks: $pattern"
  [ -z "$(ls temporary)" ] || fail "$what: leaves $(ls temporary) behind"
  [ "$code" != 2 ] || [ ! -e ran ] || fail "$what: ran the program"
}

# For what scripts/sanitize has to leave out: libemu preloaded into a program that is without the sanitizer's runtime, such
# as a shell. UCX's constructor asks libemu for the time before the runtime begins.
expect_unsanitized() {
  [ -n "${SANITIZED:-}" ] || expect "$@"
}

# The test's last line.
conclude() {
  [ $failures = 0 ] || { echo "$failures failures"; exit 1; }
}
