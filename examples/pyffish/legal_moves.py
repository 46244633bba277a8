#!/usr/bin/env python3
"""Compares chuhe's legal moves with pyffish's on random positions.

Half of the positions are reached by random play from the start position, half are put together at
random: each piece on a point that it can reach in some game, both generals, either side to move. Of a
random placement it is also compared whether it can be played at all (the side that waits must not be in
check, the generals must not face each other).

    pip install pyffish
    cargo build --release --example legal_moves
    python3 examples/pyffish/legal_moves.py [--count 20000] [--seed 1] [--program PATH]

Ends with 0 if nothing differs, with 1 after printing what does. pyffish counts ranks from 1, chuhe from 0.
"""

import argparse
import pathlib
import random
import subprocess
import sys

import pyffish

VARIANT = "xiangqi"
LONGEST_GAME = 250
SHOWN = 20
SETS = [("A", 2), ("B", 2), ("N", 2), ("R", 2), ("C", 2), ("P", 5)]
FILES = "abcdefghi"
DEFAULT_PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "target/release/examples/legal_moves"


def zero_style(move):
    """`h10g8` -> `h9g7`."""
    second = next(at for at in range(1, len(move)) if move[at].isalpha())
    return "".join(f"{part[0]}{int(part[1:]) - 1}" for part in (move[:second], move[second:]))


def points_of(letter):
    """The (file, rank) points that a red piece can stand on, ranks 0 to 9 from Red's home."""
    everywhere = [(file, rank) for file in range(9) for rank in range(10)]
    if letter == "K":
        return [(file, rank) for file, rank in everywhere if 3 <= file <= 5 and rank <= 2]
    if letter == "A":
        return [(3, 0), (5, 0), (4, 1), (3, 2), (5, 2)]
    if letter == "B":
        return [(2, 0), (6, 0), (0, 2), (4, 2), (8, 2), (2, 4), (6, 4)]
    if letter == "P":
        return [(file, rank) for file, rank in everywhere if rank >= 5 or (rank >= 3 and file % 2 == 0)]
    return everywhere


POINTS = {letter: points_of(letter) for letter in "KABNRCP"}


def fen_of(board, side):
    ranks = []
    for rank in range(9, -1, -1):
        text = "".join(board.get((file, rank), ".") for file in range(9))
        for width in range(9, 0, -1):
            text = text.replace("." * width, str(width))
        ranks.append(text)
    return f"{'/'.join(ranks)} {side} - - 0 1"


def placement(rng):
    """A random board with both generals and some part of each set, as (fen, fen with the other to move)."""
    board = {}
    share = rng.random()
    wanted = ["K", "k"]
    for letter, most in SETS:
        for cased in (letter, letter.lower()):
            wanted += [cased] * sum(rng.random() < share for _ in range(most))
    for letter in wanted:
        points = POINTS[letter.upper()]
        if letter.islower():
            points = [(file, 9 - rank) for file, rank in points]
        free = [point for point in points if point not in board]
        if free:
            board[rng.choice(free)] = letter
    side, other = rng.choice([("w", "b"), ("b", "w")])
    return board, fen_of(board, side), fen_of(board, other)


def facing(board):
    """Whether the generals see each other."""
    places = {letter: point for point, letter in board.items() if letter in "Kk"}
    (file, low), (other, high) = places["K"], places["k"]
    return file == other and not any((file, rank) in board for rank in range(low + 1, high))


def start_board():
    """The start position as {(file, rank): letter}."""
    board = {}
    for row, text in enumerate(pyffish.start_fen(VARIANT).split()[0].split("/")):
        file = 0
        for letter in text:
            if letter.isdigit():
                file += int(letter)
            else:
                board[file, 9 - row] = letter
                file += 1
    return board


def by_play(rng, comparison, count):
    """Compares `count` positions of random games. pyffish is slow to start on a position (over 1 ms a
    call), so it is asked once a position and the pieces are moved here."""
    while True:
        board, side, other = start_board(), "w", "b"
        for _ in range(LONGEST_GAME):
            if comparison.positions == count:
                return
            moves = comparison.compare(fen_of(board, side))
            if not moves:
                break
            move = rng.choice(moves)
            start, end = ((FILES.index(move[at]), int(move[at + 1])) for at in (0, 2))
            board[end] = board.pop(start)
            side, other = other, side


class Chuhe:
    """The program that answers a FEN with its legal moves."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, fen):
        self.process.stdin.write(fen + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer.endswith("\n"):
            sys.exit(f"the program ended at {fen}")
        return answer.strip()

    def end(self):
        self.process.stdin.close()
        self.process.wait()


class Comparison:
    """Counts, and what differs."""

    def __init__(self, chuhe):
        self.chuhe = chuhe
        self.positions = self.moves = self.mates = self.differences = 0

    def differ(self, fen, what):
        self.differences += 1
        if self.differences <= SHOWN:
            print(f"DIFFERENT {fen}\n    {what}")

    def compare(self, fen):
        """Compares one position; returns pyffish's moves in the zero style."""
        theirs = sorted(map(zero_style, pyffish.legal_moves(VARIANT, fen, [])))
        answer = self.chuhe.ask(fen)
        self.positions += 1
        self.moves += len(theirs)
        self.mates += not theirs
        if answer.startswith("error"):
            self.differ(fen, f"chuhe cannot play it: {answer}")
            return theirs
        ours = answer.split()
        if ours != theirs:
            only_ours, only_theirs = sorted(set(ours) - set(theirs)), sorted(set(theirs) - set(ours))
            self.differ(fen, f"only chuhe: {only_ours}, only pyffish: {only_theirs}")
        return theirs

    def refuse(self, fen):
        if not self.chuhe.ask(fen).startswith("error"):
            self.differ(fen, "chuhe plays it although the side that waits is in check")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", default=str(DEFAULT_PROGRAM))
    options = parser.parse_args()
    rng = random.Random(options.seed)
    comparison = Comparison(Chuhe(options.program))

    by_play(rng, comparison, options.count // 2)
    refused = 0
    while comparison.positions < options.count:
        board, fen, other = placement(rng)
        if facing(board) or pyffish.gives_check(VARIANT, other, []):
            comparison.refuse(fen)
            refused += 1
        else:
            comparison.compare(fen)
    comparison.chuhe.end()

    print(
        f"{comparison.positions} positions ({options.count // 2} by play), {comparison.moves} legal moves, "
        f"{comparison.mates} without a move; {refused} placements that cannot be played; "
        f"{comparison.differences} differences"
    )
    sys.exit(1 if comparison.differences else 0)


if __name__ == "__main__":
    main()
