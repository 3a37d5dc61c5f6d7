#!/bin/sh
# functions.list against the MPI library, and against what libemu.so exports.
#   functions_test.sh functions.list libmpich.so libemu.so
set -u
list=$1 library=$2 libemu=$3
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
failed=0

# same TITLE FILE FILE: complains about every line that only one of them has.
same() {
  sort -o "$2" "$2" && sort -o "$3" "$3"
  comm -23 "$2" "$3" | sed "s/^/$1: missing: /"
  comm -13 "$2" "$3" | sed "s/^/$1: too much: /"
  cmp -s "$2" "$3" || failed=1
}
functions() { nm -D --defined-only "$1" | awk '$2 ~ /^[TW]$/ && $3 ~ /^P?MPIX?_/ { print $3 }'; }
named() { awk -v classes="$1" '!/^#/ && !/^reason/ && NF && $2 ~ "^(" classes ")$" { print $1 }' "$list"; }

functions "$library" | grep '^MPI' > "$work/library"
named 'emulated|joined|passed|refused' > "$work/list"
same 'functions.list' "$work/library" "$work/list"
wrong=$(awk '!/^#/ && !/^reason/ && NF && $2 !~ /^(emulated|joined|passed|refused)$/' "$list")
[ -z "$wrong" ] || { echo "functions.list: no such class: $wrong"; failed=1; }

# Both names, so that mpi_f08 and direct callers of PMPI_X are caught.
named 'emulated|joined|refused' | awk '{ print; print "P" $0 }' > "$work/shimmed"
functions "$libemu" > "$work/exported"
same 'libemu.so' "$work/shimmed" "$work/exported"

[ $failed = 0 ] && echo "$(wc -l < "$work/list") functions, $(named refused | wc -l) of them refused"
exit $failed
