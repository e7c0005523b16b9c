"""OpenTelemetry, an optional extra: one trace a delivery, from the webhook over its jobs to the calls to GitHub.

The ids of a trace follow from the delivery's GUID, so that the process that does a later part of the work finds it, and
nothing has to be stored. Off, nothing is loaded and a span costs nothing.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

import structlog
from structlog.contextvars import get_contextvars

from bot import __version__

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import SpanContext

Attributes = Mapping[str, str | int | None]

log = structlog.get_logger()

_provider: "TracerProvider | None" = None
_forced: ContextVar[tuple[int, int] | None] = ContextVar("forced", default=None)
_NAME: Final = "countersign"


def begin(endpoint: str, role: str) -> None:
    """Send spans to that OTLP collector from now on; without an endpoint, or without the extra, none are made."""
    global _provider  # noqa: PLW0603 - one for the process, as OpenTelemetry has it
    if not endpoint:
        return
    if find_spec("opentelemetry.sdk") is None:  # Found, not imported: an extra may be absent.
        log.warning("tracing.off", why="the extra `tracing` is not installed: see 'Traces' in the documentation")
        return
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 - an extra
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 - an extra
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415 - an extra
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415 - an extra

    about = {"service.name": _NAME, "service.version": __version__, "countersign.role": role}
    # The library reads OpenTelemetry's other variables (headers, sampler, certificates) by itself.
    _provider = TracerProvider(resource=Resource.create(about), id_generator=_ids())
    # By HTTP: gRPC would need a library of 40 MB.
    _provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint.rstrip("/") + "/v1/traces")))
    log.info("tracing.on")


def end() -> None:
    """Send what is left; a collector that is away is not waited for much longer than a call to it takes."""
    global _provider
    provider, _provider = _provider, None  # First: no span may begin while the last ones are sent.
    if provider is not None:
        provider.shutdown()


def delivery_received(guid: str) -> AbstractContextManager[None]:
    """The first span of a delivery's trace: the webhook, to its answer."""
    if _provider is None:
        return nullcontext()
    return _span("webhook", None, forced=(_trace_id(guid), _root_id(guid)), attributes={"delivery": guid})


@contextmanager
def job(name: str, guids: Sequence[str], attributes: Attributes) -> Iterator[None]:
    """A job in the trace of the first of these deliveries, linked to those of the others; without one no span."""
    if _provider is None or not guids:
        yield
        return
    from opentelemetry.trace import Link, NonRecordingSpan, set_span_in_context  # noqa: PLC0415 - an extra

    parent = set_span_in_context(NonRecordingSpan(_root_of(guids[0])))
    links = [Link(_root_of(guid)) for guid in guids[1:]]
    with _span(name, parent, links=links, attributes={"delivery": guids[0], **attributes}):
        yield
        # The job has bound to the log what GitHub said meanwhile, such as a newer head.
        bound = get_contextvars()
        annotate(**{name: bound[name] for name in attributes if name in bound})


def call(name: str, caller: str) -> AbstractContextManager[None]:
    """A call to GitHub, inside a job of a delivery; any other is no part of a trace."""
    if _provider is None or current() is None:
        return nullcontext()
    return _span(name, None, attributes={"countersign.caller": caller}, is_call=True)


def annotate(**attributes: str | int | None) -> None:
    """Add attributes to the span that runs."""
    if _provider is not None and current() is not None:
        from opentelemetry.trace import get_current_span  # noqa: PLC0415 - an extra

        get_current_span().set_attributes(_known(attributes))


def current() -> str | None:
    """The trace that this runs in, for the log: 32 hexadecimal digits."""
    if _provider is None:
        return None
    from opentelemetry.trace import get_current_span  # noqa: PLC0415 - an extra

    found = get_current_span().get_span_context()
    return f"{found.trace_id:032x}" if found.is_valid else None


@contextmanager
def _span(
    name: str,
    parent: "Context | None",
    *,
    attributes: Attributes,
    links: Sequence[Any] = (),
    forced: tuple[int, int] | None = None,
    is_call: bool = False,
) -> Iterator[None]:
    from opentelemetry.context import Context  # noqa: PLC0415 - an extra
    from opentelemetry.trace import SpanKind, Status, StatusCode, use_span  # noqa: PLC0415 - an extra

    assert _provider is not None
    # The id generator takes no arguments, so it reads the delivery's ids from this variable.
    token = _forced.set(forced)
    try:
        span = _provider.get_tracer(_NAME).start_span(
            name,
            context=Context() if forced else parent,  # The webhook begins its trace.
            kind=SpanKind.SERVER if forced else SpanKind.CLIENT if is_call else SpanKind.CONSUMER,
            attributes=_known(attributes),
            links=links,
        )
    finally:
        _forced.reset(token)  # Spans within this one get ids at random.
    # Only the kind of an error is told: its text may hold values.
    with use_span(span, end_on_exit=True, record_exception=False, set_status_on_exception=False):
        try:
            yield
        except BaseException as error:
            span.set_status(Status(StatusCode.ERROR, type(error).__name__))
            raise


def _known(attributes: Attributes) -> dict[str, str | int]:
    return {
        name if "." in name else f"countersign.{name}": value for name, value in attributes.items() if value is not None
    }


def _trace_id(guid: str) -> int:
    # An id of zeros is invalid (W3C Trace Context, section 3.2.2).
    return int.from_bytes(hashlib.sha256(f"trace {guid}".encode()).digest()[:16]) or 1


def _root_id(guid: str) -> int:
    return int.from_bytes(hashlib.sha256(f"root {guid}".encode()).digest()[:8]) or 1


def _root_of(guid: str) -> "SpanContext":
    from opentelemetry.context import Context  # noqa: PLC0415 - an extra
    from opentelemetry.sdk.trace.sampling import Decision  # noqa: PLC0415 - an extra
    from opentelemetry.trace import SpanContext, TraceFlags  # noqa: PLC0415 - an extra

    assert _provider is not None
    trace_id = _trace_id(guid)
    # The usual samplers decide by the trace id, so each process comes to the same answer.
    is_taken = _provider.sampler.should_sample(Context(), trace_id, "webhook").decision is not Decision.DROP
    flags = TraceFlags(TraceFlags.SAMPLED if is_taken else TraceFlags.DEFAULT)
    return SpanContext(trace_id, _root_id(guid), is_remote=True, trace_flags=flags)


def _ids() -> Any:
    # At random, but for a delivery's first span, which other processes compute.
    from opentelemetry.sdk.trace.id_generator import RandomIdGenerator  # noqa: PLC0415 - an extra

    class Ids(RandomIdGenerator):
        def generate_trace_id(self) -> int:
            forced = _forced.get()
            return forced[0] if forced else super().generate_trace_id()

        def generate_span_id(self) -> int:
            forced = _forced.get()
            return forced[1] if forced else super().generate_span_id()

    return Ids()
