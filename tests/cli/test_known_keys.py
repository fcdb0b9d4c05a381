"""Known keys: a person trusts them, another key under the same name is reported, a seat plays with its key."""

from __future__ import annotations

import json
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from tests.cli.commands import run_command

PUBLIC_KEY = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Ann's machine: a store with a game, and a certificate of it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ZIM_KEY_PASSPHRASE", raising=False)
    zim("new", "k", "players=2", "seed=7")
    zim("export", "k", "--certificate", "k.cert")
    return tmp_path


def zim(*words: str, by: str = "ann", machine: str = "") -> CompletedProcess[str]:
    """A player types a command on their own machine: with data of their own, except for the store."""
    data_home = str(Path(f"data-of-{machine or by}").absolute())
    settings = {"XDG_DATA_HOME": data_home, "HOME": data_home, "ZIM_STORE": "sqlite:///games.db", "ZIM_BY": by}
    return run_command(*words, environment=settings)


def run_successfully(*words: str, by: str = "ann", machine: str = "") -> str:
    result = zim(*words, by=by, machine=machine)
    assert result.returncode == 0, result.stderr
    return result.stdout


def answer_document(*words: str, by: str = "ann", machine: str = "") -> Any:
    return json.loads(run_successfully("--json", *words, by=by, machine=machine))


def public_key_of(by: str) -> str:
    key: str = answer_document("key", by=by)["key"]
    return key


def sign_as(by: str, *, claimed_name: str = "ann", file: str = "k.cert") -> None:
    """Signs a certificate by the key of one person, in the name of another."""
    run_successfully("key", by=claimed_name, machine=by)
    run_successfully("sign", file, "--seat", "kilwa", by=claimed_name, machine=by)


def test_a_key_is_known_once_a_person_trusts_it() -> None:
    sign_as("ann")
    for _ in range(2):
        result = zim("verify", "k.cert", by="ben")
        assert result.returncode == 0
        assert f"  signed by ann for kilwa, key {public_key_of('ann')} (not trusted)" in result.stdout
        assert "you have not confirmed that this is ann's key; if ann tells you so: zim key trust ann" in result.stderr
    run_successfully("key", "trust", "ann", public_key_of("ann"), by="ben")
    assert "(trusted)" in run_successfully("verify", "k.cert", by="ben")
    assert [
        (known_key["by"], known_key["status"]) for known_key in answer_document("key", "list", by="ben")["known"]
    ] == [("ann", "trusted")]


def test_a_certificate_that_a_stranger_has_signed_in_ann_s_name_is_refused() -> None:
    """The certificate is genuine; only the key is not ann's."""
    Path("other.cert").write_bytes(Path("k.cert").read_bytes())
    sign_as("ann")
    sign_as("eve", file="other.cert")
    result_of_both = zim("verify", "k.cert", "other.cert", by="ben")
    assert result_of_both.returncode == 1
    assert "other.cert: wrong key: ann for kilwa" in result_of_both.stderr, "two keys of one name, neither trusted"
    run_successfully("key", "trust", "ann", public_key_of("ann"), by="ben")
    for _ in range(2):
        result = zim("verify", "other.cert", by="ben")
        assert (result.returncode, "✓" in result.stdout) == (1, False)
        assert "wrong key: another person may have signed this" in result.stderr
        assert "ann for kilwa, key" in result.stderr
        assert "this name has another key" in result.stderr
        answer = json.loads(zim("--json", "verify", "other.cert", by="ben").stdout)
        assert [known_key["status"] for known_key in answer["keys"]] == ["changed"]
        assert run_successfully("verify", "k.cert", by="ben").startswith("✓")
    hint = result.stderr.rpartition(" · zim ")[2]
    run_successfully(*hint.split(), by="ben")
    assert "(trusted)" in run_successfully("verify", "other.cert", by="ben")


FIRST_WORDS: dict[str, list[str]] = {
    "certificate": ["verify", "forged"],
    "witness": ["verify", "--all", "--since", "forged"],
    "log of witnesses": ["verify", "--all", "--since", "forged"],
}


