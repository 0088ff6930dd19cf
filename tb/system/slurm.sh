# Sourced by tests that need a Slurm: `slurm_start` brings up a controller and two nodes of one processor each, with munge,
# on the loopback from Debian's packages; `slurm_stop` ends them. `slurm_lacks` says what is missing here; nothing: it can.
slurm_lacks() {
  local tool
  for tool in slurmctld slurmd sbatch squeue scancel munged mungekey; do
    PATH=$PATH:/usr/sbin:/sbin command -v $tool >/dev/null || { echo "no $tool (Debian: slurmctld slurmd slurm-client munge)"; return; }
  done
  [ "$(id -u)" -eq 0 ] || echo "not root, which slurmd needs to start runs"
}

# slurm_start FOLDER: sets SLURM_CONF.
slurm_start() {
  slurm_folder=$1
  slurm_pids=()
  local host
  host=$(hostname -s)
  PATH=$PATH:/usr/sbin:/sbin
  mkdir -p "$slurm_folder"/{state,n1,n2,munge}
  chmod 711 "$slurm_folder" "$slurm_folder/munge"
  mungekey --create --keyfile "$slurm_folder/munge/key" || return 1
  munged --foreground --force --socket "$slurm_folder/munge/socket" --key-file "$slurm_folder/munge/key" --pid-file "$slurm_folder/munge/pid" \
    --seed-file "$slurm_folder/munge/seed" --log-file "$slurm_folder/munge/log" --num-threads 2 >"$slurm_folder/munge/out" 2>&1 &
  slurm_pids+=($!)
  local first=$((20000 + $$ % 20000))
  cat >"$slurm_folder/slurm.conf" <<CONF
ClusterName=loopback
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$first
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$slurm_folder/munge/socket
CredType=cred/munge
StateSaveLocation=$slurm_folder/state
SlurmdSpoolDir=$slurm_folder/%n
SlurmctldPidFile=$slurm_folder/slurmctld.pid
SlurmdPidFile=$slurm_folder/%n.pid
SlurmctldLogFile=$slurm_folder/slurmctld.log
SlurmdLogFile=$slurm_folder/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,batch_sched_delay=0
ReturnToService=2
SlurmdTimeout=5
KillWait=1
MinJobAge=2
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((first + 1)) CPUs=1
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((first + 2)) CPUs=1
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
CONF
  export SLURM_CONF=$slurm_folder/slurm.conf
  for _ in $(seq 50); do [ -S "$slurm_folder/munge/socket" ] && break; sleep 0.1; done
  slurmctld -D -c >"$slurm_folder/slurmctld.out" 2>&1 &
  slurm_pids+=($!)
  slurm_node n1
  slurm_node n2
  for _ in $(seq 150); do
    [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 2 ] && return 0
    sleep 0.1
  done
  return 1
}

# slurm_node NAME: starts its daemon; the process is in the variable slurm_NAME.
slurm_node() {
  slurmd -D -N "$1" >"$slurm_folder/$1.out" 2>&1 &
  slurm_pids+=($!)
  printf -v "slurm_$1" %s $!
}

slurm_stop() {
  scancel --quiet --full --user root 2>/dev/null
  local pid
  for pid in "${slurm_pids[@]}"; do kill "$pid" 2>/dev/null; done
  sleep 0.5
  for pid in "${slurm_pids[@]}"; do kill -9 "$pid" 2>/dev/null; done
  wait "${slurm_pids[@]}" 2>/dev/null
}
