"""Show the key with which you sign, and whose keys are known.

It is made when it is first asked for, one for each name that you type under (--by). What is shown is the public half:
give it to those who are to check your signatures. The other half stays in a file of your own, which --passphrase
encrypts: you are asked for a new passphrase now, and again when you sign. Scripts give it in ZIM_KEY_PASSPHRASE.

Keys of others are noted when they are first met, by the name that they come with, and a name that comes with
another key later is told. `key trust NAME KEY` says that a key is somebody's, `key revoke NAME` that it is nobody's
any more, `key list` shows them all. A key that is trusted gives way to another only with --replace.

--new makes another key for you. The old one is put away beside it, and signs for the new one where a seat is bound to
it: `zim seat GAME SEAT`, in each game.

Example::

    zim key
    zim key list
"""

from __future__ import annotations

import click

from zimcli import keys
from zimcli.command import argument, unplaced
from zimcli.session import Session
from zimcore.documents.keep import KeyAnswer, KnownKey
from zimcore.game import GameError

WORDS = {"list": 0, "trust": 2, "revoke": 1}


@unplaced(__doc__)
@argument("what", required=False, type=click.Choice(list(WORDS)), metavar="[list | trust | revoke]")
@argument("words", nargs=-1, metavar="[NAME [KEY]]")
@click.option("--passphrase", is_flag=True, help="Encrypt the key with a new passphrase.")
@click.option("--replace", is_flag=True, help="Trust this key in the place of another.")
@click.option("--new", "renew", is_flag=True, help="Make another key, and put the old one away.")
def command(
    session: Session, what: str | None, words: tuple[str, ...], passphrase: bool, replace: bool, renew: bool
) -> KeyAnswer:
    """Makes the key if there is none, and shows its public half; or those that are known."""
    if what:
        return KeyAnswer(session.by, "", "", tuple(others(what, *words, replace=replace)))
    from zimcli import known_keys
    from zimcore.service import signatures

    path = keys.key_file(session.by)
    if renew:
        keys.renew(session.by)
    if not passphrase:
        public, path = keys.own(session.by, replace=renew)
        return KeyAnswer(session.by, public, str(path))
    new = not path.exists()
    key = signatures.new_key() if new else keys.load(path)
    if new:
        known_keys.check_replaces(session.by, signatures.public_key(key), replace=renew)
    keys.keep(path, key, keys.asked_for("New passphrase", twice=True), new=new)
    if new:
        known_keys.trust(session.by, signatures.public_key(key), replace=renew)
    return KeyAnswer(session.by, signatures.public_key(key), str(path))


def others(what: str, *words: str, replace: bool) -> list[KnownKey]:
    """The keys that are known, after what was said of them."""
    from zimcli import known_keys
    from zimcore.service.people import check_name

    if WORDS[what] != len(words):
        raise GameError(f"key {' '.join((what, *words))}", "", ["key list", "key trust NAME KEY", "key revoke NAME"])
    if what == "list":
        return known_keys.known()
    if what == "revoke":
        return known_keys.revoke(words[0])
    name, key = words
    if not keys.HEX.fullmatch(key):
        raise GameError(f"no key: {key!r}", "a public key has 64 hex digits, as `key` shows it", ["key"])
    return known_keys.trust(check_name(name), key, replace=replace)
