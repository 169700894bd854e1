# SPDX-License-Identifier: Apache-2.0
"""Rows of a table that show every pair of levels of any two factors, as few as a greedy search finds.

    factors = {"colour": ["red", "green"], "size": ["s", "m", "l"], ...}
    for row in pairwise.rows(factors, is_allowed):        {"colour": "red", "size": "m", ...}

is_allowed(row) judges rows, whole and half made (a factor that has no level yet is missing), and must not forbid
what only a later choice can make right. The same table has the same rows every time.

After the search of Cohen, Dalal, Fredman and Patton, "The AETG system" (IEEE Transactions on Software
Engineering 23, 1997): a row begins with a pair that is still missing, then each factor takes the level that shows most.
"""
import itertools
import random

CANDIDATES = 12  # of which the best becomes the next row


def pairs_of(row):
    """The pairs that a row shows, as frozensets of two (factor, level)."""
    return {frozenset(pair) for pair in itertools.combinations(row.items(), 2)}


def all_pairs(factors, is_allowed):
    """Every pair of levels that a row may have."""
    pairs = set()
    for (a, levels), (b, others) in itertools.combinations(factors.items(), 2):
        pairs |= {frozenset([(a, x), (b, y)]) for x in levels for y in others if is_allowed({a: x, b: y})}
    return pairs


def _grow(factors, is_allowed, missing, start, rng):
    """A whole row around a pair; None where no level of a factor is allowed."""
    row = dict(start)
    names = [name for name in factors if name not in row]
    rng.shuffle(names)
    for name in names:
        levels = [level for level in factors[name] if is_allowed({**row, name: level})]
        if not levels:
            return None
        rng.shuffle(levels)
        row[name] = max(levels, key=lambda level: sum(frozenset([(name, level), other]) in missing
                                                      for other in row.items()))
    return {name: row[name] for name in factors}


def rows(factors, is_allowed, seed=1):
    """The rows, as a list; raises ValueError where a pair that is allowed fits into no row."""
    rng = random.Random(seed)
    missing = all_pairs(factors, is_allowed)
    found = []
    while missing:
        start = min(missing, key=lambda pair: sorted(pair))
        grown = [_grow(factors, is_allowed, missing, start, rng) for _ in range(CANDIDATES)]
        grown = [row for row in grown if row]
        if not grown:
            raise ValueError(f"no row can have {sorted(start)}")
        best = max(grown, key=lambda row: len(pairs_of(row) & missing))
        missing -= pairs_of(best)
        found.append(best)
    return found
