"""What is looked after below the games: every entry of a store, whether a name leads to it or not."""

from __future__ import annotations

from event_store import EventStore, salvage
from zimcore.documents.keep import Saved, StreamFault
from zimcore.service.audit import Report, silent, verify_all
from zimcore.service.forms import register_names
from zimcore.service.open_lines import OpenLines


def check(store: EventStore, open_lines: OpenLines, report: Report = silent) -> tuple[StreamFault, ...]:
    """Every fault of every stream: what was altered, is missing, or does not follow from what stands before it.

    Where that is all as it was appended, every command is decided again: by the rules, and by what a name may be.
    """
    found = [StreamFault(fault.stream, fault.revision, fault.what) for fault in salvage.faults(store)]
    told = {fault.stream for fault in found}
    for audit in verify_all(store, open_lines, report):
        if audit.fault and (audit.stream or not found) and audit.stream not in told:
            fault = audit.fault
            found.append(StreamFault(audit.stream, None, f"{fault.kind}: {fault.where}: {fault.what}"))
            told.add(audit.stream)
    return tuple(found)


def save(store: EventStore, url: str) -> Saved:
    """Brings every stream that is intact to a new store. Raises `StoreError`, `ConflictError` for one that is not new.

    The streams of names are among them: what they name and is not there is told when it is asked for.
    """
    with EventStore.open(url) as new:
        register_names(new)
        saved = salvage.salvage(store, new)
    return Saved(saved.streams, saved.lost)
