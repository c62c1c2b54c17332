import type * as Api from '@opentelemetry/api';
import type * as Sdk from '@opentelemetry/sdk-trace';
import type { Log } from './log.ts';
import { resolvesWithin } from './loop.ts';
import type { Attributes, Span, SpanKind, SpanOptions, Traces } from './trace.ts';
import type { SAMPLERS } from './trace-settings.ts';

export interface TraceExportOptions {
  /** Base URL of the collector; spans are sent to `/v1/traces` below it. */
  readonly endpoint: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly sampler: (typeof SAMPLERS)[number];
  /** 0 to 1. */
  readonly ratio: number;
  /** Attributes of this process. */
  readonly resource: Attributes;
  readonly log: Log;
}

/**
 * Sends spans to the collector in batches in the background, and drops them if the queue is full or sending fails. Loads
 * OpenTelemetry only here, so a process without tracing does not have it in memory.
 */
export async function openTraces(options: TraceExportOptions): Promise<Traces> {
  const [api, sdk, { OTLPTraceExporter }, { defaultResource, resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const { endpoint, headers, resource, log } = options;
  const exporter = new OTLPTraceExporter({
    url: `${endpoint}/v1/traces`,
    timeoutMillis: EXPORT_TIMEOUT_MS,
    ...(headers && { headers: { ...headers } }),
  });
  const collector = withLogging(exporter, log);
  const provider = new sdk.TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes({ ...resource })),
    sampler: samplerOf(sdk, options),
    // Defence in depth: no long values leave the process.
    spanLimits: { attributeValueLengthLimit: MAX_VALUE_CHARS },
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: collector,
        scheduledDelayMillis: BATCH_INTERVAL_MS,
        maxExportBatchSize: BATCH_SPANS,
        maxQueueSize: MAX_QUEUED_SPANS,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS + BATCH_INTERVAL_MS,
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
      const flushed = await resolvesWithin(provider.shutdown(), FLUSH_TIMEOUT_MS).catch(() => false);
      if (!flushed) collector.onFailure('TIMEOUT');
    },
  };
}

const BATCH_INTERVAL_MS = 1_000;
const BATCH_SPANS = 512;
/** About 4 MB. */
const MAX_QUEUED_SPANS = 4_096;
/** Limit of all attempts of one batch, and of the delay that a hanging collector adds to the end of a process. */
const EXPORT_TIMEOUT_MS = 3_000;
const FLUSH_TIMEOUT_MS = 2_000;
const MAX_VALUE_CHARS = 256;

/** Logs the first failure and the recovery instead of every failed batch. */
function withLogging(exporter: Sdk.SpanExporter, log: Log): Sdk.SpanExporter & { onFailure(reason: string): void } {
  let failing = false;
  const onFailure = (reason: string) => {
    if (!failing) log.warn({ reason }, 'traces cannot be sent (OTEL_EXPORTER_OTLP_ENDPOINT) and are dropped');
    failing = true;
  };
  return {
    onFailure,
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code !== 0) onFailure(reasonOf(result.error));
        else if (failing) {
          failing = false;
          log.info('traces are sent again');
        }
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

/** A code or an HTTP status, never the collector's message. */
function reasonOf(error: Error | undefined): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return code === undefined ? (error?.name ?? 'unknown') : String(code);
}

function samplerOf(sdk: typeof Sdk, { sampler, ratio }: Pick<TraceExportOptions, 'sampler' | 'ratio'>): Sdk.Sampler {
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

/** `parent` must be validated by the caller. */
function contextOf({ trace, ROOT_CONTEXT }: typeof Api, parent: string | undefined): Api.Context {
  const [, traceId, spanId, flags] = parent?.split('-') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16) & 1;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}
