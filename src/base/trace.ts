import { AsyncLocalStorage } from 'node:async_hooks';

/** Tracer of one process; undefined if tracing is not configured. */
export interface Traces {
  /** Begins a span below `parent` (a W3C `traceparent`), or a new trace. */
  begin(name: string, options: SpanOptions & { readonly parent?: string | undefined }): Span;
  /** Sends the queued spans, for at most two seconds. */
  close(): Promise<void>;
}

export interface Span {
  /** To propagate the trace: `00-<trace>-<span>-<flags>` (W3C Trace Context, version 00). */
  readonly traceparent: string;
  readonly traceId: string;
  child(name: string, options?: SpanOptions): Span;
  /** `error`: a code or class name, never a message, which might quote the request. */
  end(attributes?: Attributes, error?: string): void;
}

export interface SpanOptions {
  /** Default: `internal`. */
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
}

export type SpanKind = 'server' | 'client' | 'producer' | 'consumer' | 'internal';

/**
 * Named by OpenTelemetry's semantic conventions or below `assay.`. Never contains URLs, headers, bodies or the client's
 * identity, because traces leave the installation.
 */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** Runs `run` as `span` and ends the span with the attributes of `describe`, or with the kind of the error. */
export function withSpan<T>(
  span: Span | undefined,
  run: () => Promise<T>,
  describe: (value: T) => Attributes = () => ({}),
): Promise<T> {
  return span === undefined ? run() : runAndEnd(span, run, describe);
}

/** Time between `from` and `to` (by `performance.now()`) in a step, whether it succeeded or not. */
export type OnStep = (name: string, from: number, to: number) => void;

/** Runs `run` so that its {@link step}s become children of `span`, if there is one, and the outermost ones are reported. */
export const withSteps = <T>(span: Span | undefined, onStep: OnStep, run: () => T): T =>
  current.run({ span, onStep }, run);

/** Runs `run` as a step of the attempt set by {@link withSteps}; without one, only runs it. */
export function step<T>(
  name: string,
  run: () => Promise<T>,
  options?: SpanOptions,
  describe?: (value: T) => Attributes,
): Promise<T> {
  const parent = current.getStore();
  if (parent === undefined) return run();
  const span = parent.span?.child(name, options);
  const from = performance.now();
  const result = current.run({ span }, () => withSpan(span, run, describe));
  return parent.onStep === undefined ? result : result.finally(() => parent.onStep?.(name, from, performance.now()));
}

// Costs nothing until its first `run`.
const current = new AsyncLocalStorage<{ readonly span: Span | undefined; readonly onStep?: OnStep }>();

async function runAndEnd<T>(span: Span, run: () => Promise<T>, describe: (value: T) => Attributes): Promise<T> {
  try {
    const value = await run();
    span.end(describe(value));
    return value;
  } catch (error) {
    span.end({}, kindOf(error));
    throw error;
  }
}

/** The code of an error (`ECONNREFUSED`, `IMAGE_CORRUPT`), or else its class name. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^\w{1,64}$/.test(code) ? code : error.name;
}
