"""Icons of resources and pieces, drawn around (0, 0) in a square of 44 units."""

from __future__ import annotations

from zimcore.toolkit.svg import INK, group, tag, text


def wood() -> str:
    """A tree."""
    crown = [
        tag("circle", cx=x, cy=y, r=r, fill=fill)
        for x, y, r, fill in (
            (-6, -2, 8, "#2f5d2a"),
            (6, -2, 8, "#3a7033"),
            (0, -8, 9, "#47863d"),
            (-2, -10, 4, "#62a052"),
        )
    ]
    return tag("path", d="M-2 14L-1.5 0L1.5 0L2.5 14Z", fill="#6b4526") + "".join(crown)


def clay() -> str:
    """A mound in layers."""
    mound = tag("path", d="M-15 12Q-13 -2 -5 -6Q2 -12 8 -4Q14 1 15 12Z", fill="#b5613a", stroke="#7c3d20")
    layers = tag("path", d="M-12 5Q0 -1 13 6M-7 -2Q1 -6 9 0", fill="none", stroke="#e09a6c", stroke_width=1.6)
    return mound + layers


def ivory() -> str:
    """Two tusks."""
    tusk = "M-11 12Q-15 -6 5 -13Q-5 -3 -5 12Q-8 14 -11 12Z"
    tusk_drawing = tag("path", d=tusk, fill="#fbf4e2", stroke="#8d7a52", stroke_width=1.2, stroke_linejoin="round")
    return group([tusk_drawing], transform="translate(-1 0)") + group(
        [tusk_drawing], transform="translate(3 1) scale(-1 1)"
    )


def diamonds() -> str:
    """A cut stone."""
    stone = tag("path", d="M-12 -4L-6 -11L6 -11L12 -4L0 13Z", fill="#cfeaf3", stroke="#3d7f97", stroke_linejoin="round")
    facets = "M-12 -4L12 -4M-6 -11L-4 -4L0 13L4 -4L6 -11M-4 -4L0 -11L4 -4"
    return stone + tag("path", d=facets, fill="none", stroke="#3d7f97", stroke_width=0.9)


RESOURCE_DRAWERS = {"wood": wood, "clay": clay, "ivory": ivory, "diamonds": diamonds}

TOOL_PATHS = {
    "wood_carver": "M-8 8L3 -3M0 -6L6 0M3 -9Q10 -9 9 -2L5 2L-2 -5Z",
    "potter": "M-4 -9L4 -9L4 -6Q10 -2 8 4Q6 9 3 9L-3 9Q-6 9 -8 4Q-10 -2 -4 -6Z",
    "ivory_carver": "M-7 9Q-10 -4 7 -10Q-1 -2 -1 9ZM2 9L8 9L8 3Q5 0 2 3Z",
    "diamond_cutter": "M-9 -3L-4 -9L4 -9L9 -3L0 9ZM-9 -3L9 -3M0 9L-3 -3L0 -9L3 -3Z",
    "sculptor": "M0 -10A4 4 0 1 1 -0.1 -10ZM-6 9L-4 -1L4 -1L6 9Z",
    "vessel_maker": "M-3 -10L3 -10L3 -5Q8 0 5 5L3 7L5 10L-5 10L-3 7L-5 5Q-8 0 -3 -5Z",
    "throne_maker": "M-9 -6Q0 -1 9 -6L9 -3Q0 2 -9 -3ZM-6 0L-4 9M6 0L4 9M-7 9L7 9",
}
"""The product or tool of each craftsman, as a path 20 units across."""


