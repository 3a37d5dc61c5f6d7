#!/usr/bin/env bash
# Programs that were not written here, natively and emulated: builds the drivers of libraries, runs each program with
# some numbers of ranks, compares the output and the written files, and prints a table. Exit code 77 if no program is
# there.
# Usage: programs_test.sh BUILD ROOT MPIRUN [NAME...]; ROOT: where scripts/programs unpacked the packages
set -uo pipefail
build=$(readlink -f "$1") root=$(readlink -f "$2") mpirun=$3
shift 3
sources=$(readlink -f "$(dirname "$0")")
[ -n "$root" ] && [ -d "$root/usr" ] || { echo "no programs here: scripts/programs fetches them"; exit 77; }
all=(netpipe tachyon coarrays hdf5 adios yorick scalapack scalapack-tests nwchem bagel mocassin eztrace)
[ $# -gt 0 ] || set -- "${all[@]}"
library=$root/usr/lib/x86_64-linux-gnu include=$root/usr/include
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset EMU_TARGET EMU_RECORD EMU_STATUS EMU_HOST_CLOCKS LD_PRELOAD
export LD_LIBRARY_PATH=$library NWCHEM_BASIS_LIBRARY=$root/usr/share/nwchem/libraries/
# All ranks are on one node, as they are natively.
sed -e 's/^count = .*/count = 1/; s/^slots = .*/slots = 64/' "$sources/../../../config/fast-ethernet-64.toml" >target.toml
failed=0 tried=0

# built COMPILER ARGUMENTS...: true if a driver can be compiled; reports why not.
built() {
  "$@" >compiler 2>&1 && return
  echo "cannot be built: $*" && head -5 compiler && return 1
}

# run MODE RANKS INPUT PROGRAM...: runs in a folder of its own; returns the program's exit code, and writes
# its output to "out". It uses variables of the caller: "files" and folders are copied there, "preload"
# precedes other preloaded libraries, "starter" precedes mpirun, and "after" is executed there afterwards.
run() {
  local mode=$1 ranks=$2 input=$3 extra=()
  shift 3
  rm -rf "$mode" && mkdir "$mode" && cd "$mode" || exit 1
  [ -z "${files:-}" ] || cp -rL $files . || exit 1
  local seconds=${limit:-60}
  [ "$mode" = native ] && seconds=${native_limit:-$seconds}
  [ "$seconds" != 0 ] || { : >out && cd .. && return 1; }
  [ -z "${preload:-}" ] || extra=(-genv LD_PRELOAD "$preload")
  [ "$mode" = native ] ||
    extra=(-genv EMU_TARGET "$work/target.toml" -genv LD_PRELOAD "${preload:+$preload:}$build/libemu/libemu.so")
  timeout -k 5 "$seconds" ${starter:-} "$mpirun" "${extra[@]}" -n "$ranks" "$@" <"$input" >out 2>err
  local code=$?
  eval "${after:-}"
  cd ..
  return $code
}

# compare NAME RANKS FILTER FILES INPUT PROGRAM...: compares the lines that FILTER leaves of the output, in any order,
# and the FILES that the program writes. Prints a row of the table: the result natively, and emulated. WRONG in the
# output is the program's own word, and counts natively, too: MPICH may be wrong there, and libemu still has to be
# right.
compare() {
  local name=$1 ranks=$2 filter=$3 written=$4 natively=right emulated=right file
  shift 4
  run native "$ranks" "$@" || natively="exit code $?"
  [ "${native_limit:-1}" != 0 ] || natively='not run'
  eval "$filter" <native/out | sort >native/answers
  ! grep -q WRONG native/answers || natively=wrong
  run emulated "$ranks" "$@" || emulated="exit code $?"
  eval "$filter" <emulated/out | sort >emulated/answers
  ! grep -q WRONG emulated/answers || emulated=wrong
  [ -s emulated/answers ] || emulated='says nothing'
  if [ "$natively $emulated" = 'right right' ]; then
    emulated=same
    cmp -s native/answers emulated/answers || { emulated=different; diff native/answers emulated/answers | head -10 >&2; }
    for file in $written; do cmp "native/$file" "emulated/$file" >&2 || emulated=different; done
  fi
  tried=$((tried + 1))
  case $emulated in same | right) ;; *) failed=$((failed + 1)) && head -5 emulated/err >&2 ;; esac
  printf '%-18s %5d   %-14s %s\n' "$name" "$ranks" "$natively" "$emulated"
}

