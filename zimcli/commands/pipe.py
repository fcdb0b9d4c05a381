r"""Answer JSON requests on stdin, one per line.

A request is a JSON object on a line of its own: a command, its parameters by their names in the shell, and an id of
your choice. Each request gets one line in reply, in the same order: the id, the exit code, the document that --json
prints, and the error if there is one. After an error the next request is read. Requests are independent: each names its
place, and its viewer (`"as": "zulu"`, `"open": true`). For the parameters, see the help of each command, and `requests`
in `zim schema`. Files are written only in the current folder, in --folder, or below.

Example::

    printf '%s\n' '{"id": 1, "new": "kilwa-7", "seed": 7}' '{"id": 2, "do": "start g7", "place": "kilwa-7"}' | zim pipe
"""

from __future__ import annotations

import codecs
import sys
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from typing import Any, BinaryIO, TypeVar

import msgspec

from zimcli.output.errors import problem_of, with_shell_hints
from zimcli.output.output import DocumentCollector
from zimcli.session import pipe_requests
from zimcli.session.allowed_programs import allow_in_run
from zimcli.session.command import allow_option, default_game, plain_command
from zimcli.session.output_files import enter_folder, folder_option
from zimcli.session.session import LeaveError, Session
from zimcli.shell.exit_codes import SUCCESS, ReaderGoneError, name_typed_words
from zimcore.documents.pipe_reply import Reply
from zimcore.game import GameError, NotationError
from zimcore.service.lines.visibility import EVERYTHING
from zimcore.toolkit.characters import composed
from zimcore.toolkit.printable import printable_json

MAX_LINE_BYTES = 1 << 20
"""Maximum length of a line in bytes; longer lines are refused and skipped."""
EXAMPLE_HINTS = ('{"id": 1, "log": {"place": "kilwa-7"}}',)

JsonValue = TypeVar("JsonValue")
OBJECT_DECODER, VALUE_DECODER = msgspec.json.Decoder(dict[str, msgspec.Raw]), msgspec.json.Decoder(Any)
"""Values are decoded after the id, so that the reply has the id even if a value is wrong."""
ENCODER = msgspec.json.Encoder()


@plain_command(__doc__)
@allow_option
@folder_option
def command(session: Session, allowed_programs: tuple[str, ...], folder: str | None) -> None:
    """Replies to requests until stdin ends."""
    if session.level:
        raise GameError("pipe", "it reads requests from stdin, so it can't run in a session", ["zim pipe", "help pipe"])
    allow_in_run(session, allowed_programs)
    enter_folder(session, folder)
    lines, replies = read_lines(sys.stdin.buffer), sys.stdout.buffer
    with redirect_stdout(sys.stderr):  # only replies go to stdout
        for line in lines:
            try:
                replies.write(printable_json(ENCODER.encode(reply_to(session, line)).decode()).encode() + b"\n")
                replies.flush()
            except BrokenPipeError as error:
                raise ReaderGoneError from error


def read_lines(stream: BinaryIO) -> Iterator[bytes | None]:
    """Yields the lines; None for one that is too long."""
    while line := stream.readline(MAX_LINE_BYTES + 1):
        is_complete = len(line) <= MAX_LINE_BYTES
        yield line if is_complete else None
        while not is_complete and line and not line.endswith(b"\n"):
            line = stream.readline(MAX_LINE_BYTES)


def reply_to(session: Session, line: bytes | None) -> Reply:
    """The reply to a line. Errors are part of the reply."""
    collector, request_id, error = DocumentCollector(), None, None
    try:
        if line is None:
            raise NotationError("the line is too long", f"a request has at most {MAX_LINE_BYTES:,} bytes")
        raw_fields = decode_json(OBJECT_DECODER, line.removeprefix(codecs.BOM_UTF8))
        request_id = raw_fields.pop("id", None)
        fields = {key: decode_json(VALUE_DECODER, value) for key, value in raw_fields.items()}
        with session.showing_to(collector):
            run_request(session, pipe_requests.parse_request(fields))
    except LeaveError:
        pass
    except Exception as exception:
        error = with_shell_hints(problem_of(exception), session.command_place)
    finally:
        session.current, session.command_place, session.script_lines = None, "", {}
    answers = tuple(collector.answers)
    return Reply(
        id=request_id,
        code=error.code if error else SUCCESS,
        answer=answers[0] if len(answers) == 1 else None,
        answers=answers if len(answers) > 1 else None,
        error=error,
        notes=tuple(collector.notes),
    )


def decode_json(decoder: msgspec.json.Decoder[JsonValue], json_text: bytes | msgspec.Raw) -> JsonValue:
    """Decodes a JSON text. Raises `NotationError`."""
    try:
        return decoder.decode(json_text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        excerpt = bytes(json_text).decode("utf-8", "replace").strip()[:80]
        raise NotationError(excerpt or "an empty line", f"this is not a JSON object: {error}", EXAMPLE_HINTS) from None


def run_request(session: Session, request: pipe_requests.PipeRequest) -> None:
    """Runs a command as the shell would. The session's output collects its answers."""
    with session.nested_line():
        session.by = composed(request.shared_values.get("by", "")) or session.by
        if seat := request.shared_values.get("as"):
            session.play_as(seat)
        if request.shared_values.get("open"):
            session.set_viewer(EVERYTHING)
        command = request.entry.load_command()
        try:
            with command.context_class(command, info_name=request.entry.name, obj=session) as context:
                values = fill_place(session, request)
                context.params = pipe_requests.function_arguments(request.entry, values, context)
                if "-" in context.params.values():
                    raise NotationError("-", "stdin and stdout are taken by requests and replies: name a file")
                command.invoke(context)
        except Exception as error:
            name_typed_words(error, pipe_requests.shell_words(request))
            raise


def fill_place(session: Session, request: pipe_requests.PipeRequest) -> Mapping[str, Any]:
    """The parameters. If the place is missing, adds that of the only game. Raises `GameError` if there are several."""
    place = pipe_requests.parameters(request.entry).get("place")
    if place is None or not place.required or "place" in request.parameter_values:
        return request.parameter_values
    return {**request.parameter_values, "place": default_game(session)}
