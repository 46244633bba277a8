#!/usr/bin/env python3
"""Runs many short games with restarts and faults, and watches the runner: memory, descriptors, threads and
processes, sampled by the number of finished games.

    cargo build --release
    python3 examples/endurance/soak.py --games 20000 [--binary target/release/chuhe]

Engines of the program itself exit, cheat, flood and are started again for each game; others are kept. Prints a
line at each sample and at the end whether the figures stayed flat from game 500 on: as many descriptors,
threads and processes as then (those of games at once may come and go), and memory within the allowance a game
(see ALLOWED: some 45 bytes a game stay, because tables, rulings and the sorted file of games need every game to
the end of the run; the rest is what a table drawn over all games takes for a moment, and what waits to be shown
meanwhile: on a machine that is busy with other work more waits). Ends with 1 if not. Needs Linux and nothing but
Python.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

# What a finished game may add to the resident memory, in bytes. It stays with
# - 35 bytes packed (number, players, result, end, times, plies, a short hash of its moves): tables, the list of
#   games and the chief referee's decisions need each game to the end of the run; once, however many threads
#   show the run;
# - 8 bytes for its place in games.pgn, which is put in the order of the schedule at the end;
# - the text of its end and the last line of its engine, where no earlier game had the same.
# The rest is not kept: the tables are drawn every few seconds from a list of all results (32 bytes each, for a
# moment), and the allocator keeps the most of that resident. Moves, thoughts and times a move are in the
# journal alone.
ALLOWED = 200


def fake(name, *switches, **fields):
    engine = dict({"command": BINARY, "args": ["fake-engine", *switches], "protocol": "uci"}, **fields)
    return {"name": name, "engine": engine}


def config(games, concurrency):
    entrants = [fake(f"plays {seed}", "--random", str(seed)) for seed in range(5)]
    for seed in range(2):
        ply = str(4 + 2 * seed)
        entrants += [
            fake(f"exits {seed}", "--exit-at-ply", ply, "--exit-at-ply", str(int(ply) + 1)),
            fake(f"cheats {seed}", "--illegal-at-ply", ply, "--illegal-at-ply", str(int(ply) + 1), "--info", "5"),
            fake(f"null {seed}", "--null-move", "--stderr-flood", "20"),
            fake(f"floods {seed}", "--flood", "50", "--random", str(seed)),
            fake(f"started again {seed}", "--half-line", "--random", str(seed), reuse=False),
        ]
    pairs = len(entrants) * (len(entrants) - 1) // 2
    return {
        "seed": 3,
        "entrants": entrants,
        "time": "nodes=100",
        "format": {"type": "round-robin", "cycles": max(1, -(-games // pairs))},
        "rules": {"max_plies": 12},
        "concurrency": concurrency,
    }


def status(pid):
    """Resident KB, threads, descriptors, and processes below."""
    fields = dict(
        line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines())
    children = 0
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                stat = pathlib.Path(entry.path, "stat").read_text().rsplit(")", 1)[1].split()
                children += stat[1] == str(pid)
            except (OSError, IndexError):
                pass
    return {
        "kb": int(fields["VmRSS"].split()[0]),
        "threads": int(fields["Threads"]),
        "descriptors": len(os.listdir(f"/proc/{pid}/fd")),
        "processes": children,
    }


class Counter:
    """Counts the finished games of a journal that grows."""

    def __init__(self, path):
        self.path, self.at, self.games, self.rest = path, 0, 0, b""

    def read(self):
        try:
            with open(self.path, "rb") as file:
                file.seek(self.at)
                new = file.read()
        except FileNotFoundError:
            return 0
        self.at += len(new)
        *lines, self.rest = (self.rest + new).split(b"\n")
        self.games += sum(b'"what":"game_over"' in line[:80] for line in lines)
        return self.games


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--concurrency", type=int, default=2)
    parser.add_argument("--binary", default="target/release/chuhe")
    given = parser.parse_args()
    global BINARY
    BINARY = os.path.abspath(given.binary)
    folder = tempfile.mkdtemp(prefix="chuhe-soak-")
    path = os.path.join(folder, "config.json")
    pathlib.Path(path).write_text(json.dumps(config(given.games, given.concurrency)))
    out = os.path.join(folder, "run")
    began = time.monotonic()
    process = subprocess.Popen([BINARY, "run", path, "--out", out, "--quiet"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    counter = Counter(os.path.join(out, "journal.jsonl"))
    samples, due = [], 500
    while process.poll() is None:
        games = counter.read()
        if games >= due:
            try:
                # The most of a few looks: a game that is just being changed has fewer processes.
                looks = [status(process.pid) for _ in range(5) if time.sleep(0.02) is None]
            except (OSError, KeyError):
                break
            sample = {key: max(look[key] for look in looks) for key in looks[0]}
            samples.append((games, sample))
            print(f"game {games:6}: {sample['kb']} KB, {sample['descriptors']} descriptors, "
                  f"{sample['threads']} threads, {sample['processes']} processes", flush=True)
            due = 2000 if due == 500 else due + 2000
        time.sleep(0.05)
    errors = process.stderr.read().decode()
    games, took = counter.read(), time.monotonic() - began
    print(f"{games} games in {took:.1f} s, exit {process.returncode} {errors.strip()}")
    if process.returncode != 0 or len(samples) < 2:
        sys.exit(1)
    (first_game, first), (last_game, last) = samples[0], samples[-1]
    grown = 1024 * (last["kb"] - first["kb"]) / max(1, last_game - first_game)
    # Each game at once may hold two engines with three pipes, a pidfd and a shim.
    slack = 8 * given.concurrency
    flat = {
        "memory": grown <= ALLOWED,
        "descriptors": last["descriptors"] <= first["descriptors"] + slack,
        "threads": last["threads"] <= first["threads"],
        "processes": last["processes"] <= first["processes"] + slack,
    }
    print(f"memory grew by {grown:.0f} bytes a game from game {first_game} to {last_game}")
    for what, is_flat in flat.items():
        print(f"{what}: {'flat' if is_flat else 'NOT FLAT'}")
    sys.exit(0 if all(flat.values()) else 1)


if __name__ == "__main__":
    main()