netpipe() {
  [ -x "$root/usr/bin/NPmpich2" ] || return 0
  compare netpipe 2 "grep -c 'Integrity check passed'" '' /dev/null "$root/usr/bin/NPmpich2" -i -u 300000 -n 3
}

tachyon() {
  [ -e "$library/libtachyon-mpich.so" ] || return 0
  built mpicc.mpich -O "$sources/tachyon.c" -I"$include" -L"$library" -ltachyon-mpich -lm -o tachyon || return
  for ranks in 1 3 4; do compare tachyon $ranks cat picture.ppm /dev/null ../tachyon picture.ppm; done
}

coarrays() {
  [ -e "$library/libcaf_mpich.so" ] || return 0
  built mpifort.mpich -O -fcoarray=lib "$sources/coarrays.f90" -L"$library" -lcaf_mpich -o coarrays || return
  for ranks in 1 2 3 4; do compare coarrays $ranks "grep image" '' /dev/null ../coarrays; done
}

hdf5() {
  [ -d "$include/hdf5/mpich" ] || return 0
  built mpicc.mpich -O "$sources/hdf5.c" -I"$include/hdf5/mpich" -L"$library" -lhdf5_mpich "-Wl,-rpath-link,$library" -o hdf5 || return
  for ranks in 1 3 4; do compare hdf5 $ranks cat data.h5 /dev/null ../hdf5 data.h5; done
}

adios() {
  [ -e "$library/adios/mpich/libadios.a" ] || return 0
  local arguments=(-O "$sources/adios.c" -I"$include" -L"$library/adios/mpich" -L"$library" -ladios -lhdf5_mpich_hl -lhdf5_mpich
    -l:libblosc.so.1 -l:liblz4.so.1 -l:libbz2.so.1.0 -lz -l:libsz.so.2 "-Wl,-rpath-link,$library" -lm -o adios)
  # ADIOS can also write by the parallel NetCDF, which Debian has only for Open MPI: its functions are never called
  # here.
  mapfile -t without < <(mpicc.mpich "${arguments[@]}" 2>&1 | sed -n "s/.*undefined reference to .\(nc_[a-z_]*\)'.*/-Wl,--defsym=\1=abort/p" | sort -u)
  built mpicc.mpich "${arguments[@]}" "${without[@]}" || return
  for method in POSIX MPI_LUSTRE MPI; do compare "adios $method" 3 cat '' /dev/null ../adios data.bp $method; done
  # ADIOS' tools, which are MPI programs of one rank: the contents that they print.
  [ -x "$root/usr/bin/bpls.mpich" ] && [ -s native/data.bp ] || return 0
  cp native/data.bp written.bp
  local files=$work/written.bp
  compare 'bpls' 1 cat '' /dev/null "$root/usr/bin/bpls.mpich" -d written.bp
  compare 'bpdump' 1 cat '' /dev/null "$root/usr/bin/bpdump.mpich" -d written.bp
}

yorick() {
  [ -x "$root/usr/lib/yorick/bin/mpy.mpich2" ] || return 0
  printf 'mp_include, "%s/yorick.i"\nmp_exec, "task;"\nmp_exec, "serve;"\nquit\n' "$sources" >commands
  for ranks in 2 3 4; do
    compare yorick $ranks cat '' "$work/commands" "$root/usr/lib/yorick/bin/mpy.mpich2"
  done
}

scalapack() {
  [ -e "$library/libscalapack-mpich.so" ] || return 0
  built mpifort.mpich -O "$sources/scalapack.f90" -L"$library" -lscalapack-mpich -o scalapack || return
  for ranks in 1 3 4; do compare scalapack $ranks cat '' /dev/null ../scalapack; done
}

# ScaLAPACK's own testers: the number of passed checks, since their output contains times. Natively four ranks poll
# while they wait, and do not end within minutes on few cores: SCALAPACK_NATIVE is the number of seconds to try. If N is
# 0, x?syevr compare variables that they never set; xCbtest and xFbtest have a folder of their own. The estimate of a
# condition by p?lacon depends on memory that it never sets: now and then the ranks disagree and wait forever, natively
# as well. So x?llt and x?lu of real numbers omit this estimate.
scalapack-tests() {
  local tests=$library/scalapack/mpich-tests name
  [ -x "$tests/xdlu" ] || return 0
  local files="$tests/*.dat"
  mkdir -p real && cp -L $files real && sed -i 's/^T\(.*Test Cond\. Est\.\)/F\1/' real/LLT.dat real/LU.dat
  for name in ${SCALAPACK_TESTS:-$(cd "$tests" && ls x* | grep -v '^x[CF]btest$\|^x[sd]syevr$')}; do
    files="$tests/*.dat"
    case $name in x[sd]llt | x[sd]lu) files="$work/real/*.dat" ;; esac
    native_limit=${SCALAPACK_NATIVE:-0} limit=200 compare "$name" 4 \
      "grep -i 'tests completed\|passed\|end of tests' | sed 's/[0-9.E+-]*[0-9][.][0-9E.+-]*//g; s/ [1-9][0-9]* tests completed and failed.*/& WRONG/'" \
      '' /dev/null "$tests/$name"
  done
}

