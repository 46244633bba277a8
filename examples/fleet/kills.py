#!/usr/bin/env python3
"""Kills workers, coordinator and server of a fleet at random and shows that every game counts once.

    examples/fleet/kills.py --chuhe target/debug/chuhe --kills 50

A run by nodes is played at home and by a fleet on this machine whose members are killed with SIGKILL and started
again. At the end the games of both journals must be the same, each once, and the server must hold one result a pair.
"""

import argparse
import json
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def config(pairs):
    entrants = [
        {"name": f"E{seed}", "engine": "sparring", "options": {"Level": 3, "Seed": seed, "Noise": 40}}
        for seed in (1, 2)
    ]
    return {
        "entrants": entrants,
        "time": "nodes=300",
        "format": {"type": "pairs", "pairs": pairs},
        "openings": {"file": "@chuhe-500", "order": "shuffled"},
        "rules": {"max_plies": 80},
        "transcripts": False,
        "concurrency": 2,
    }


def games(folder):
    """The games of a journal: id -> (moves, result); an id that comes twice is an error."""
    found = {}
    for line in (folder / "journal.jsonl").read_bytes().splitlines(keepends=True):
        if not line.endswith(b"\n"):
            continue
        event = json.loads(line)
        if event["what"] == "game_over":
            assert event["game"] not in found, f"{event['game']} counts twice"
            found[event["game"]] = (event["moves"], event["result"])
    return found


class Fleet:
    def __init__(self, chuhe, server, folder, lease):
        self.chuhe, self.server, self.folder, self.lease = chuhe, server, folder, lease
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"nats://127.0.0.1:{self.port}"
        self.log = open(folder / "log.txt", "ab")
        self.running = {}
        self.began = False

    def popen(self, *words):
        return subprocess.Popen(words, cwd=self.folder, stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL)

    def start(self, name):
        if name == "server":
            process = self.popen(self.server, "-js", "-a", "127.0.0.1", "-p", str(self.port), "-sd", "jetstream")
            while socket.socket().connect_ex(("127.0.0.1", self.port)) != 0:
                time.sleep(0.05)
        elif name == "coordinator":
            where = ["resume", "run"] if self.began else ["run", "config.json", "--out", "run"]
            process = self.popen(self.chuhe, *where, "--fleet", self.url, "--lease", self.lease, "-q")
        else:
            process = self.popen(self.chuhe, "worker", "--fleet", self.url, "--name", name)
        self.running[name] = process

    def kill(self, name):
        process = self.running.pop(name)
        process.send_signal(signal.SIGKILL)
        process.wait()

    def journal(self):
        return (self.folder / "run" / "journal.jsonl").exists()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chuhe", default="target/release/chuhe")
    parser.add_argument("--server", default="/usr/sbin/nats-server")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--pairs", type=int, default=250)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pause", type=float, default=1.5, help="longest time between two kills, in seconds")
    arguments = parser.parse_args()
    chuhe = str(Path(arguments.chuhe).resolve())
    dice = random.Random(arguments.seed)
    folder = Path(tempfile.mkdtemp(prefix="chuhe-fleet-"))
    (folder / "config.json").write_text(json.dumps(config(arguments.pairs)))
    subprocess.run([chuhe, "run", "config.json", "--out", "home", "-q"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    home = games(folder / "home")
    print(f"{len(home)} games at home; everything is in {folder}", flush=True)

    fleet = Fleet(chuhe, arguments.server, folder, "2s")
    names = ["server", "coordinator", "one", "two", "three"]
    counts = dict.fromkeys(["server", "coordinator", "worker"], 0)
    for name in names:
        fleet.start(name)
    while not fleet.journal():
        time.sleep(0.05)
    fleet.began = True
    began = time.monotonic()
    kills = 0
    while kills < arguments.kills:
        time.sleep(dice.uniform(0.05, arguments.pause))
        if fleet.running["coordinator"].poll() is not None:
            print(f"over after {kills} kills; give it more --pairs")
            break
        name = dice.choice(names)
        fleet.kill(name)
        time.sleep(dice.uniform(0, 0.5))
        fleet.start(name)
        counts[name if name in counts else "worker"] += 1
        kills += 1
    at_last_kill = len(games(folder / "run"))
    code = fleet.running["coordinator"].wait(timeout=900)
    took = time.monotonic() - began
    status = subprocess.run([chuhe, "fleet", "status", "--fleet", fleet.url], capture_output=True, text=True).stdout
    for name in list(fleet.running):
        fleet.kill(name)
    played = games(folder / "run")
    print(f"{kills} kills {counts} in {took:.0f} s, {at_last_kill} games at the last one; coordinator's exit code {code}")
    print(status.split("runs\n")[-1])
    wrong = [game for game in home if played.get(game) != home[game]]
    stored = f"0 at the server, {arguments.pairs} results" in status
    print(f"games: {len(played)} of {len(home)}, different or lost: {len(wrong)}, one result a pair: {stored}")
    sys.exit(0 if code == 0 and not wrong and len(played) == len(home) and stored else 1)


if __name__ == "__main__":
    main()
