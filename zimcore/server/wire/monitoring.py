"""Monitoring: a log line for each request, and metrics for Prometheus.

Neither contains a token, or anything else that a client wrote: a request is named by its resource.

In other words: structured logging.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import TextIO

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Metric, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily
from prometheus_client.registry import Collector

log = logging.getLogger("zim.server.requests")

NO_RESOURCE = "-"
"""The resource of a request whose path matches no endpoint."""
KNOWN_METHODS = ("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS")


class Metrics:
    """The metrics of one server; each server has a registry of its own."""

    def __init__(
        self,
        count_waiting: Callable[[], int],
        count_feeds: Callable[[], int],
        count_studies: Callable[[], int],
        worker_seconds: Callable[[], Mapping[str, float]],
    ) -> None:
        self.registry = CollectorRegistry()
        labels = ("method", "resource", "status")
        self.request_counter = Counter("zim_requests", "Requests that were answered.", labels, registry=self.registry)
        self.seconds_histogram = Histogram(
            "zim_request_seconds", "Seconds until the answer began.", labels[:2], registry=self.registry
        )
        self.registry.register(WorkerSeconds(worker_seconds))
        Gauge("zim_waiting", "Requests at the workers.", registry=self.registry).set_function(count_waiting)
        Gauge(
            "zim_studies_waiting", "Long questions that wait or are being answered.", registry=self.registry
        ).set_function(count_studies)
        Gauge("zim_feeds", "Feeds that are open.", registry=self.registry).set_function(count_feeds)

    def text(self) -> bytes:
        """All metrics, in the text format of Prometheus."""
        return generate_latest(self.registry)


class WorkerSeconds(Collector):
    """The metric of the time that workers of each kind have worked; `read_seconds` reads it."""

    def __init__(self, worker_seconds: Callable[[], Mapping[str, float]]) -> None:
        self.read_seconds = worker_seconds

    def collect(self) -> Iterable[Metric]:
        """The counters, as they are now."""
        metric = CounterMetricFamily("zim_worker_seconds", "Seconds for which workers have worked.", labels=["kind"])
        for kind, seconds in self.read_seconds().items():
            metric.add_metric([kind], seconds)
        return [metric]


def monitor_requests(metrics: Metrics) -> Callable[[ASGIApp], ASGIApp]:
    """The middleware that counts and logs requests."""

    def wrap(app: ASGIApp) -> ASGIApp:
        async def middleware(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != ScopeType.HTTP:
                await app(scope, receive, send)
                return
            start_time, status, seconds = time.perf_counter(), 500, 0.0

            async def send_and_record(message: Message) -> None:
                nonlocal status, seconds
                if message["type"] == "http.response.start":
                    status, seconds = message["status"], time.perf_counter() - start_time
                await send(message)

            try:
                await app(scope, receive, send_and_record)
            finally:
                method = scope["method"] if scope["method"] in KNOWN_METHODS else "OTHER"
                resource = scope.get("path_template") or NO_RESOURCE
                metrics.request_counter.labels(method, resource, status).inc()
                metrics.seconds_histogram.labels(method, resource).observe(seconds)
                game = scope.get("path_params", {}).get("game", "")
                log.info(
                    "request",
                    extra={
                        "log_fields": {
                            "method": method,
                            "resource": resource,
                            "game": game if status < 400 else "",
                            "status": status,
                            "ms": round(1000 * seconds, 1),
                        }
                    },
                )

        return middleware

    return wrap


class JsonFormatter(logging.Formatter):
    """Writes each record as a line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record. For an error it has the type and the place in our code, never data of the request."""
        timestamp = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        fields = {
            "at": timestamp,
            "level": record.levelname.lower(),
            "what": record.getMessage(),
            **getattr(record, "log_fields", {}),
        }
        if record.exc_info and record.exc_info[2]:
            fields["where"] = stack_frames(record.exc_info[2])
        return json.dumps(fields)


def stack_frames(traceback: object) -> list[str]:
    """The last 12 frames of a traceback, innermost last: file, line and function, no values."""
    import traceback as tracebacks
    from types import TracebackType

    assert isinstance(traceback, TracebackType)
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in tracebacks.extract_tb(traceback)][-12:]


def log_to(stream: TextIO = sys.stderr, level: int = logging.INFO) -> None:
    """Sends the logs of the server and of uvicorn to a stream, from a level on."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    for logger_name in ("zim.server", "uvicorn.error"):
        logger = logging.getLogger(logger_name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)