@pytest.mark.parametrize("kind", FIRST_WORDS)
def test_a_forgery_twice_is_a_forgery_twice(kind: str) -> None:
    """Eve signs in ann's name. Ben checks that first, then what ann signed; he trusts no key yet, then ann's."""
    for person, file in (("eve", "forged"), ("ann", "genuine")):
        run_successfully("key", by="ann", machine=person)
        if kind == "certificate":
            Path(file).write_bytes(Path("k.cert").read_bytes())
            run_successfully("sign", file, by="ann", machine=person)
        else:
            run_successfully("witness", *(["--append"] if "log" in kind else []), file, by="ann", machine=person)
    forged, genuine = FIRST_WORDS[kind], [word.replace("forged", "genuine") for word in FIRST_WORDS[kind]]
    key, forged_key = public_key_of("ann"), answer_document("key", by="ann", machine="eve")["key"]
    for words in (forged, forged, genuine, genuine):
        result = zim(*words, "--signed-by", "ann", by="ben")
        assert (result.returncode, "unknown key: " in result.stderr) == (1, True), result.stderr
        assert f"try: zim key trust ann {forged_key if words is forged else key}\n" in result.stderr
        assert "let ann read you theirs" in result.stderr
        assert answer_document("key", "list", by="ben")["known"] == []
    Path("club.keys").write_text(f"# the arbiters\nann:{key}\n\nBen B:{PUBLIC_KEY}\n")
    for signers in (f"ann:{key}", "./club.keys"):
        assert zim(*genuine, "--signed-by", signers, by="ben").returncode == 0
        assert zim(*forged, "--signed-by", signers, by="ben").returncode == 1
    run_successfully("key", "trust", "ann", key, by="ben")
    for words, exit_code in ((forged, 1), (genuine, 0), (forged, 1), (genuine, 0)):
        assert zim(*words, "--signed-by", "ann", by="ben").returncode == exit_code
    assert f"key trust ann {forged_key} --replace" in zim(*forged, "--signed-by", "ann", by="ben").stderr


def test_several_files_are_checked_for_one_signer() -> None:
    files = ("first.cert", "second.cert", "forged.cert")
    for file, person in zip(files, ("ann", "ann", "eve"), strict=True):
        Path(file).write_bytes(Path("k.cert").read_bytes())
        run_successfully("key", by="ann", machine=person)
        run_successfully("sign", file, by="ann", machine=person)
    signer = f"ann:{public_key_of('ann')}"
    assert zim("verify", *files[:2], "--signed-by", signer, by="ben").returncode == 0
    forged_key = answer_document("key", by="ann", machine="eve")["key"]
    result = zim("verify", *files, "k.cert", "none.cert", "--signed-by", signer, by="ben")
    assert (result.returncode, result.stderr.splitlines()[0]) == (1, "verify: 3 of 5 files do not verify")
    for fault in (
        f"forged.cert: unknown key: its signatures: signed with {forged_key}",
        "k.cert: unsigned: its signatures: it has no signature",
        "none.cert: damaged: the file: No such file",
    ):
        assert f"\n  {fault}" in result.stderr


def test_what_an_early_version_noted_while_it_checked_is_no_trust(home: Path) -> None:
    """Such a note may be of a forger's key."""
    sign_as("ann")
    file = home / "data-of-ben/zim/known_keys"
    file.parent.mkdir(parents=True)
    file.write_text(f"ed25519 {PUBLIC_KEY} seen 2026-01-01 ann\ned25519 {public_key_of('ann')} seen 2026-01-01 ben\n")
    assert "(not trusted)" in run_successfully("verify", "k.cert", by="ben")
    assert zim("verify", "k.cert", "--signed-by", "ann", by="ben").returncode == 1
    assert zim("seat", "k", "kilwa", "ann", by="ben").returncode == 2


@pytest.mark.parametrize(
    ("signers", "text"),
    [
        ("ann:00", "not a key: '00'"),
        (f"ann:{'01' + '00' * 31}", "is a weak key"),
        (f"-x:{PUBLIC_KEY}", "not a name"),
        ("./none.keys", "NAME:KEY, or a file"),
        ("./empty.keys", "it has no line NAME:KEY"),
        ("./bad.keys", "not a key: 'nothing'"),
        ("empty.keys", "a file needs a / in its path"),
    ],
)
def test_signers_that_can_t_be_understood_are_an_error(signers: str, text: str) -> None:
    sign_as("ann")
    Path("empty.keys").write_text("# nobody\n")
    Path("bad.keys").write_text(f"ann:{public_key_of('ann')}\nben:nothing\n")
    result = zim("verify", "k.cert", "--signed-by", signers)
    assert (result.returncode, text in result.stderr) == (2, True), result.stderr


