#!/bin/sh
# Workers of a batch system: `sbatch --array=1-20 slurm.sh`. Each ends by itself when there is nothing to play; when
# its time is over it is told half an hour before (`B:`, for it takes the place of the batch shell), finishes its pairs
# and goes. Without Slurm, by ssh:
#   for host in a b c; do ssh $host chuhe worker --fleet nats://nats.example.org --slots 8 --idle-exit 10m & done
#SBATCH --job-name=chuhe-worker
#SBATCH --cpus-per-task=8
#SBATCH --time=12:00:00
#SBATCH --signal=B:INT@1800
#SBATCH --requeue
exec chuhe worker --fleet nats://nats.example.org --creds "$HOME/worker.creds" \
    --slots 8 --allow alice --idle-exit 10m --name "slurm-${SLURM_JOB_ID:-0}-${SLURM_ARRAY_TASK_ID:-0}"
