"""Reading words as people type them: any beginning that only one name has will do, and an error lists what there is."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from zimcore.game import AmbiguousError, NotationError


def one_of(word: str, known: Iterable[str], what: str) -> str:
    """The name that a word begins. Raises `NotationError` for none, `AmbiguousError` for several.

    >>> one_of("pot", ["potter", "sculptor"], "craftsman")
    'potter'
    """
    names = [name for name in known if name.startswith(word.replace("-", "_"))]
    if word in names or len(names) == 1:
        return word if word in names else names[0]
    if names:
        raise AmbiguousError(word, f"could be {' or '.join(names)}", names)
    raise NotationError(word, f"no {what} begins like this; there is {', '.join(known)}", tuple(known))


def taking(verb: str, words: Collection[str], counts: Collection[int], example: str) -> None:
    """Raises `NotationError` unless a verb has as many words as it takes."""
    if len(words) not in counts:
        said = f"{verb} {' '.join(words)}".strip()
        number = "too many" if len(words) > max(counts) else "too few"
        raise NotationError(said, f"{number} words for {verb}", (example,))


def begin(words: Sequence[str], beginnings: Sequence[str]) -> bool:
    """Whether the first words begin as they were typed.

    >>> begin("craft wood_carver d4-d5".split(), "cra wood-c".split())
    True
    """
    pairs = zip(words, beginnings, strict=False)
    return len(words) >= len(beginnings) and all(w.startswith((b, b.replace("-", "_"))) for w, b in pairs)
