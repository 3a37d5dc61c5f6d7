#!/bin/sh
# emu check: its output for programs of every kind, and its exit codes.
#   check_test.sh EMU BUILD/libemu SOURCES
set -u
emu=$(readlink -f "$1") tools=$2 sources=$3
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
# Meson sets the path to the libraries of the build tree; programs have to find libemu without it.
unset LD_PRELOAD LD_LIBRARY_PATH
mpicc=$(sed -n 's/^compiler=//p' "$tools/emucc")

# says EXIT_CODE PATTERN PROGRAM...
says() {
  code=$1 pattern=$2
  shift 2
  output=$("$@" 2>&1)
  got=$?
  [ $got = "$code" ] || { echo "FAILED: $*: exit code $got, not $code: $output"; failed=1; }
  case $output in
    *$pattern*) ;;
    *) echo "FAILED: $*: no '$pattern' in: $output"; failed=1 ;;
  esac
}

"$tools/emucc" "$sources/hello.c" -o good || exit 1
says 0 'will run' "$emu" check ./good
says 0 'PMPI_Iprobe' "$emu" check ./good
"$tools/emucc" "$sources/refused.c" -o refused || exit 1
says 1 "MPI_Open_port: a job's processes" "$emu" check ./refused
if [ -x "$tools/emufc" ]; then
  "$tools/emufc" "$sources/hello_f08.f90" -o f08 && says 0 'MPI_Isend' "$emu" check ./f08
  "$tools/emufc" "$sources/hello_include.f90" -o include && says 0 'MPI_Isend' "$emu" check ./include
fi

mpifort=$(sed -n 's/^compiler=//p' "$tools/emufc" 2>/dev/null)
if [ -n "$mpifort" ]; then
  # MPICH's Fortran interface calls its C functions, and those are libemu's.
  "$mpifort" "$sources/hello_include.f90" -o front -Wl,--push-state,--no-as-needed -lmpichfort "$tools/libemu.so" -Wl,--pop-state \
    "-Wl,-rpath,$tools" && says 0 'will run' "$emu" check ./front
fi

"$mpicc" "$sources/hello.c" -o plain || exit 1
says 0 './plain: will run under libemu with --preload' "$emu" check ./plain
says 0 'run it by: emu run --preload -n N --target TARGET ./plain' "$emu" check ./plain
says 0 'run it by: emu run -n N --target TARGET ./good' "$emu" check ./good
# A shell reads the command as the same words.
mkdir 'it'"'"'s here' && cp plain 'it'"'"'s here/a program' || exit 1
says 0 "TARGET 'it'\\\\''s here/a program' '' 'a b' c=d : -n N ./good '\$x'" \
  "$emu" check "it's here/a program" '' 'a b' c=d : ./good '$x'
# scripts/sanitize cannot preload a libemu that has a sanitizer in it.
[ -n "${SANITIZED:-}" ] || says 0 'will run' env "LD_PRELOAD=$tools/libemu.so" "$emu" check ./plain
"$mpicc" "$sources/hello.c" -o late -lmpich -L"$tools" -Wl,--no-as-needed -lemu "-Wl,-rpath,$tools" || exit 1
says 0 'comes before libemu' "$emu" check ./late
says 0 'run it by: emu run --preload -n N --target TARGET ./late' "$emu" check ./late
# Programs that pass the check run.
target=$sources/../../../config/fast-ethernet-64.toml
says 0 'predicted' "$emu" run -n 2 --target "$target" ./good
says 2 'libemu is not in this MPI program' "$emu" run -n 2 --target "$target" ./plain
for program in plain late; do
  # libemu with a sanitizer in it cannot be preloaded into a program without one.
  [ -n "${SANITIZED:-}" ] || says 0 'predicted' "$emu" run --preload -n 2 --target "$target" ./$program
done

