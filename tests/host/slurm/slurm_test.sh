#!/bin/bash
# slurm_test.sh EMU MASE EXAMPLE TARGET BUILD: emulated programs under a Slurm of one machine, started for this test: by
# srun, by mpirun and emu run inside an allocation, and by the example script. The predictions equal those under plain
# mpirun. Exit code 77 (skipped) if there is no Slurm.
emu=$(realpath "$1") mase=$(realpath "$2") example=$(realpath "$3") target=$(realpath "$4") build=$(realpath "$5")
skip() { echo "skipped: $*"; exit 77; }
for tool in slurmctld slurmd srun sbatch salloc sinfo; do
  command -v $tool >/dev/null || skip "$tool is not installed (Debian: apt install slurm-wlm)"
done
[ "$(id -u)" = 0 ] || skip 'slurmd needs root'
. "$(dirname "$0")/../../lib.bash"

free_ports() { python3 -c 'import socket
s = [socket.socket() for _ in range(2)]
for x in s: x.bind(("127.0.0.1", 0))
print(*[x.getsockname()[1] for x in s])'; }
read -r controller_port node_port < <(free_ports)
name=$(hostname -s)
mkdir slurm slurm/state slurm/spool
export SLURM_CONF=$folder/slurm/slurm.conf
# No munge: all daemons and commands belong to one machine and one user.
cat >"$SLURM_CONF" <<END
ClusterName=emu
SlurmctldHost=$name(127.0.0.1)
SlurmctldPort=$controller_port
SlurmdPort=$node_port
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/none
CredType=cred/none
StateSaveLocation=$folder/slurm/state
SlurmdSpoolDir=$folder/slurm/spool
SlurmctldPidFile=$folder/slurm/controller.pid
SlurmdPidFile=$folder/slurm/node.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=$name NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
controller='' node=''
end_daemons() {
  local pid _
  for pid in $node $controller; do kill "$pid" 2>/dev/null; done
  for _ in $(seq 50); do
    kill -0 $node 2>/dev/null || kill -0 $controller 2>/dev/null || break
    sleep 0.1
  done
  for pid in $node $controller; do kill -KILL "$pid" 2>/dev/null; done
  wait
}
trap 'end_daemons; rm -rf "$folder"' EXIT
trap 'exit 143' INT TERM
slurmctld -D -i >slurm/controller.log 2>&1 &
controller=$!
slurmd -D >slurm/node.log 2>&1 &
node=$!
for _ in $(seq 100); do
  sinfo -h -o %T 2>/dev/null | grep -q idle && break
  sleep 0.1
done
sinfo -h -o %T 2>/dev/null | grep -q idle || { tail slurm/*.log; echo 'FAIL: Slurm does not come up'; exit 1; }
srun --mpi=list 2>&1 | grep -q pmi2 || skip 'srun has no plugin pmi2'

# same NAME RANKS COMMAND...: the record of the run equals that of plain mpirun.
work=("$mase" --size 8 --cost-per-pixel 795us)
mpirun=$(command -v mpirun.mpich mpirun | head -n 1)
export EMU_TARGET=$target
for ranks in 3 6; do EMU_RECORD=$folder/plain.$ranks timeout 60 "$mpirun" -n $ranks "${work[@]}" >out 2>err || fail 'mpirun'; done
same() {
  local name=$1 ranks=$2
  shift 2
  EMU_RECORD=$folder/record timeout 60 "$@" >out 2>err </dev/null || fail "$name: exit code $?"
  cmp record plain.$ranks || fail "$name: another prediction than with mpirun"
  rm -f record
}
same 'srun' 3 srun --mpi=pmi2 -n 3 "${work[@]}"
same 'srun with more ranks than cores' 6 srun --mpi=pmi2 -n 6 --overcommit "${work[@]}"
same 'mpirun in an allocation' 3 salloc -n 3 "$mpirun" -n 3 "${work[@]}"
grep -q 'Granted job allocation' err || fail 'salloc was not used'
timeout 60 salloc -n 2 "$emu" run -n 3 --target "$target" --json run.json "${work[@]}" >out 2>err || fail 'emu run in an allocation'

# A failing program ends its job.
timeout 60 srun --mpi=pmi2 -n 3 "$mase" --size 0 >out 2>err && fail 'srun: bad input ends with exit code 0'

# The example, with fewer ranks.
export EMU_BUILD=$build EMU_RECORD=$folder/example.record
(cd "$(dirname "$example")/.." && timeout 120 sbatch --wait -n 6 -o "$folder/out" -e "$folder/err" "$example" "${work[@]}" >/dev/null 2>&1) ||
  fail 'the example'
cmp example.record plain.6 || fail 'the example: another prediction than with mpirun'
grep -q '^emu: predicted .* on 6 ranks' err || fail 'the example: emu run says nothing'
[ -z "$(squeue -h)" ] || fail "jobs are left: $(squeue)"
unset EMU_TARGET EMU_RECORD
conclude
