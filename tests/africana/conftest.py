"""Marks that say which rule a test shows, and a check that they say the truth."""

from tests.decider_kit import pytest_configure, pytest_runtest_call

__all__ = ["pytest_configure", "pytest_runtest_call"]
