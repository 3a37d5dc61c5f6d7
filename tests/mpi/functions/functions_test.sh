#!/bin/sh
# Compares the functions of libemu/mpi/functions.list with the MPI library, and with the exports of libemu.so.
#   functions_test.sh FUNCTIONS libmpich.so libemu.so      FUNCTIONS: a line for each, with its class
set -u
list=$1 library=$2 libemu=$3
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
failed=0

# same TITLE FILE FILE: reports every line that only one of the files has.
same() {
  sort -o "$2" "$2" && sort -o "$3" "$3"
  comm -23 "$2" "$3" | sed "s/^/$1: missing: /"
  comm -13 "$2" "$3" | sed "s/^/$1: too much: /"
  cmp -s "$2" "$3" || failed=1
}
functions() { nm -D --defined-only "$1" | awk '$2 ~ /^[TW]$/ && $3 ~ /^P?MPIX?_/ { print $3 }'; }
named() { awk -v classes="$1" '$2 ~ "^(" classes ")$" { print $1 }' "$list"; }

functions "$library" | grep '^MPI' > "$work/library"
named 'emulated|passed|refused' > "$work/list"
same 'functions.list' "$work/library" "$work/list"

# Functions that are left to MPICH because one process can do them alone: these kinds of object, and these queries.
# Check new functions in this list: MPICH must not communicate in them, nor return its knowledge of other processes.
local='^MPI_(Type|Info|Errhandler|Error|Add_error|T|Status)_|^MPI_(Pack|Unpack)(_|$)|^MPIX_(Delete_error|Query|GPU_query)_'
local="$local"'|^MPI_(Op_(create(_c)?|commutative)|Reduce_local(_c)?|(Comm|Win|File)_(create|call)_errhandler)$'
local="$local"'|^MPI_Comm_(free_keyval|(get|set|delete)_attr|(get|set)_(errhandler|info|name)|get_parent)$'
local="$local"'|^MPI_Win_((get|set)_(errhandler|info|name)|(set|delete)_attr)$'
local="$local"'|^MPI_(Attr_(delete|get|put)|Keyval_free|Win_free_keyval|File_((set|get)_errhandler|c2f|f2c|get_(atomicity|info|type_extent(_c)?|view)))$'
local="$local"'|^MPI_(Address|Aint_(add|diff)|Get_(address|count(_c)?|elements(_c|_x)?|version|library_version)|Alloc_mem|Free_mem)$'
local="$local"'|^MPI_(Finalized|Is_thread_main|Query_thread|Test_cancelled|Dims_create|Register_datarep(_c)?)$'
local="$local"'|^MPI_Session_((create|get|set|call)_errhandler|get_(info|nth_pset|num_psets))$'
named passed | grep -Ev "$local" | sed 's/^/left to MPICH, but not known to be local: /' > "$work/unknown"
[ -s "$work/unknown" ] && { cat "$work/unknown"; failed=1; }

# Both names, so that calls by mpi_f08 and of PMPI_X are emulated.
named 'emulated|refused' | awk '{ print; print "P" $0 }' > "$work/shimmed"
functions "$libemu" > "$work/exported"
same 'libemu.so' "$work/shimmed" "$work/exported"

[ $failed = 0 ] && echo "$(wc -l < "$work/list") functions, $(named refused | wc -l) of them refused"
exit $failed
