"""The tests. A package, so that `tests.event_store` is never taken for `event_store`."""
