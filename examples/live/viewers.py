"""What those who watch cost a match: the same fast games without a live page, with one that nobody looks at,
with many viewers, and with viewers that take nothing. CPU is read thread by thread from /proc, so that the
thread that plays is seen apart from the one that serves.

    python3 examples/live/viewers.py CHUHE [--viewers 300] [--games 60] [--think 2]
"""

import argparse
import asyncio
import json
import os
import pathlib
import re
import subprocess
import tempfile
import threading
import time

PLIES = 161


def config(games, think, chuhe):
    engine = {"command": chuhe, "protocol": "uci",
              "args": ["fake-engine", "--info", "1"] + (["--think", str(think)] if think else [])}
    return {"entrants": [{"name": "A", "engine": engine}, {"name": "B", "engine": engine}], "time": "1000",
            "format": {"type": "pairs", "pairs": games // 2}, "concurrency": 2}


async def watch(host, port, counts, index, stalled):
    """One viewer; comes back when it is sent away."""
    while True:
        try:
            reader, writer = await asyncio.open_connection(host, port)
            writer.write(f"GET /events HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
            await writer.drain()
            if stalled:
                await asyncio.sleep(3600)
            while piece := await reader.read(1 << 16):
                counts[index] += piece.count(b"event: ")
        except OSError:
            return


def audience(host, port, viewers, stalled, counts, stop):
    async def all_of_them():
        tasks = [asyncio.create_task(watch(host, port, counts, i, i >= viewers)) for i in range(viewers + stalled)]
        while not stop.is_set():
            await asyncio.sleep(0.05)
        for task in tasks:
            task.cancel()
    asyncio.run(all_of_them())


def threads(pid):
    found = {}
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            name = (task / "comm").read_text().strip()
            found[(name, task.name)] = int((task / "schedstat").read_text().split()[0]) / 1e3
        except (OSError, IndexError):
            pass
    return found


def measure(chuhe, games, think, live, viewers, stalled):
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        (place / "c.json").write_text(json.dumps(config(games, think, chuhe)))
        words = [chuhe, "run", "c.json", "--out", "run", "--quiet"] + (["--live", "0"] if live else [])
        began = time.monotonic()
        run = subprocess.Popen(words, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        stop, counts, crowd = threading.Event(), [0] * (viewers + stalled), None
        if live:
            host, port = re.search(r"http://([\d.]+):(\d+)", run.stderr.readline()).groups()
            crowd = threading.Thread(target=audience, args=(host, int(port), viewers, stalled, counts, stop))
            if viewers or stalled:
                crowd.start()
        last = {}
        while run.poll() is None:
            try:
                last.update(threads(run.pid))
            except OSError:
                pass
            time.sleep(0.02)
        took = time.monotonic() - began
        stop.set()
        if crowd and crowd.is_alive():
            crowd.join()
        assert run.returncode == 0, run.returncode
        moves = games * PLIES
        sums = {}
        for (name, _), used in last.items():
            sums[name] = sums.get(name, 0) + used
        # The thread that plays has the program's name.
        playing = sums.get("chuhe", 0) / moves
        serving = sums.get("live", 0) / moves
        over = [json.loads(line) for line in (place / "run/journal.jsonl").open() if '"game_over"' in line]
        late = max(game["runner_delay_us"] for game in over) / 1000
        served = sorted(counts[:viewers])
        told = f"{served[0]}-{served[-1]}" if served else "-"
        return playing, serving, took, late, told


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("chuhe", type=os.path.abspath)
    options.add_argument("--viewers", type=int, default=300)
    options.add_argument("--games", type=int, default=60)
    options.add_argument("--think", type=int, default=2, help="ms an engine takes for a move")
    options.add_argument("--rounds", type=int, default=2)
    given = options.parse_args()
    cases = [("no live page", False, 0, 0), ("nobody watches", True, 0, 0),
             (f"{given.viewers} watch", True, given.viewers, 0), ("20 take nothing", True, 0, 20)]
    print(f"{'':20} {'playing':>12} {'serving':>12} {'wall':>8} {'longest delay':>14}  messages a viewer")
    for _ in range(given.rounds):
        for name, live, viewers, stalled in cases:
            playing, serving, took, late, told = measure(given.chuhe, given.games, given.think, live, viewers, stalled)
            print(f"{name:20} {playing:9.1f} µs {serving:9.1f} µs {took:6.1f} s {late:11.1f} ms  {told}", flush=True)


if __name__ == "__main__":
    main()
