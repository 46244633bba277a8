#!/usr/bin/env python3
"""Kills the runner with SIGKILL at random moments of short runs, looks for what is left alive, resumes, and
compares with the run that nobody disturbed.

    cargo build --release
    python3 examples/endurance/kills.py --count 200 [--seed N] [--binary target/release/chuhe]

Each run is a config below with engines of every behaviour, of at most some three seconds. After each kill no
process that the run had started may live longer than a second; the finished games of the journal must be in
the resumed one unchanged, every game must be there once, and games and table must equal the undisturbed run's.
A resumed run is killed again once in three times. Ends with 1 if anything was wrong. Needs Linux and nothing
but Python.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid

MARK = "CHUHE_ENDURANCE"
SOON = 1.0


def fake(name, *switches):
    return {"name": name, "engine": {"command": BINARY, "args": ["fake-engine", *switches], "protocol": "uci"}}


def level(name, level):
    return {"name": name, "engine": "sparring", "options": {"Level": level, "Seed": level}}


def configs():
    """Short runs whose games do not depend on the machine: limits by nodes, faults at given plies."""
    behaved = [level("L2", 2), level("L4", 4), level("L6", 6)]
    common = {"seed": 7, "crash": "loses", "rules": {"max_plies": 161}}
    yield "levels", dict(common, entrants=behaved, time="nodes=2000", format="round-robin", concurrency=1)
    yield "levels, three at once", dict(
        common, entrants=behaved, time="nodes=2000", format="round-robin", concurrency=3)
    crashing = [
        fake("exits", "--exit-at-ply", "8", "--exit-at-ply", "9"),
        fake("aborts", "--crash-at-ply", "20", "--crash-at-ply", "21"),
        fake("cheats", "--illegal-at-ply", "30", "--illegal-at-ply", "31"),
        fake("null", "--null-move"),
        fake("plays"),
    ]
    yield "crashes and cheats", dict(
        common, entrants=crashing, time="nodes=100", format="round-robin", concurrency=2)
    stubborn = [
        fake("deaf", "--ignore-quit", "--ignore-eof", "--think", "1"),
        fake("parent", "--fork-grandchild", "--think", "1"),
        fake("floods", "--flood", "200", "--stderr-flood", "2000"),
        fake("halves", "--half-line", "--info", "3"),
    ]
    yield "stubborn", dict(
        common, entrants=stubborn, time="nodes=100", format="round-robin", concurrency=3)
    script = pathlib.Path(FOLDER) / "engine.sh"
    script.write_text(f"#!/bin/sh\ntrap '' TERM HUP\n'{BINARY}' fake-engine --ignore-eof --think 2\ntrue\n")
    script.chmod(0o755)
    wrapped = {"name": "behind a script", "engine": {"command": str(script), "protocol": "uci"}}
    yield "behind a script, by the move", dict(
        common, entrants=[wrapped, fake("plays")], time="nodes=100", journal="move",
        format={"type": "pairs", "pairs": 2}, concurrency=2)
    hanging = [fake("hangs", "--hang-at-ply", "40", "--hang-at-ply", "41"), fake("plays")]
    yield "hangs", dict(
        common, entrants=hanging, time="nodes=100", patience=0.2, format={"type": "pairs", "pairs": 2},
        concurrency=2)


def command(*args):
    return [BINARY, *args, "--quiet"]


def start(args, mark):
    environment = dict(os.environ, **{MARK: mark})
    return subprocess.Popen(
        args, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)


def alive(mark):
    """Processes with our mark in their environment, zombies left out."""
    found = []
    needle = f"{MARK}={mark}".encode()
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            environment = pathlib.Path(entry.path, "environ").read_bytes().split(b"\0")
            if needle in environment:
                state = pathlib.Path(entry.path, "stat").read_text().rsplit(")", 1)[1].split()[0]
                if state != "Z":
                    words = pathlib.Path(entry.path, "cmdline").read_bytes().split(b"\0")
                    found.append((int(entry.name), b" ".join(words).decode(errors="replace")))
        except (OSError, IndexError):
            pass
    return found


def games(out):
    """The finished games of a folder, by id; a doubled one is an error. A torn last line is none."""
    finished = {}
    path = pathlib.Path(out, "journal.jsonl")
    if not path.exists():
        return finished
    for line in path.read_bytes().split(b"\n"):
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if event.get("what") == "game_over":
            game = event["game"]
            assert game not in finished, f"game {game} stands twice"
            end = event["termination"]
            finished[game] = (event["red"], event["black"], event["moves"], end["kind"], end.get("loser"))
    return finished


def table(out):
    return pathlib.Path(out, "crosstable.csv").read_text()


def whole_run(config, name):
    """The undisturbed run: its games, its table, and how long it took."""
    out = tempfile.mkdtemp(dir=FOLDER)
    mark = uuid.uuid4().hex
    began = time.monotonic()
    process = start(command("run", config, "--out", os.path.join(out, "run")), mark)
    _, errors = process.communicate(timeout=120)
    took = time.monotonic() - began
    assert process.returncode == 0, f"{name}: exit {process.returncode}: {errors.decode()}"
    assert not alive(mark), f"{name}: left alive: {alive(mark)}"
    out = os.path.join(out, "run")
    return games(out), table(out), took


def kill(process, mark, delay):
    """Kills the runner after a delay. Gives the engines seen at that moment, the slowest end, whether it hit."""
    try:
        process.wait(timeout=delay)
        process.stderr.close()
        return 0, 0.0, False
    except subprocess.TimeoutExpired:
        pass
    seen = len(alive(mark)) - 1
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stderr.close()
    killed = time.monotonic()
    while alive(mark):
        if time.monotonic() - killed > SOON:
            raise AssertionError(f"alive a second after the kill: {alive(mark)}")
        time.sleep(0.01)
    return seen, time.monotonic() - killed, True


def one(config, whole, dice):
    """One run killed and resumed until it ends. Gives kills that hit, engines seen, the slowest end."""
    known, known_table, took = whole
    out = os.path.join(tempfile.mkdtemp(dir=FOLDER), "run")
    args = command("run", config, "--out", out)
    kills, engines, slowest = 0, 0, 0.0
    again = True
    while again:
        mark = uuid.uuid4().hex
        seen, end, hit = kill(start(args, mark), mark, dice.uniform(0.0, took))
        kills, engines, slowest = kills + hit, engines + max(seen, 0), max(slowest, end)
        before = games(out)
        assert all(known.get(game) == facts for game, facts in before.items()), "a finished game is another"
        if os.path.exists(os.path.join(out, "journal.jsonl")) and os.path.getsize(os.path.join(out, "journal.jsonl")):
            args = command("resume", out)
        again = hit and dice.random() < 1 / 3
    process = start(args, mark := uuid.uuid4().hex)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, f"resume: exit {process.returncode}: {errors.decode()}"
    after = games(out)
    assert all(after.get(game) == facts for game, facts in before.items()), "a finished game was lost"
    assert after == known, f"other games: {set(after) ^ set(known)}"
    assert table(out) == known_table, "another table"
    assert not alive(mark), f"left alive after the end: {alive(mark)}"
    shutil.rmtree(os.path.dirname(out))
    return kills, engines, slowest


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--binary", default="target/release/chuhe")
    given = parser.parse_args()
    global BINARY, FOLDER
    BINARY = os.path.abspath(given.binary)
    FOLDER = tempfile.mkdtemp(prefix="chuhe-kills-")
    dice = random.Random(given.seed)
    runs = []
    for name, config in configs():
        path = os.path.join(FOLDER, f"config-{len(runs)}.json")
        pathlib.Path(path).write_text(json.dumps(config))
        whole = whole_run(path, name)
        print(f"{name}: {len(whole[0])} games in {whole[2]:.2f} s")
        runs.append({"name": name, "path": path, "whole": whole, "kills": 0, "engines": 0, "slowest": 0.0})
    kills, wrong, number = 0, 0, 0
    while kills < given.count and wrong == 0:
        run = runs[number % len(runs)]
        number += 1
        try:
            hit, engines, slowest = one(run["path"], run["whole"], dice)
        except AssertionError as error:
            wrong += 1
            print(f"WRONG: {run['name']}, seed {given.seed}, run {number}: {error}")
            continue
        kills += hit
        run["kills"] += hit
        run["engines"] += engines
        run["slowest"] = max(run["slowest"], slowest)
    for run in runs:
        print(f"{run['name']}: {run['kills']} kills, {run['engines']} processes alive at them, "
              f"all ended within {run['slowest'] * 1000:.0f} ms")
    print(f"{kills} kills, {number} runs resumed to their end, {wrong} wrong")
    if wrong == 0:
        shutil.rmtree(FOLDER)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
