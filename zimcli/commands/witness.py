"""Note where every line stands, in a file to keep elsewhere.

A store that has lost its end, a copy of last week, a history that was written anew: each is whole in itself, and
verifies. What was there before shows by a witness: a small file with the head of every line and of all names, and one
digest over all of it. Keep it where whoever keeps the store can't change it, and ask `zim verify --all --since FILE`.
If you have a key (zim key), it is signed. There are no moves in it; the digest alone, on paper, proves the file.

Example::

    zim witness friday.witness
    zim verify --all --since friday.witness
"""

from __future__ import annotations

import msgspec

from zimcli import files, keys
from zimcli.command import argument, unplaced
from zimcli.session import Session
from zimcore.documents.keep import Signature, WitnessAnswer


@unplaced(__doc__)
@argument("file", required=False, default="-")
def command(session: Session, file: str) -> WitnessAnswer | None:
    """Writes the file; where that is stdout, it is the answer."""
    from zimcore.service import witness

    written, path = session.service.witness(), keys.key_file(session.by)
    if path.exists():
        from zimcore.service import signatures

        written = signatures.witnessed(written, keys.load(path), session.by)
    files.write(file, witness.lines_of(written))
    if file == "-":
        return None
    return WitnessAnswer(file, written.foot.streams, signature_of(written.signed), digest=written.foot.digest)


def signature_of(signed: object | None) -> Signature | None:
    """A signature as a document."""
    return msgspec.convert({"seat": "", **msgspec.to_builtins(signed)}, Signature) if signed else None