# The energy of a water molecule. Natively several ranks of one machine may find another energy or none, because of
# MPICH's windows.
nwchem() {
  [ -x "$root/usr/bin/nwchem.mpich" ] || return 0
  for ranks in 1 2 4; do
    compare nwchem $ranks "sed -n 's/Total SCF energy = *\(-[0-9]*\.[0-9]\{7\}\).*/\1/p' | sed 's/-74.9630631$/& right/; /right/!s/$/ WRONG/'" \
      '' /dev/null "$root/usr/bin/nwchem.mpich" "$sources/water.nw"
  done
}

# The energies of a water molecule.
bagel() {
  [ -x "$root/usr/bin/BAGEL" ] || return 0
  local files="$root/usr/share/bagel/svp.json $root/usr/share/bagel/svp-jkfit.json"
  for ranks in 1 2 3 4; do
    compare bagel $ranks "sed -n 's/.*MP2 total energy: *\(-[0-9]*\.[0-9]\{8\}\).*/\1/p; s/^ *[0-9]* *\(-75\.96094844\) .*/\1/p' | sort -u" \
      '' /dev/null "$root/usr/bin/BAGEL" "$sources/water.json"
  done
}

# A nebula around a hot star, by few random packets of energy, which are equal natively and emulated. The program reads
# its tables below /usr/share, where they exist for this job only.
mocassin() {
  [ -x "$root/usr/bin/mocassin" ] || return 0
  built mpicc.mpich -O -shared -fPIC "$sources/fixed_seed.c" -o fixed_seed.so || return
  printf '#!/bin/sh\nmount -t overlay overlay -o lowerdir=%s/usr/share:/usr/share /usr/share && exec "$@"\n' "$root" >in-share
  chmod +x in-share
  unshare -r -m ./in-share true 2>/dev/null || { echo 'mocassin: no file systems can be mounted here'; return 0; }
  mkdir -p input output && cp "$sources/nebula.in" input/input.in
  cp "$root/usr/share/mocassin/benchmarks/gas/HII40/abunHII40.in" input
  local files="$work/input $work/output" preload=$work/fixed_seed.so starter="unshare -r -m $work/in-share"
  for ranks in 1 2 3 4; do
    compare mocassin $ranks "grep -v 'run time'" \
      "$(echo output/{SED,grid0,grid1,grid2,ionratio,lineFlux,summary,temperature}.out)" /dev/null "$root/usr/bin/mocassin"
  done
}

# A tracer in front of libemu that lies between the program and MPI, as libemu does: the calls that it records.
eztrace() {
  [ -e "$library/libeztrace-mpich.so" ] && command -v otf2-print >/dev/null || return 0
  built mpicc.mpich -O "$sources/traced.c" -o traced || return
  local -x EZTRACE_TRACE=mpich EZTRACE_LIBRARY_PATH=$library EZTRACE_TRACE_DIR=trace
  local preload=$library/libeztrace-core.so:$library/libeztrace-lib.so:$library/libeztrace-mpich.so
  # Without the instants, and the numbers of requests, which are addresses.
  local after='otf2-print trace/traced_trace/eztrace_log.otf2 2>/dev/null | sed -n "s/^\([A-Z_]* *[0-9]*\) *[0-9]* *\(.*\)/\1 \2/p" | sed "s/Request: [0-9]*//" | sort >events'
  for ranks in 1 3 4; do compare eztrace $ranks cat events /dev/null ../traced; done
}

printf '%-18s %5s   %-14s %s\n' program ranks natively emulated
for name in "$@"; do
  case " ${all[*]} " in
    *" $name "*) "$name" || failed=$((failed + 1)) ;;
    *) echo "no such program: $name; there are: ${all[*]}" >&2; exit 2 ;;
  esac
done
[ $tried -gt 0 ] || { echo "none of these programs is there: scripts/programs fetches them"; exit 77; }
[ $failed = 0 ] || { echo "FAILED: $failed"; exit 1; }