# Calls of a library of the program belong to the program.
"$mpicc" -shared -fPIC -Dmain=hidden "$sources/refused.c" -o libcalls.so || exit 1
echo 'int hidden(void); int main(void) { return hidden(); }' > through.c
"$tools/emucc" through.c -o through -L. -lcalls "-Wl,-rpath,$work" || exit 1
says 1 'MPI_Open_port' "$emu" check ./through
rm libcalls.so
says 1 'libcalls.so, which is not found' "$emu" check ./through

# Its name may begin as that of MPICH does.
"$mpicc" -shared -fPIC -Dmain=hidden "$sources/refused.c" -o libmpihelper.so || exit 1
"$tools/emucc" through.c -o through -L. -lmpihelper "-Wl,-rpath,$work" || exit 1
says 1 'MPI_Open_port' "$emu" check ./through

# Fortran's names as other compilers write them.
cat > names.c <<'END'
void NAME(void);
int main(void) { NAME(); return 0; }
END
if [ -n "$mpifort" ]; then
  for name in mpi_open_port_ mpi_open_port mpi_open_port__ MPI_OPEN_PORT pmpi_open_port_; do
    "$tools/emucc" -DNAME=$name names.c -o names -Wl,--no-as-needed -lmpichfort || exit 1
    says 1 "MPI_Open_port: a job's processes" "$emu" check ./names
  done
fi

# A refused function in a helper, in the program and in a library; and code that is loaded during the run.
cat > helper.c <<'END'
#include <mpi.h>
void helper(void);
void helper(void) { MPI_Close_port(""); }
END
cat > loads.c <<'END'
#include <dlfcn.h>
#include <mpi.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc > 1) ((void (*)(void))dlsym(RTLD_DEFAULT, argv[1]))();
  return MPI_Finalize();
}
END
"$tools/emucc" -D_GNU_SOURCE loads.c -o loads || exit 1
says 0 'it can load code while it runs (dlsym)' "$emu" check ./loads
"$tools/emucc" -D_GNU_SOURCE helper.c loads.c -o helped || exit 1
says 1 "MPI_Close_port: a job's processes" "$emu" check ./helped
"$mpicc" -fPIC -shared helper.c -o libhelper.so || exit 1
"$tools/emucc" -D_GNU_SOURCE loads.c -o beside -L. -Wl,--no-as-needed -lhelper "-Wl,-rpath,$work" || exit 1
says 1 "MPI_Close_port: a job's processes" "$emu" check ./beside

cat > sleeps.c <<'END'
#include <mpi.h>
#include <unistd.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  usleep(10);
  return MPI_Finalize();
}
END
"$tools/emucc" sleeps.c -o sleeps || exit 1
says 0 'it sleeps (usleep)' "$emu" check ./sleeps

cat > threads.c <<'END'
#include <mpi.h>
#include <pthread.h>
static void* nothing(void* unused) { return unused; }
int main(int argc, char** argv) {
  pthread_t thread;
  MPI_Init(&argc, &argv);
  pthread_create(&thread, 0, nothing, 0);
  return MPI_Finalize();
}
END
"$tools/emucc" threads.c -o threads -pthread && says 0 'pthread_create' "$emu" check ./threads

echo 'int main(void) { return 0; }' > none.c
cc none.c -o none && says 1 'not an MPI program' "$emu" check ./none
cc -static none.c -o static 2> /dev/null && says 1 'statically' "$emu" check ./static
printf '#!/bin/sh\n' > script && chmod +x script && says 1 'emu run runs the script, with --preload if' "$emu" check ./script
printf 'text\n' > text && chmod +x text && says 1 '' "$emu" check ./text
head -c 200 good > damaged && chmod +x damaged && says 1 '' "$emu" check ./damaged
says 2 'no such program' "$emu" check ./nothing
says 2 'Usage: emu check' "$emu" check
says 2 'Usage: emu check' "$emu" check ./good ./plain
says 0 'run them by: emu run --preload -n N --target TARGET ./good x : -n N ./plain' "$emu" check ./good x : -n 1 ./plain
says 1 "MPI_Open_port: a job's processes" "$emu" check ./good : ./refused
says 0 'Usage: emu check' "$emu" check --help
exit $failed
