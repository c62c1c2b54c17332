import type { Probe } from './probe.ts';

/** One requirement of the specification that is observable from outside. */
export interface Check {
  /** `<service>.<topic>…`; unique and stable, because clients select checks by it. */
  readonly id: string;
  /** Section and quotation of the specification. */
  readonly cites: readonly [section: string, words: string];
  /** The requirement in one sentence. */
  readonly title: string;
  /** Throws `AssertionFailure` or `Skip`. */
  readonly run: (context: Visit) => Promise<void>;
}

export type ServiceName = 'defectoscopy' | 'stt' | 'passports' | 'reports';

/** A deployment under test with the options of the run. */
export interface Visit {
  readonly probe: Probe;
  /** Access token of defectoscopy, STT or reports. */
  readonly token: string | undefined;
  /** API key of passports. */
  readonly apiKey: string | undefined;
  /** File address for tasks if the deployment has no file storage. */
  readonly fileUrl: string | undefined;
  /** Valid input files. */
  readonly specimens: Specimens;
  /** Webhook address without a receiver. */
  readonly webhookUrl: string;
  /** Whether webhooks can reach this process on a loopback address. */
  readonly sameMachine: boolean;
  /** Time limit per task. */
  readonly patienceMs: number;
  /** Whether the rate limit may be exhausted, which blocks the token for a minute. */
  readonly mayFlood: boolean;
  /** Allows `POST /admin/cleanup` with 365 days. A faulty deployment may delete all documents. */
  readonly mayCleanUp: boolean;
  /** Makes names and files of this run unique. */
  readonly nonce: string;
  readonly signal: AbortSignal;
}

export interface Specimens {
  image(): Promise<Uint8Array>;
  recording(): Promise<Uint8Array>;
  document(): Promise<Uint8Array>;
}

/** Runs `take` once per run; later checks share its result. */
export function step<T>(take: (context: Visit) => Promise<T>): (context: Visit) => Promise<T> {
  const results = new WeakMap<Visit, Promise<T>>();
  return (context) => {
    const existing = results.get(context);
    if (existing) return existing;
    const created = take(context);
    results.set(context, created);
    return created;
  };
}
