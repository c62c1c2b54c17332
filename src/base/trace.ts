import { AsyncLocalStorage } from 'node:async_hooks';

/** Where the spans of one process go; there is none where nothing is traced. */
export interface Traces {
  /** Begins a span below `parent` (a W3C `traceparent`), or a trace of its own where there is none. */
  begin(name: string, options: SpanOptions & { readonly parent?: string | undefined }): Span;
  /** Sends what is still here, for two seconds at the most. */
  close(): Promise<void>;
}

/** A piece of work that was begun: where it stands in its trace, and what is told of it when it ends. */
export interface Span {
  /** For whoever goes on in this trace: `00-<trace>-<span>-<flags>` (W3C Trace Context, version 00). */
  readonly traceparent: string;
  readonly traceId: string;
  child(name: string, options?: SpanOptions): Span;
  /** `error`: a code or the name of a kind, never a sentence, which might quote what was asked. */
  end(attributes?: Attributes, error?: string): void;
}

export interface SpanOptions {
  /** `internal` where it is not said. */
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
}

export type SpanKind = 'server' | 'client' | 'producer' | 'consumer' | 'internal';

/**
 * What is told of a span, by the names of OpenTelemetry's semantic conventions or under `assay.`. Never a URL, a header, a
 * body, or who asks: traces leave the house.
 */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

/**
 * Runs something as `span` and ends it, with what `tell` knows of the outcome; where it throws, the span tells the kind of
 * error. Without a span it only runs.
 */
export function during<T>(
  span: Span | undefined,
  run: () => Promise<T>,
  tell: (value: T) => Attributes = () => ({}),
): Promise<T> {
  return span === undefined ? run() : told(span, run, tell);
}

/** Runs something whose {@link step}s belong to `span`. */
export const under = <T>(span: Span | undefined, run: () => T): T =>
  span === undefined ? run() : current.run(span, run);

/** One step of what runs {@link under} a span, as a span below it; anywhere else it only runs. */
export function step<T>(
  name: string,
  run: () => Promise<T>,
  options?: SpanOptions,
  tell?: (value: T) => Attributes,
): Promise<T> {
  const span = current.getStore()?.child(name, options);
  return span === undefined ? run() : current.run(span, () => during(span, run, tell));
}

// It costs nothing until something runs under a span for the first time.
const current = new AsyncLocalStorage<Span>();

async function told<T>(span: Span, run: () => Promise<T>, tell: (value: T) => Attributes): Promise<T> {
  try {
    const value = await run();
    span.end(tell(value));
    return value;
  } catch (error) {
    span.end({}, kindOf(error));
    throw error;
  }
}

/** A code where an error has one (`ECONNREFUSED`, `IMAGE_CORRUPT`), else the name of its class. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^\w{1,64}$/.test(code) ? code : error.name;
}
