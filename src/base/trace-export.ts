import type * as Api from '@opentelemetry/api';
import type * as Sdk from '@opentelemetry/sdk-trace';
import type { Log } from './log.ts';
import { rest } from './loop.ts';
import type { Attributes, Span, SpanKind, SpanOptions, Traces } from './trace.ts';
import type { SAMPLERS } from './trace-settings.ts';

export interface TraceExport {
  /** The base address of a collector; spans go to `/v1/traces` below it. */
  readonly endpoint: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly sampler: (typeof SAMPLERS)[number];
  /** Of the traces that a ratio keeps, 0 to 1. */
  readonly ratio: number;
  /** What every span of this process says of it. */
  readonly resource: Attributes;
  readonly log: Log;
}

/**
 * Sends spans to the operator's collector: in batches, in the background, and by a way of its own, since the guard against
 * strangers' addresses has nothing to say about the operator's. What does not fit into the queue or cannot be sent is
 * dropped; no request and no task waits for it. OpenTelemetry is loaded here and nowhere else, so a process that traces
 * nothing never has it in memory.
 */
export async function openTraces(options: TraceExport): Promise<Traces> {
  const [api, sdk, { OTLPTraceExporter }, { defaultResource, resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const { endpoint, headers, resource, log } = options;
  const exporter = new OTLPTraceExporter({
    url: `${endpoint}/v1/traces`,
    timeoutMillis: EXPORT_MS,
    ...(headers && { headers: { ...headers } }),
  });
  const collector = watched(exporter, log);
  const provider = new sdk.TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes({ ...resource })),
    sampler: samplerOf(sdk, options),
    // A second lock on the door: nothing long gets out, whatever it is.
    spanLimits: { attributeValueLengthLimit: LONGEST_VALUE },
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: collector,
        scheduledDelayMillis: BATCH_EVERY_MS,
        maxExportBatchSize: BATCH_SPANS,
        maxQueueSize: MOST_WAITING,
        exportTimeoutMillis: EXPORT_MS + BATCH_EVERY_MS,
      }),
    ],
  });
  const tracer = provider.getTracer('assay');
  const kinds = kindsOf(api);

  function begin(name: string, { kind = 'internal', attributes = {} }: SpanOptions, above: Api.Context): Span {
    const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, above);
    const { traceId, spanId, traceFlags } = span.spanContext();
    return {
      traceId,
      traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
      child: (named, given = {}) => begin(named, given, api.trace.setSpan(api.ROOT_CONTEXT, span)),
      end(more = {}, error) {
        span.setAttributes(more);
        if (error !== undefined) {
          span.setAttribute('error.type', error).setStatus({ code: api.SpanStatusCode.ERROR });
        }
        span.end();
      },
    };
  }

  return {
    begin: (name, { parent, ...given }) => begin(name, given, contextOf(api, parent)),
    async close() {
      const flushed = provider.shutdown().then(
        () => true,
        () => false,
      );
      const over = new AbortController();
      const inTime = await Promise.race([flushed, rest(FLUSH_MS, over.signal).then(() => false)]);
      over.abort();
      if (!inTime) collector.missed('TIMEOUT');
    },
  };
}

const BATCH_EVERY_MS = 1_000;
const BATCH_SPANS = 512;
/** Some 4 MB. */
const MOST_WAITING = 4_096;
/** Tries of one batch together. Also what a collector that hangs may add to the end of a process, at most. */
const EXPORT_MS = 3_000;
const FLUSH_MS = 2_000;
const LONGEST_VALUE = 256;

/** Nobody wants to read once per batch that the collector is away: once when it goes, and once when it is back. */
function watched(exporter: Sdk.SpanExporter, log: Log): Sdk.SpanExporter & { missed(reason: string): void } {
  let away = false;
  const missed = (reason: string) => {
    if (!away)
      log.warn({ reason }, 'traces cannot be sent (OTEL_EXPORTER_OTLP_ENDPOINT) and are lost; all else goes on');
    away = true;
  };
  return {
    missed,
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code !== 0) missed(reasonOf(result.error));
        else if (away) {
          away = false;
          log.info('traces are sent again');
        }
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

/** A code or an HTTP status, and never what the collector said. */
function reasonOf(error: Error | undefined): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return code === undefined ? (error?.name ?? 'unknown') : String(code);
}

function samplerOf(sdk: typeof Sdk, { sampler, ratio }: Pick<TraceExport, 'sampler' | 'ratio'>): Sdk.Sampler {
  const root = sampler.endsWith('always_on')
    ? new sdk.AlwaysOnSampler()
    : sampler.endsWith('always_off')
      ? new sdk.AlwaysOffSampler()
      : new sdk.TraceIdRatioBasedSampler(ratio);
  return sampler.startsWith('parentbased_') ? new sdk.ParentBasedSampler({ root }) : root;
}

const kindsOf = ({ SpanKind: kind }: typeof Api): Record<SpanKind, Api.SpanKind> => ({
  server: kind.SERVER,
  client: kind.CLIENT,
  producer: kind.PRODUCER,
  consumer: kind.CONSUMER,
  internal: kind.INTERNAL,
});

/** `parent` is well-formed: what comes from outside is looked at where it comes in. */
function contextOf({ trace, ROOT_CONTEXT }: typeof Api, parent: string | undefined): Api.Context {
  const [, traceId, spanId, flags] = parent?.split('-') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  // Of the flags only "sampled" is ours to pass on.
  const traceFlags = Number.parseInt(flags, 16) & 1;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}
