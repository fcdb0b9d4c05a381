"""Files of others that are nested too deeply: an error that says so, never a crash."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Zim
from zimcore.game import OptionError
from zimcore.games.africana.box import read_components

DEPTH = 50_000
NESTED_TOML = {
    "arrays": "jokers = " + "[" * DEPTH,
    "tables": "jokers = " + "{a = " * DEPTH,
    "names": ".".join("a" * DEPTH) + " = 1",
    "heads": "[" + ".".join("a" * DEPTH) + "]\nb = 1",
}
NESTED_JSON = {
    "lists": "[" * DEPTH,
    "objects": '{"a":' * DEPTH,
    "in an object": '{"zim":"witness.1","a":' + "[" * DEPTH,
}


@pytest.mark.parametrize("text", NESTED_TOML.values(), ids=NESTED_TOML)
def test_deeply_nested_components_are_an_error(text: str, tmp_path: Path) -> None:
    file = tmp_path / "components.toml"
    file.write_text(text)
    with pytest.raises(OptionError, match="not have the form"):
        read_components(file)


@pytest.mark.parametrize("kind", ["arrays", "tables"])
def test_deeply_nested_settings_are_an_error(
    zim: Zim, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    file = tmp_path / "zim" / "config.toml"
    file.parent.mkdir()
    file.write_text(NESTED_TOML[kind])
    result = zim("config")
    assert (result.exit_code, result.stderr.partition(":")[0]) == (2, "error"), result.output


@pytest.mark.parametrize("text", NESTED_JSON.values(), ids=NESTED_JSON)
def test_deeply_nested_json_is_no_bug(zim: Zim, text: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text(text)
    zim("new", "k", "herd=12")
    for words in (
        ["verify", "--all", "--since", str(file)],
        ["verify", "k", "--against", str(file)],
        ["import", str(file)],
        ["sign", str(file)],
        ["audit", str(file)],
        ["pipe"],
    ):
        result = zim(*words, stdin=text)
        assert result.exit_code in (0, 2, 4), (words, result.output)
        assert "bug" not in result.output, (words, result.output)
