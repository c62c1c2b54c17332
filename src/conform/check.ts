import type { Probe } from './probe.ts';

/** One sentence of the specification that can be seen from outside, and how one looks. */
export interface Check {
  /** `<service>.<matter>…`; unique over all services, and stable: people exclude and track checks by it. */
  readonly id: string;
  /** The section, and the specification's own words. */
  readonly cites: readonly [section: string, words: string];
  /** What holds where the check passes. */
  readonly title: string;
  /** Returns where the sentence holds, throws a `Breach` where it does not, a `Skip` where it cannot be seen here. */
  readonly run: (visit: Visit) => Promise<void>;
}

export type ServiceName = 'defectoscopy' | 'stt' | 'passports' | 'reports';

/** A deployment that is being looked at, and what whoever asked has given for it. */
export interface Visit {
  readonly probe: Probe;
  /** The access token of defectoscopy and STT; of reports, if they ask for one. */
  readonly token: string | undefined;
  /** The key that passports exchanges for a token. */
  readonly apiKey: string | undefined;
  /** A file that a task may name where the deployment keeps none itself: an image, or a recording. */
  readonly fileUrl: string | undefined;
  /** Files that the service can use. */
  readonly specimens: Specimens;
  /** Where a webhook may lead that nobody will receive. */
  readonly webhookUrl: string;
  /** Whether the deployment can call this process on a loopback address. */
  readonly sameMachine: boolean;
  /** How long a task may take. */
  readonly patienceMs: number;
  /** Whether it may be asked until it refuses: for a minute everybody with this token is refused. */
  readonly mayFlood: boolean;
  /** Whether documents that are older than a year may be deleted, and all of them where a limit is not kept. */
  readonly mayCleanUp: boolean;
  /** In names and files of this visit, so that it meets nothing of an earlier one. */
  readonly nonce: string;
  readonly signal: AbortSignal;
}

export interface Specimens {
  image(): Promise<Uint8Array>;
  recording(): Promise<Uint8Array>;
  document(): Promise<Uint8Array>;
}

/** Something that several checks look at: it is done once a visit, by the first that needs it. */
export function step<T>(take: (visit: Visit) => Promise<T>): (visit: Visit) => Promise<T> {
  const taken = new WeakMap<Visit, Promise<T>>();
  return (visit) => {
    const before = taken.get(visit);
    if (before) return before;
    const now = take(visit);
    taken.set(visit, now);
    return now;
  };
}
