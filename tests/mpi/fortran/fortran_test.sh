#!/usr/bin/env bash
# Features specific to Fortran give equal results natively and emulated, in all three interfaces.
# Usage: fortran_test.sh EMUFC SOURCE ANSWERS_TEST MPIRUN EMU TARGET
set -euo pipefail
emufc=$1 source=$2 answers_test=$3 mpirun=$4 emu=$5 target=$6
[ -x "$emufc" ] || { echo "no Fortran compiler: not tested"; exit 77; }
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
for interface in INCLUDE_FILE USE_MPI USE_F08; do
  # Some arguments have several types in one program: MPI_BOTTOM and buffers.
  "$emufc" -cpp -w -fallow-argument-mismatch -ffree-line-length-none "-D$interface" "-J$work" "$source" -o "$work/$interface"
  echo "$interface"
  "$answers_test" "$mpirun" "$emu" "$target" "$work/$interface" 1 3
done
