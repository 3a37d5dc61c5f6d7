#!/bin/sh
# Programs in C, C++ and all three Fortran interfaces, built by the wrappers: in each, libemu precedes the MPI library,
# receives all its calls, and changes nothing without a target.
#   wrappers_test.sh BUILD/libemu SOURCES MPIRUN TARGET
set -u
tools=$1 sources=$2 mpirun=$3 target=$4
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
# Meson sets the path to the libraries of the build tree; programs have to find libemu without it.
unset EMU_TARGET EMU_RECORD LD_PRELOAD LD_LIBRARY_PATH

fail() { echo "FAILED: $*"; failed=1; }
# libemu.so precedes MPICH among the libraries that the program needs.
first_needed() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(lib\(emu\|mpi\)[^]]*\)\].*/\1/p' | head -n 1; }

# Every call of an emulated function that the program or MPICH's Fortran library makes goes to libemu.
bindings() {
  LD_DEBUG=bindings "$mpirun" -n 1 "$@" 2>&1 |
    sed -n 's/.*binding file \([^ ]*\) .* to \([^ ]*\) .*symbol `P\{0,1\}\(MPI_[A-Za-z_]*\).$/\1 \2 \3/p' |
    awk '$1 !~ /libemu|libmpich\.so/ && $3 ~ /^MPI_(Init|Isend|Iprobe|Recv|Sendrecv|Wait|Barrier|Finalize)$/'
}

# runs NAME COMMAND...: runs natively and emulated, and compares the output; the emulated run leaves a record.
runs() {
  name=$1
  shift
  native=$("$mpirun" -n 2 "$@" 2>&1) || fail "$name: native: $native"
  emulated=$(EMU_TARGET=$target EMU_RECORD=$work/record "$mpirun" -n 2 "$@" 2>&1) || fail "$name: emulated: $emulated"
  [ "$native" = "$emulated" ] || fail "$name: natively '$native', emulated '$emulated'"
  [ -s record ] || fail "$name: not emulated: no record"
  rm -f record
}

check() {
  name=$1
  [ "$(first_needed "./$name")" = libemu.so ] || fail "$name: $(first_needed "./$name") comes before libemu"
  wrong=$(bindings "./$name" | awk '$2 !~ /libemu\.so$/')
  [ -z "$wrong" ] || fail "$name: these calls pass libemu by: $wrong"
  [ -n "$(bindings "./$name")" ] || fail "$name: no call seen"
  runs "$name" "./$name"
}

"$tools/emucc" -O "$sources/hello.c" -o hello_c || fail emucc
check hello_c
"$tools/emucxx" -O "$sources/hello.cc" -o hello_cc || fail emucxx
check hello_cc
if [ -x "$tools/emufc" ] && command -v gfortran > /dev/null; then
  for interface in include use f08; do
    "$tools/emufc" "$sources/hello_$interface.f90" -o "hello_$interface" || fail "emufc, $interface"
    check "hello_$interface"
  done
  for interface in include f08; do
    "$tools/emufc" "$sources/communicators_$interface.f90" -o "communicators_$interface" || fail "emufc, communicators, $interface"
    check "communicators_$interface"
  done
else
  echo "no Fortran compiler: not tested"
fi

# In two steps, where the user also names the MPI library, first and last.
"$tools/emucc" -c "$sources/hello.c" -o hello.o || fail 'emucc -c'
for order in 'hello.o -lmpich' '-lmpich hello.o'; do
  "$tools/emucc" $order -o two_steps || fail "emucc $order"
  check two_steps
done
# A finished program, with libemu preloaded.
mpicc=$(sed -n 's/^compiler=//p' "$tools/emucc")
"$mpicc" "$sources/hello.c" -o plain || fail mpicc
runs preload env "LD_PRELOAD=$tools/libemu.so" ./plain

# A profiler before libemu: in the program, preloaded with a program that has libemu, and before a preloaded libemu.
seen='profiler: 2 ranks: 2 sends, 2 receives, 2 barriers'
"$tools/emucc" "$sources/hello.c" "$sources/profiler.c" -o profiled || fail 'emucc profiler.c'
"$mpicc" -shared -fPIC "$sources/profiler.c" -o libprofiler.so || fail 'mpicc profiler.c'
profiled() {
  runs "$@"
  case $emulated in *"$seen"*) ;; *) fail "$1: '$emulated' lacks '$seen'" ;; esac
}
profiled 'profiler in the program' ./profiled
profiled 'profiler preloaded' env "LD_PRELOAD=$work/libprofiler.so" ./hello_c
profiled 'profiler before a preloaded libemu' env "LD_PRELOAD=$work/libprofiler.so:$tools/libemu.so" ./plain

# In the wrong order, libemu would never be called. Under emulation this is an error; natively it makes no difference.
"$mpicc" "$sources/hello.c" -o late -lmpich -L"$tools" -Wl,--no-as-needed -lemu "-Wl,-rpath,$tools" || fail 'mpicc -lemu'
"$mpirun" -n 2 ./late > /dev/null 2>&1 || fail 'libemu behind the MPI library, native'
message=$(EMU_TARGET=$target "$mpirun" -n 2 ./late 2>&1) && fail 'libemu behind the MPI library: runs'
case $message in *'is linked before libemu'*) ;; *) fail "libemu behind the MPI library: $message" ;; esac

# A refused function stops the program with its name, but only under emulation.
"$tools/emucc" "$sources/refused.c" -o refused || fail 'emucc refused.c'
"$mpirun" -n 2 ./refused > /dev/null || fail 'a refused function does not work natively'
message=$(EMU_TARGET=$target "$mpirun" -n 2 ./refused 2>&1) && fail 'a refused function did not stop the job'
case $message in *'MPI_Open_port, which is not emulated'*) ;; *) fail "refused: $message" ;; esac
# One message, even if all ranks call it, in Fortran.
if [ -x "$tools/emufc" ]; then
  cat > refused.f90 <<'END'
program refused
  use mpi
  character(len=MPI_MAX_PORT_NAME) :: port
  integer :: error
  call MPI_Init(error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Open_port(MPI_INFO_NULL, port, error)
  call MPI_Finalize(error)
end program
END
  "$tools/emufc" refused.f90 -o refused_f || fail 'emufc refused.f90'
  message=$(EMU_TARGET=$target "$mpirun" -n 4 ./refused_f 2>&1) && fail 'a refused function did not stop the job in Fortran'
  [ "$(echo "$message" | grep -c 'MPI_Open_port, which is not emulated')" = 1 ] || fail "refused in Fortran: $message"
  case $message in *'Abort('*) fail "refused in Fortran: $message" ;; esac
fi

case $("$tools/emucc" -show x.c) in *-lemu*-lmpich*) ;; *) fail 'emucc -show' ;; esac
case $("$tools/emucc" -show-link-info) in *-lemu*-lmpich*) ;; *) fail 'emucc -show-link-info' ;; esac
case $("$tools/emucc" -show -c x.c) in *-lemu*) fail 'emucc -show -c links' ;; esac
"$tools/emucc" -static "$sources/hello.c" -o static 2> /dev/null && fail 'emucc -static'
exit $failed
