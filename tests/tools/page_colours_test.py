#!/usr/bin/env python3
"""page_colours_test.py STYLE: the colours of the page of `takt report` can be seen and told apart, in light and dark.

Contrast is WCAG 2's, against the page: at least 4.5 for text, 3.0 for marks. Distance is that of OKLab (Ottosson 2020) times
100, of any two colours of a palette as trichromats see them and as people without one kind of cones do: the matrices of
Machado, Oliveira and Fernandes 2009 at full severity. Colour never tells alone, so 5.0 is asked, not more."""
import itertools
import re
import sys

TEXT, MARK, DISTANCE = 4.5, 3.0, 5.0
INKS = ("ink", "ink2", "ink3", "focus", "better", "worse", "unsure")
KINDS = ("k0", "k1", "k2", "k3", "k4", "k5", "k6")
TIMES = ("busy", "host", "comm", "copy", "sync", "starved", "blocked", "dispatch", "other")  # fill is hatched or labelled
SEEN = {
    "all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def tokens(style):
    """Of the light scheme, then of the dark one, which replaces what it names."""
    blocks = [dict(re.findall(r"--(\w+):\s*(#[0-9a-f]{6})", block)) for block in re.findall(r":root\s*{([^}]*)}", style)]
    schemes = [block for block in blocks if "paper" in block]
    assert len(schemes) == 2, f"{len(schemes)} schemes of colours"
    return {"light": schemes[0], "dark": {**schemes[0], **schemes[1]}}


def linear(colour):
    parts = [int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def luminance(colour):
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear(colour)))


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector)) for row in matrix]


def oklab(colour, seen):
    light = [min(1.0, max(0.0, part)) for part in times(SEEN[seen], linear(colour))]
    cones = times(((0.4122214708, 0.5363325363, 0.0514459929), (0.2119034982, 0.6806995451, 0.1073969566),
                   (0.0883024619, 0.2817188376, 0.6299787005)), light)
    return times(((0.2104542553, 0.7936177850, -0.0040720468), (1.9779984951, -2.4285922050, 0.4505937099),
                  (0.0259040371, 0.7827717662, -0.8086757660)), [max(0.0, cone) ** (1 / 3) for cone in cones])


def distance(one, other, seen):
    return 100 * sum((a - b) ** 2 for a, b in zip(oklab(one, seen), oklab(other, seen))) ** 0.5


def faults(scheme, colours):
    paper = colours["paper"]
    for ink in INKS:
        if contrast(colours[ink], paper) < TEXT:
            yield f"{scheme}: text in {ink} has a contrast of {contrast(colours[ink], paper):.2f}"
    for kind in KINDS + TIMES + ("same",):
        if contrast(colours[kind], paper) < MARK:
            yield f"{scheme}: marks in {kind} have a contrast of {contrast(colours[kind], paper):.2f}"
    for kind in KINDS + ("busy",):
        if contrast(colours[kind + "t"], colours[kind]) < TEXT:
            yield f"{scheme}: text on {kind} has a contrast of {contrast(colours[kind + 't'], colours[kind]):.2f}"
    for palette in (KINDS, TIMES):
        for (one, other), seen in itertools.product(itertools.combinations(palette, 2), SEEN):
            if distance(colours[one], colours[other], seen) < DISTANCE:
                yield f"{scheme}, {seen}: {one} and {other} are {distance(colours[one], colours[other], seen):.2f} apart"


def check_formulas():
    """Against values known elsewhere: black on white, and OKLab's own example of white."""
    assert abs(contrast("#000000", "#ffffff") - 21) < 1e-9
    assert abs(contrast("#777777", "#ffffff") - 4.48) < 0.01
    white = oklab("#ffffff", "all")
    assert abs(white[0] - 1) < 1e-4 and abs(white[1]) < 1e-4 and abs(white[2]) < 1e-4
    red, green = "#c00000", "#5a6a00"
    assert distance(red, green, "protan") < distance(red, green, "all") / 2


def main():
    check_formulas()
    with open(sys.argv[1], encoding="utf8") as file:
        schemes = tokens(file.read())
    found = [fault for scheme, colours in schemes.items() for fault in faults(scheme, colours)]
    light = schemes["light"]
    assert any("k1 and k4" in fault for fault in faults("made", {**light, "k4": light["k1"]})), "a fault is not found"
    sys.exit("\n".join(found) or 0)


if __name__ == "__main__":
    main()
