import { NoResponse, type Probe } from './probe.ts';

/** One requirement of the specification that is observable from outside. */
export interface Check {
  /** `<service>.<topic>…`; unique and stable, because clients select checks by it. */
  readonly id: string;
  readonly cites: readonly [section: string, words: string];
  readonly title: string;
  readonly run: (context: RunContext) => Promise<void>;
}

export type ServiceName = 'defectoscopy' | 'stt' | 'passports' | 'reports';

/** A deployment under test with the options of the run. */
export interface RunContext {
  readonly probe: Probe;
  readonly token: string | undefined;
  readonly apiKey: string | undefined;
  /** File address for tasks if the deployment has no file storage. */
  readonly fileUrl: string | undefined;
  readonly specimens: Fixtures;
  readonly webhookUrl: string;
  /** Whether webhooks can reach this process on a loopback address. */
  readonly sameMachine: boolean;
  readonly timeoutMs: number;
  /** Whether the rate limit may be exhausted, which blocks the token for a minute. */
  readonly mayFlood: boolean;
  /** Allows `POST /admin/cleanup` with 365 days. A faulty deployment may delete all documents. */
  readonly mayCleanUp: boolean;
  readonly nonce: string;
  readonly signal: AbortSignal;
}

export interface Fixtures {
  image(): Promise<Uint8Array>;
  recording(): Promise<Uint8Array>;
  document(): Promise<Uint8Array>;
}

/** Runs `take` once per run; later checks share its result, unless the deployment did not respond. */
export function oncePerRun<T>(take: (context: RunContext) => Promise<T>): (context: RunContext) => Promise<T> {
  const results = new WeakMap<RunContext, Promise<T>>();
  return (context) => {
    const existing = results.get(context);
    if (existing) return existing;
    const created = take(context);
    results.set(context, created);
    created.catch((error: unknown) => {
      if (error instanceof NoResponse) results.delete(context);
    });
    return created;
  };
}
