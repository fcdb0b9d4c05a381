"""Builds the table as a prompt-toolkit application: the screen, the keys and the mouse."""

from __future__ import annotations

import sys
from collections.abc import Callable

from prompt_toolkit.application import Application
from prompt_toolkit.enums import EditingMode
from prompt_toolkit.filters import is_searching
from prompt_toolkit.layout import BufferControl, Layout, Window
from prompt_toolkit.layout.processors import (
    AppendAutoSuggestion,
    BeforeInput,
    Processor,
    Transformation,
    TransformationInput,
)
from prompt_toolkit.widgets import SearchToolbar

from zimcli.output.errors import problem_of
from zimcli.render.problems import problem_lines
from zimcli.repl.key_actions import with_usable_keys
from zimcli.repl.style import terminal_color_depth, theme_style
from zimcli.session.lesson import Lesson
from zimcli.session.session import Session
from zimcli.settings.config import Config
from zimcli.table.controller import TableController
from zimcli.table.controls import Controls
from zimcli.table.screen import TableContainer
from zimcore.documents.problems import Problem


def run_table(session: Session, config: Config, problem: Problem | None = None, lesson: Lesson | None = None) -> None:
    """Runs the table until the user leaves, with a tutorial if `lesson` is given. Shows a problem with the settings."""
    config, key_error = with_usable_keys(config)
    problem = problem_of(key_error) if key_error else problem
    controller = TableController(session, config)
    build_app(controller)
    if problem:
        controller.model.answer = [*problem_lines(problem)]
    if lesson:
        controller.teacher.begin_lesson(lesson)
        controller.service_thread.taught_match = "" if lesson.is_exercise else controller.model.head.match
    controller.run_app()
    session.show_blocks(*controller.farewell)
    if controller.model.lesson and not controller.model.lesson.is_over:
        session.show_note(f"to resume: {controller.model.lesson.resume_command}")


def build_app(controller: TableController) -> None:
    """Creates the screen and the prompt-toolkit application for a controller."""
    controls, search_toolbar = Controls(controller), SearchToolbar()
    controller.show_keys = controls.key_help
    buffer_control = BufferControl(
        controller.buffer,
        input_processors=[
            BeforeInput(controller.prompt, "class:prompt.where"),
            AppendAutoSuggestion(),
            InvertWhenChosen(lambda: controller.awaits_confirmation),
        ],
        search_buffer_control=search_toolbar.control,
    )
    line_window = Window(buffer_control, wrap_lines=True, height=controller.line_rows)
    controller.screen = TableContainer(
        controller.model,
        controller.menu,
        line_window,
        search_toolbar.container.content,  # type: ignore[arg-type]  # a window, shown during a search
        controller.theme,
        has_glyphs=not controller.service_thread.shell_output.plain_ascii(sys.stdout),
        on_mouse=controls.on_mouse,
    )
    controller.screen.is_searching = is_searching
    controller.app = Application(
        layout=Layout(controller.screen, line_window),
        key_bindings=controls.bindings(),
        full_screen=True,
        mouse_support=True,
        editing_mode=EditingMode.VI if controller.config.keys == "vi" else EditingMode.EMACS,
        style=theme_style(controller.theme),
        color_depth=terminal_color_depth(),
        enable_page_navigation_bindings=False,
    )
    # Escape must act at once: by default, no other key sequence starts with it.
    controller.app.ttimeoutlen, controller.app.timeoutlen = 0.05, 0.2


class InvertWhenChosen(Processor):
    """Inverts the input line while the next key would replace it."""

    def __init__(self, is_chosen: Callable[[], bool]) -> None:
        self.is_chosen = is_chosen

    def apply_transformation(self, transformation_input: TransformationInput) -> Transformation:
        """The line, inverted if the next key would replace it."""
        style = " reverse" if self.is_chosen() else ""
        return Transformation([(f"{fragment[0]}{style}", fragment[1]) for fragment in transformation_input.fragments])
