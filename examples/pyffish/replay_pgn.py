#!/usr/bin/env python3
"""Replays every game of PGN files with pyffish and fails on the first thing that is not legal.

    pip install pyffish
    python3 examples/pyffish/replay_pgn.py results/RUN/games.pgn [MORE.pgn ..]

Moves are ICCS (`H2-E2`), start positions come from `[FEN]` tags. It also fails when a file holds no game,
when a game that ends without a legal move is not lost for the side to move, or when the result tag and
the result at the end of the moves differ. Ends with 0 and a line of counts, or with 1 after naming each
game, half-move and reason.
"""

import collections
import re
import sys

import pyffish

VARIANT = "xiangqi"
RESULTS = {"1-0", "0-1", "1/2-1/2", "*"}
TAG = re.compile(r'^\s*\[(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]\s*$')
MOVE = re.compile(r"^([A-Ia-i])([0-9])-?([A-Ia-i])([0-9])$")
NUMBER = re.compile(r"^[0-9]+\.+")


def games(text):
    """Splits PGN text into (tags, words of the moves). Comments in braces may cross lines."""
    tags, words, comment = {}, [], False
    for line in text.splitlines():
        if not comment and (tag := TAG.match(line)):
            if words:
                yield tags, words
                tags, words = {}, []
            tags[tag[1]] = tag[2]
            continue
        for piece in re.split(r"([{}])", line):
            if piece == "{":
                comment = True
            elif piece == "}":
                comment = False
            elif not comment:
                words += (NUMBER.sub("", word) for word in piece.split(";")[0].split())
    if tags or words:
        yield tags, words


def one_style(word):
    """`H9-G7` -> `h10g8`, as pyffish counts ranks; None if it is no ICCS move."""
    move = MOVE.match(word)
    if not move:
        return None
    return f"{move[1].lower()}{int(move[2]) + 1}{move[3].lower()}{int(move[4]) + 1}"


def replay(tags, words):
    """Plays one game; returns (plies, how it ended) or raises ValueError with the reason."""
    start = tags.get("FEN", pyffish.start_fen(VARIANT))
    words = [word for word in words if word.strip(".") and not word.startswith("$")]
    end = words.pop() if words and words[-1] in RESULTS else None
    if end is None:
        raise ValueError("no result at the end of the moves")
    if end != tags.get("Result", end):
        raise ValueError(f"the tag says {tags['Result']}, the end of the moves {end}")
    fen = start
    for ply, word in enumerate(words, 1):
        move = one_style(word)
        if move is None:
            raise ValueError(f"half-move {ply}: '{word}' is no ICCS move")
        legal = pyffish.legal_moves(VARIANT, fen, [])
        if move not in legal:
            raise ValueError(f"half-move {ply}: {word} is not legal in {fen}")
        fen = pyffish.get_fen(VARIANT, fen, [move])
    if pyffish.legal_moves(VARIANT, fen, []):
        return len(words), "ended with moves left"
    side = fen.split()[1]
    if end != ("0-1" if side == "w" else "1-0"):
        raise ValueError(f"no legal move in {fen}, but the result is {end}")
    return len(words), "mate" if pyffish.gives_check(VARIANT, fen, []) else "stalemate"


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    failures, plies, ends = 0, 0, collections.Counter()
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as file:
            found = list(games(file.read()))
        if not found:
            print(f"{name}: holds no game")
            failures += 1
        for number, (tags, words) in enumerate(found, 1):
            try:
                played, end = replay(tags, words)
                plies += played
                ends[end] += 1
            except ValueError as reason:
                pair = f"{tags.get('Red', tags.get('White', '?'))} - {tags.get('Black', '?')}"
                print(f"{name}: game {number} ({pair}): {reason}")
                failures += 1
    counts = ", ".join(f"{count} {end}" for end, count in sorted(ends.items()))
    print(f"{sum(ends.values())} games replayed, {plies} half-moves, all legal: {counts or 'none'}; {failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