VERB_PATHS = {
    "start": "M-6 10V-10L7 -6L-6 -2",
    "bid": "M-8 -3L-4 -6H4L8 -3L5 -1L3 8Q0 10 -3 8L-5 -1ZM-4 -6Q-10 -6 -9 -11M4 -6Q10 -6 9 -11",
    "pass": "M-10 5Q-1 -11 8 3M8 3V-5M8 3H0",
    "adore": "M-7 -9H7V0Q7 9 0 11Q-7 9 -7 0ZM-4 -3H-2M2 -3H4M-3 4Q0 6 3 4",
    "hire": "M-3 -2A4 4 0 1 1 -2.9 -2M-10 10Q-10 1 -3 1Q4 1 4 10M8 -9V-1M4 -5H12",
    "use": "M2 -11L-6 2H0L-2 11L6 -2H0Z",
    "build": "M-9 10H9M-6 10L-4 1H4L6 10M0 -3V-11M-4 -7H4",
    "craft": "M-9 9L1 -1M-3 -5L5 3L10 -2L2 -10Z",
    "price": "M-9 -9H0L10 1L1 10L-9 0ZM-5 -5H-4.9",
    "raise": "M-11 10H4M-9 10L-7 3H0L2 10M-6 3L-5 -4H-2L-1 3M8 9V-9M4 -5L8 -9L12 -5",
    "end": "M-9 0L-3 7L9 -7",
}
"""The lines of the icon of each command, 24 units across."""


def resource(kind: str) -> str:
    """A resource, or the first letter of a kind without a drawing."""
    return RESOURCE_DRAWERS[kind]() if kind in RESOURCE_DRAWERS else text(0, 7, kind[:1].upper(), 20, fill=INK)


def tool(kind: str, ink: str) -> str:
    """The sign of a craftsman, or the first letter of a kind without a drawing."""
    if kind not in TOOL_PATHS:
        return text(0, 7, kind[:1].upper(), 20, fill=ink)
    return tag(
        "path", d=TOOL_PATHS[kind], fill=ink, stroke=ink, stroke_width=1.4, stroke_linejoin="round", fill_opacity=0.55
    )


def tower(level: int, ink: str, paper: str) -> str:
    """A monument: a round tower with a course for each level, narrower at the top."""
    drawings = [tag("ellipse", cx=0, cy=15, rx=18, ry=5, fill="#000", fill_opacity=0.22)]
    height, slope = COURSE_HEIGHTS[min(level, len(COURSE_HEIGHTS)) - 1], 8.5 / max(level, 2)
    for course in range(level):
        foot_x, top_x, y = 15 - slope * course, 15 - slope * (course + 1), 14 - height * course
        sides = f"M{-foot_x:g} {y}Q0 {y + 5} {foot_x:g} {y}L{top_x:g} {y - height}H{-top_x:g}Z"
        drawings.append(tag("path", d=sides, fill=paper, stroke=ink, stroke_width=0.9, stroke_opacity=0.75))
    top_ellipse = tag(
        "ellipse", cx=0, cy=14 - height * level, rx=15 - slope * level, ry=2.4, fill=paper, stroke=ink, stroke_width=0.9
    )
    return "".join((*drawings, top_ellipse))


COURSE_HEIGHTS = (11, 9.5, 8, 7, 6)
"""The height of a tower's courses, by its level."""


def marker() -> str:
    """A used marker."""
    return tag("circle", r=4.6, fill="#1d1a16", stroke="#fdfaf3", stroke_width=1.2) + tag(
        "path", d="M-1.8 -1.8L1.8 1.8M1.8 -1.8L-1.8 1.8", stroke="#fdfaf3", stroke_width=1.2
    )


def cow() -> str:
    """A cow's head, 20 units across."""
    horns = "M-4 -5Q-10 -6 -9 -12M4 -5Q10 -6 9 -12"
    head = "M-9 -4L-4 -6H4L9 -4L5.5 -1Q5 5 3.5 8.5Q0 11 -3.5 8.5Q-5 5 -5.5 -1Z"
    return (
        tag("path", d=horns, fill="none", stroke="#8d7a52", stroke_width=2.4, stroke_linecap="round")
        + tag("path", d=head, fill="#a8683a", stroke="#4a2a12", stroke_width=1, stroke_linejoin="round")
        + tag("path", d="M-2 7.4H2", stroke="#4a2a12", stroke_width=1.6, stroke_linecap="round")
    )