def test_a_file_in_this_folder_never_stands_in_for_a_person() -> None:
    sign_as("eve")
    Path("ann").write_text(f"ann:{answer_document('key', by='ann', machine='eve')['key']}\n")
    assert zim("verify", "k.cert", "--signed-by", "ann", by="ben").returncode == 2
    run_successfully("key", "trust", "ann", public_key_of("ann"), by="ben")
    assert zim("verify", "k.cert", "--signed-by", "ann", by="ben").returncode == 1


def test_a_weak_key_is_not_trusted(home: Path) -> None:
    weak_key = "ec" + "ff" * 30 + "7f"
    for words in (
        ["key", "trust", "ben", weak_key],
        ["new", "other", "players=2", f"keys=kilwa:{weak_key}"],
        ["seat", "k", "kilwa", weak_key],
    ):
        refusal = zim(*words)
        assert (refusal.returncode, "is a weak key" in refusal.stderr) == (2, True), words
    assert answer_document("key", "list")["known"] == []
    file = home / "data-of-ann/zim/known_keys"
    file.parent.mkdir(parents=True)
    file.write_text(f"ed25519 {weak_key} trusted 2026-01-01 ben\n")
    assert zim("key", "list").returncode == 2


def test_a_witness_that_a_stranger_has_signed_in_ann_s_name_is_refused() -> None:
    run_successfully("key", "trust", "ann", public_key_of("ann"), by="ben")
    run_successfully("key", by="ann", machine="eve")
    run_successfully("witness", "eve.witness", by="ann", machine="eve")
    result = zim("verify", "--all", "--since", "eve.witness", by="ben")
    assert result.returncode == 1
    assert "this name has another key" in result.stderr


def test_a_revoked_key_belongs_to_no_name() -> None:
    sign_as("ann")
    run_successfully("key", "trust", "ann", public_key_of("ann"), by="ben")
    run_successfully("key", "revoke", "ann", by="ben")
    result = zim("verify", "k.cert", by="ben")
    assert result.returncode == 1
    assert "this key was revoked" in result.stderr
    assert zim("key", "revoke", "ann", by="ben").returncode == 2


def test_unreadable_known_keys_trust_no_key(home: Path) -> None:
    sign_as("ann")
    run_successfully("key", "trust", "ann", public_key_of("ann"), by="ben")
    file = home / "data-of-ben/zim/known_keys"
    file.write_text(file.read_text() + "ann is a friend\n")
    result = zim("verify", "k.cert", by="ben")
    assert result.returncode == 2
    assert "line 3 is not a key: 'ann is a friend'" in result.stderr


@pytest.mark.parametrize(
    "name", ["../../x", "/etc/passwd", "a/b", "..", ".ssh", "a\nb", "\x1b[2J", "a" * 65, "-x", "a\u202eb"]
)
def test_a_name_is_never_a_path(home: Path, name: str) -> None:
    paths_before = sorted(home.rglob("*"))
    for words in (["key"], ["sign", "k.cert"], ["do", "k", "start c3"], ["key", "trust", name, PUBLIC_KEY]):
        result = zim(f"--by={name}", *words) if "trust" not in words else zim(*words[:2], "--", *words[2:])
        assert result.returncode == 2, result
        assert "not a name" in result.stderr
        assert "\x1b" not in result.stderr
    assert [path for path in sorted(home.rglob("*")) if path not in paths_before and "games" not in path.name] == []


@pytest.mark.parametrize("command", ["lists", "trust ann", "trust ann 00", "revoke", "list x"])
def test_an_invalid_key_command_is_an_error(command: str) -> None:
    assert zim("key", *command.split()).returncode == 2


def test_a_seat_plays_with_its_key_from_the_beginning() -> None:
    run_successfully("key", "trust", "ben", public_key_of("ben"))
    run_successfully("new", "keyed", "players=2", "seed=7", "keys=mutapa:ben,kilwa:ann")
    result = zim("do", "keyed", "start f6")
    assert result.returncode == 1
    assert "this seat plays with the key" in result.stderr
    run_successfully("do", "keyed", "start f6", by="ben")
    run_successfully("do", "keyed", "start f3")
    verification = answer_document("verify", "keyed")
    assert [(known_key["by"], known_key["seat"], known_key["status"]) for known_key in verification["keys"]] == [
        ("ben", "mutapa", "trusted"),
        ("ann", "kilwa", "trusted"),
    ]
    run_successfully("export", "keyed", "--certificate", "keyed.cert")
    assert "signed by ben for mutapa" in run_successfully("verify", "keyed.cert", by="cid")


