#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The colours of pictures can be told apart: text on each has a contrast of 4.5:1, and any two kinds of frames have a distance of 11
(CIEDE2000), and as much from the background, for people who see all colours and for three kinds of colour blindness, in both schemes. The texts of the page can be read
where they stand, and its heat only gets darker, or lighter.

Contrast: WCAG 2.1. Colour blindness: the matrices of Machado, Oliveira and Fernandes (2009), severity 1.0. Distance: Sharma, Wu and
Dalal (2005), whose first test pairs are checked, too.
"""
import itertools
import math
import os
import re
import sys

TOP = os.environ.get("abs_srcdir", ".")
sys.path.insert(0, os.path.join(TOP, "tests/support"))
import tap  # noqa: E402

CONTRAST, DISTANCE = 4.5, 11
SIGHT = {
    "all colours": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "no green": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "no blue": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def linear(colour):
    parts = (int(colour[i:i + 2], 16) / 255 for i in (0, 2, 4))
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]


def contrast(a, b):
    light, dark = sorted((luminance(colour) for colour in (a, b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def lab(rgb):
    xyz = [sum(w * c for w, c in zip(row, rgb)) / white for row, white in zip(
        ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041)), (0.95047, 1, 1.08883))]
    x, y, z = (v ** (1 / 3) if v > (6 / 29) ** 3 else v / (3 * (6 / 29) ** 2) + 4 / 29 for v in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def hue(a, b):
    return math.degrees(math.atan2(b, a)) % 360


def distance(one, two):
    """CIEDE2000 of two colours as L, a, b."""
    (l1, a1, b1), (l2, a2, b2) = one, two
    mean = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    g = (1 - math.sqrt(mean ** 7 / (mean ** 7 + 25 ** 7))) / 2
    a1, a2 = a1 * (1 + g), a2 * (1 + g)
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1, h2 = hue(a1, b1), hue(a2, b2)
    turn = 0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    if c1 * c2 == 0:
        middle = h1 + h2
    else:
        middle = (h1 + h2) / 2 if abs(h1 - h2) <= 180 else ((h1 + h2 + 360) / 2 if h1 + h2 < 360 else (h1 + h2 - 360) / 2)
    light, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    t = (1 - 0.17 * math.cos(math.radians(middle - 30)) + 0.24 * math.cos(math.radians(2 * middle)) +
         0.32 * math.cos(math.radians(3 * middle + 6)) - 0.20 * math.cos(math.radians(4 * middle - 63)))
    of_light = 1 + 0.015 * (light - 50) ** 2 / math.sqrt(20 + (light - 50) ** 2)
    of_chroma, of_hue = 1 + 0.045 * chroma, 1 + 0.015 * chroma * t
    rotation = (-2 * math.sqrt(chroma ** 7 / (chroma ** 7 + 25 ** 7)) * math.sin(math.radians(60 * math.exp(-((middle - 275) / 25) ** 2))))
    parts = ((l2 - l1) / of_light, (c2 - c1) / of_chroma, 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2)) / of_hue)
    return math.sqrt(sum(p * p for p in parts) + rotation * parts[1] * parts[2])


def seen(colour, sight):
    rgb = linear(colour)
    return lab([min(1, max(0, sum(w * c for w, c in zip(row, rgb)))) for row in SIGHT[sight]])


def luminance(colour):
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear(colour)))


def read(name, room="page"):
    with open(os.path.join(TOP, "reader", room, name), encoding="utf-8") as f:
        return f.read()


rows = re.findall(r'\{"(\w+)", "([0-9a-f]{6})", "([0-9a-f]{6})"\}', read("frame_palette.c"))
texts = re.findall(r'PALETTE_TEXT_\w+\s+"([0-9a-f]{6})"', read("frame_palette.h"))
grounds = re.findall(r'PALETTE_BACKGROUND_\w+\s+"([0-9a-f]{6})"', read("frame_palette.h"))
changes = re.findall(r"PALETTE_(?:LESS|SAME|MORE)\s+0x([0-9a-f]{6})", read("frame_palette.h"))
tap.ok(len(rows) == 6 and len(texts) == len(grounds) == 2 and len(changes) == 3, "the table has six kinds, two schemes, three changes")

sharma = [((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425), ((50, 3.1571, -77.2803), (50, 0, -82.7485), 2.8615),
          ((50, 2.5, 0), (73, 25, -18), 27.1492), ((22.7233, 20.0904, -46.6940), (23.0331, 14.9730, -42.5619), 2.0373)]
tap.ok(all(abs(distance(one, two) - wanted) < 1e-4 for one, two, wanted in sharma), "the distance is that of the published pairs")

for scheme, name in enumerate(("light", "dark")):
    colours = {row[0]: row[1 + scheme] for row in rows}
    low = {kind: round(contrast(colour, texts[scheme]), 2) for kind, colour in [*colours.items(), ("background", grounds[scheme])]
           if contrast(colour, texts[scheme]) < CONTRAST}
    tap.ok(not low, f"{name}: text on each has a contrast of {CONTRAST}", f"{low}")
    for sight in SIGHT:
        ground = {**colours, "background": grounds[scheme]}
        near = {(a, b): round(distance(seen(ground[a], sight), seen(ground[b], sight)), 1) for a, b in itertools.combinations(ground, 2)}
        tap.ok(min(near.values()) >= DISTANCE, f"{name}, {sight}: any two kinds, and the background, are {DISTANCE} apart", f"{ {k: v for k, v in near.items() if v < DISTANCE} }")
low = [colour for colour in changes if contrast(colour, texts[0]) < CONTRAST]
tap.ok(not low, f"changes: text on each has a contrast of {CONTRAST}", f"{low}")
for sight in SIGHT:
    near = [distance(seen(a, sight), seen(b, sight)) for a, b in itertools.combinations(changes, 2)]
    tap.ok(min(near) >= DISTANCE, f"changes, {sight}: less, the same and more are {DISTANCE} apart", f"{near}")

sheet = {name: both for name, *both in re.findall(r"--([a-z-]+): light-dark\(#([0-9a-f]{6}), #([0-9a-f]{6})\)", read("page.css", "html"))}
written = [("text", ground) for ground in ("ground", "card", "page", "field", "fill", "warn")] + [
    (text, ground) for text in ("quiet", "accent") for ground in ("card", "page")]
low = [(*pair, scheme) for pair in written for scheme in (0, 1) if contrast(*(sheet[name][scheme] for name in pair)) < CONTRAST]
tap.ok(not low, f"the page: its texts have a contrast of {CONTRAST} on what they stand on", f"{low}")
for name, order in ("LIGHT", -1), ("DARK", 1):
    ramp = [luminance(colour) for colour in re.findall(r'"([0-9a-f]{6})"', re.search(rf"{name} = \[(.*?)\]", read("colours.js", "html"), re.S)[1])]
    tap.ok(len(ramp) > 2 and ramp == sorted(ramp, reverse=order < 0), f"the page: the heat of {name.lower()} only gets {'darker' if order < 0 else 'lighter'}", f"{ramp}")
tap.done()
