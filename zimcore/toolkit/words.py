"""Reads abbreviated words: any unambiguous beginning of a name will do, and errors list the names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from zimcore.game import AmbiguousError, NotationError


def one_of(word: str, known_names: Iterable[str], kind: str, possible_now: Collection[str] = ()) -> str:
    """The name that starts with this word; among several, the one that is in `possible_now`.

    Raises `NotationError` if there is none, listing the names possible now, `AmbiguousError` for several.

    >>> one_of("pot", ["potter", "sculptor"], "craftsman")
    'potter'
    >>> one_of("p", ["pass", "price"], "command", possible_now=["bid", "pass"])
    'pass'
    """
    matching_names = [name for name in known_names if name.startswith(word.replace("-", "_"))]
    if len(matching_names) > 1 and word not in matching_names:
        matching_names = [name for name in matching_names if name in possible_now] or matching_names
    if word in matching_names or len(matching_names) == 1:
        return word if word in matching_names else matching_names[0]
    if matching_names:
        raise AmbiguousError(word, f"could be {' or '.join(matching_names)}", matching_names, in_place=True)
    from difflib import get_close_matches  # only needed after a typing error

    all_names = list(known_names)
    names_listed = [name for name in all_names if name in possible_now] or all_names
    similar_names = get_close_matches(word, names_listed, 3)
    reason = f"unknown {kind}; choose from {', '.join(names_listed)}"
    names_not_now = [] if similar_names else get_close_matches(word, all_names, 1)
    if names_not_now:
        reason = f"you may mean {names_not_now[0]}, but now there is only {', '.join(names_listed)}"
    raise NotationError(word, reason, similar_names or ["legal", "help"], in_place=bool(similar_names))


def check_not_a_letter(word: str, verb: str) -> str:
    """A verb that ends a turn, so that one letter is not enough. Raises `AmbiguousError` for a single letter."""
    if len(word) == 1:
        raise AmbiguousError(word, f"could be {verb}, and a single letter can't end a turn", (verb,), in_place=True)
    return verb


def check_word_count(verb: str, words: Collection[str], counts: Collection[int], example: str) -> None:
    """Raises `NotationError` for too few or too many words after a verb."""
    if len(words) not in counts:
        typed_text = f"{verb} {' '.join(words)}".strip()
        amount_text = "too many" if len(words) > max(counts) else "too few"
        raise NotationError(typed_text, f"{amount_text} words for {verb}", (example,))


def join_names(words: Sequence[str], names: Iterable[str]) -> list[str]:
    """The words, where several that spell a name as it is printed become that name.

    >>> join_names(["move", "walvis", "bay", "gray", "assistant"], ["walvis_bay", "gray_assistant"])
    ['move', 'walvis_bay', 'gray_assistant']
    """
    text = f" {' '.join(words)} "
    for name in names:
        if "_" in name:
            text = text.replace(f" {name.replace('_', ' ')} ", f" {name} ")
    return text.split()


def words_begin_with(words: Sequence[str], beginnings: Sequence[str]) -> bool:
    """Whether each of the first words starts with the beginning typed for it.

    >>> words_begin_with("craft wood_carver d4-d5".split(), "cra wood-c".split())
    True
    """
    pairs = zip(words, beginnings, strict=False)
    return len(words) >= len(beginnings) and all(
        word.startswith((beginning, beginning.replace("-", "_"))) for word, beginning in pairs
    )


def texts_that_begin(texts: Iterable[str], beginning: str) -> Iterator[str]:
    """The texts whose words start with those that were typed; all for "", which is asked most and looks at none.

    >>> [*texts_that_begin(["craft potter d4", "craft wood_carver d4", "end"], "CRA wood")]
    ['craft wood_carver d4']
    """
    words = beginning.lower().split()
    return (text for text in texts if words_begin_with(text.lower().split(), words)) if words else iter(texts)


def numbered(number: int, noun: str) -> str:
    """A number with its noun, in the plural unless it is 1.

    >>> numbered(1, "stream"), numbered(2, "later line"), numbered(4061, "entry"), numbered(0, "match")
    ('1 stream', '2 later lines', '4,061 entries', '0 matches')
    """
    if number == 1:
        return f"1 {noun}"
    if noun.endswith("y") and noun[-2:-1] not in "aeo":
        return f"{number:,} {noun[:-1]}ies"
    return f"{number:,} {noun}{'es' if noun.endswith(('s', 'ch')) else 's'}"


def joined(words: Iterable[str], conjunction: str = "and") -> str:
    """Words as a list in a sentence.

    >>> joined(["ann"]), joined(["ann", "ben"]), joined(["ann", "ben", "cid"], "or")
    ('ann', 'ann and ben', 'ann, ben or cid')
    """
    *first_words, last_word = [*words] or [""]
    return f"{', '.join(first_words)} {conjunction} {last_word}" if first_words else last_word


def are(number: int) -> str:
    """The verb after a number of things: `1 game is`, `2 games are`."""
    return "is" if number == 1 else "are"


def an(noun: str) -> str:
    """A noun with its article: `an orange`, `a gray`."""
    return f"{'an' if noun[:1] in 'aeiou' else 'a'} {noun}"


def spaced(name: str) -> str:
    """A name as people read it: `wood carver` for `wood_carver`."""
    return name.replace("_", " ")