def test_a_seat_may_be_bound_to_one_s_own_key() -> None:
    run_successfully("seat", "k", "mutapa")
    assert zim("do", "k", "start f6", by="ben").returncode == 1
    run_successfully("do", "k", "start f6")
    assert zim("seat", "k", "mutapa", public_key_of("ben"), by="ben").returncode == 1
    assert "seat" in run_successfully("log", "k", "--ops")


@pytest.mark.parametrize("keys", ["mutapa", "mutapa:", "mutapa:nobody", "mutapa:ann,mutapa:ann", "eshu:ann"])
def test_a_game_with_invalid_keys_is_not_begun(keys: str) -> None:
    result = zim("new", "other", "players=2", f"keys={keys}")
    assert result.returncode == 2
    assert "this is a bug" not in result.stderr
    assert "other" not in run_successfully("games")


def test_a_certificate_of_the_past_says_what_it_does_not_prove() -> None:
    header, *links = Path("k.cert").read_text().splitlines()
    old_header = {name: value for name, value in json.loads(header).items() if name not in ("keys", "seal")}
    lines = [json.dumps(old_header | {"zim": "certificate.1", "game": "mine"}, separators=(",", ":")), *links]
    Path("old.cert").write_text("\n".join(lines) + "\n")
    result = zim("verify", "old.cert")
    assert result.returncode == 0
    assert "nothing proves the names mine/main: this certificate has an older form" in result.stderr


def test_a_trusted_key_is_replaced_only_with_the_replace_option() -> None:
    run_successfully("key", "trust", "ben", public_key_of("ben"))
    refusal = zim("key", "trust", "ben", PUBLIC_KEY)
    assert refusal.returncode == 2
    assert f"{public_key_of('ben')[:16]} is trusted, since" in refusal.stderr
    assert f"key trust ben {PUBLIC_KEY} --replace" in refusal.stderr
    assert [known_key["key"] for known_key in answer_document("key", "list")["known"] if known_key["by"] == "ben"] == [
        public_key_of("ben")
    ]
    run_successfully("key", "trust", "ben", PUBLIC_KEY, "--replace")
    assert [known_key["key"] for known_key in answer_document("key", "list")["known"] if known_key["by"] == "ben"] == [
        PUBLIC_KEY
    ]


@pytest.mark.parametrize("words", [["key"], ["key", "--passphrase"], ["seat", "k", "kilwa"]], ids=" ".join)
def test_your_own_key_replaces_no_known_key(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A name whose key is trusted keeps it: your new key does not replace it."""
    monkeypatch.setenv("ZIM_KEY_PASSPHRASE", "open sesame")
    run_successfully("key", "trust", "cid", PUBLIC_KEY)
    refusal = zim(*words, by="cid", machine="ann")
    assert refusal.returncode == 2
    assert "is not the key of cid" in refusal.stderr
    assert not list(Path("data-of-ann").rglob("cid.key"))
    assert [known_key["key"] for known_key in answer_document("key", "list")["known"] if known_key["by"] == "cid"] == [
        PUBLIC_KEY
    ]


def test_a_seat_is_not_bound_to_a_key_that_was_merely_met() -> None:
    sign_as("eve", claimed_name="ben")
    run_successfully("verify", "k.cert")
    for words in (["new", "other", "players=2", "keys=kilwa:ben"], ["seat", "k", "kilwa", "ben"]):
        refusal = zim(*words)
        assert refusal.returncode == 2
        assert "no key for ben on this machine" in refusal.stderr
    run_successfully("new", "other", "players=2", f"keys=kilwa:{PUBLIC_KEY}")


def test_a_name_without_a_key_is_named_in_the_error() -> None:
    for words in (["seat", "k", "kilwa", "nobody"], ["key", "revoke", "nobody"]):
        refusal = zim(*words)
        assert refusal.returncode == 2
        assert "no key for nobody on this machine" in refusal.stderr
