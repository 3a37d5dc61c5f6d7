#!/bin/bash
# abi_test.sh EMU CONFIG: a program linked with a library libmpi.so.12, the name used by other MPI
# libraries of MPICH's ABI, runs with --preload. The library is a stand-in that only refers to MPICH.
emu=$(realpath "$1") config=$(realpath "$2")
. "$(dirname "$0")/../../lib.bash"
said=(out err)
touch out err
cat >app.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("sum %d\n", sum);
  MPI_Finalize();
  return 0;
}
END
# The program is linked with a library of names only, and runs with one that refers to MPICH.
echo 'void MPI_Init(void) {} void MPI_Comm_rank(void) {} void MPI_Allreduce(void) {} void MPI_Finalize(void) {}' >names.c
echo >nothing.c
mkdir link run
compiler=$(command -v mpicc.mpich || command -v mpicc)
read -ra includes <<<"$("$compiler" -show -c app.c | tr ' ' '\n' | grep '^-I' | tr '\n' ' ')"
cc -shared -fPIC -o link/libmpi.so.12 -Wl,-soname,libmpi.so.12 names.c || fail 'the stand-in to link with'
cc "${includes[@]}" app.c -o app link/libmpi.so.12 || fail 'the program'
cc -shared -fPIC -o run/libmpi.so.12 -Wl,-soname,libmpi.so.12 nothing.c -Wl,--no-as-needed -l:libmpich.so.12 || fail 'the stand-in to run with'
readelf -d app | grep -q 'NEEDED.*libmpich' && fail 'the program is linked with MPICH itself'
export LD_LIBRARY_PATH=$folder/run${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

expect 0 '' check ./app
expect 2 'libemu is not in this MPI program' run --target "$config/fast-ethernet-64.toml" -n 5 ./app
expect_unsanitized 0 '^sum 10$' run --preload --target "$config/fast-ethernet-64.toml" -n 5 ./app
expect_unsanitized 0 'predicted .* on 5 ranks' run --preload --target "$config/fast-ethernet-64.toml" -n 5 ./app

conclude
