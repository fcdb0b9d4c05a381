"""`config KEY VALUE`: one setting is changed, for good, and the rest of the file stays as it is."""

from pathlib import Path

import pytest

from tests.cli.conftest import Zim
from zimcli.settings.config import TEMPLATE_FILE, Config, TableKeys, load_config
from zimcli.settings.config_file import config_file, has_config
from zimcore.game import GameError
from zimcore.server.news.notice_kinds import read_kinds


@pytest.fixture(autouse=True)
def config_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


def test_a_setting_is_changed_and_its_explanation_stays(zim: Zim) -> None:
    result = zim("config", "board", "on")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "board = true" in result.stdout
    assert load_config(config_file()) == Config(board=True)
    assert config_file().read_text() == TEMPLATE_FILE.read_text().replace("\nboard = false", "\nboard = true")


def test_keys_of_the_table_are_set_with_the_prefix_table(zim: Zim) -> None:
    assert zim("config", "table.board", "c-b").exit_code == 0
    assert load_config(config_file()) == Config(table=TableKeys(board="c-b"))


def test_the_user_s_own_short_file_is_kept(zim: Zim) -> None:
    config_file().parent.mkdir(parents=True)
    config_file().write_text("# mine\nbell = false\n")
    assert zim("config", "theme", "dark").exit_code == 0
    assert zim("config", "theme=light").exit_code == 0
    assert zim("config", "table.log", "f9").exit_code == 0
    assert load_config(config_file()) == Config(bell=False, theme="light", table=TableKeys(log="f9"))
    assert "# mine\nbell = false\n" in config_file().read_text()


@pytest.mark.parametrize(
    ("words", "error_text"),
    [
        (["colour", "red"], "not understood: no setting colour"),
        (["board", "perhaps"], "not understood: board perhaps"),
        (["theme", "pink"], "not understood: theme pink"),
        (["theme"], "not understood: theme"),
    ],
)
def test_an_invalid_setting_leaves_the_file_alone(zim: Zim, words: list[str], error_text: str) -> None:
    result = zim("config", *words)
    assert (result.exit_code, result.stderr.splitlines()[0]) == (2, error_text)
    assert not config_file().exists()
    assert list(config_file().parent.glob("*")) == []


def test_a_file_that_can_not_be_read_is_not_written_over(zim: Zim) -> None:
    config_file().parent.mkdir(parents=True)
    config_file().write_text("keys = 7\n")
    assert zim("config", "board", "on").exit_code == 2
    assert config_file().read_text() == "keys = 7\n"


def test_a_session_changes_a_setting(zim: Zim) -> None:
    assert zim("run", "-", stdin="config bell off").exit_code == 0
    assert load_config(config_file()) == Config(bell=False)


@pytest.mark.parametrize("file_text", [f"more = {'1' * 5000}", f"more = {'[' * 10_000}"], ids=["long", "deep"])
def test_unreadable_input_is_reported(zim: Zim, tmp_path: Path, file_text: str) -> None:
    """A number that is too long, brackets that are too deep: in settings, a sheet of house rules, kinds of notices."""
    sheet = tmp_path / "sheet.toml"
    sheet.write_text(file_text)
    result = zim("new", "kilwa-7", "--house-rules", str(sheet))
    assert (result.exit_code, "this is not a sheet of house rules: " in result.stderr) == (2, True), result.output
    for read_file in (load_config, lambda file: read_kinds(file, tmp_path / "push.pem")):
        with pytest.raises(GameError):
            read_file(sheet)


@pytest.mark.parametrize("folder", ["{home}/etc", " {home}/etc ", "", "relative", None])
def test_a_move_finds_the_settings_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str | None
) -> None:
    """A move looks for settings without the library for the folders of each system, which is slow to import."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    if folder is None:
        monkeypatch.delenv("XDG_CONFIG_HOME")
    else:
        monkeypatch.setenv("XDG_CONFIG_HOME", folder.format(home=tmp_path))
    assert not has_config()
    config_file().parent.mkdir(parents=True)
    config_file().touch()
    assert has_config()
