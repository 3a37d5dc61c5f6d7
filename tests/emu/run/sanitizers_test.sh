#!/bin/bash
# sanitizers_test.sh EMU WRAPPERS CONFIG: programs with a sanitizer run like others, and the sanitizers report errors of
# the program and nothing else.
emu=$(realpath "$1") wrappers=$(realpath "$2") config=$(realpath "$3")
. "$(dirname "$0")/../../lib.bash"
[ -z "${SANITIZED:-}" ] || exit 77  # libemu has another sanitizer then

cat >program.c <<'END'
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

static long shared;

static void* add(void* unused) {
  for (int i = 0; i < 1000000; ++i) ++shared;
  return unused;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 1) {
    void* volatile lost = malloc(1234);
    lost = NULL;
    pthread_t thread;
    pthread_create(&thread, NULL, add, NULL);
    add(NULL);
    pthread_join(thread, NULL);
  }
  MPI_Finalize();
  return 0;
}
END

# watched SANITIZER REPORT: a program without and with an error, started by fork if that is possible, and by mpirun.
watched() {
  "$wrappers/emucc" -O0 -g -fsanitize="$1" program.c -o "$1" -lpthread || exit 1
  for way in '' '--mpirun -l'; do
    # shellcheck disable=SC2086
    expect 0 'predicted [1-9]' run --target "$config/fast-ethernet-64.toml" -n 2 $way "./$1"
    ! grep -q Sanitizer out err || fail "$1: a report of a program without errors"
    # shellcheck disable=SC2086
    timeout 120 "$emu" run --target "$config/fast-ethernet-64.toml" -n 2 $way "./$1" wrong >out 2>err
    [ $? != 0 ] && grep -q "$2" out err || fail "$1: no report of an error"
  done
}
watched address '1234 byte(s)'
watched thread 'data race'
conclude
