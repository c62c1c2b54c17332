import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Received } from '../receiver.ts';
import type { Audit, Counts } from './audit.ts';
import type { Acknowledged, Traffic } from './chaos-traffic.ts';
import type { Client } from './client.ts';

export interface Evidence {
  readonly acknowledged: ReadonlyMap<string, Acknowledged>;
  readonly answers: ReadonlyMap<string, number>;
  readonly firstSeen: ReadonlyMap<string, Record<string, unknown>>;
  readonly unacknowledged: number;
  /** The result per acknowledged task; undefined for 404. */
  readonly polled: ReadonlyMap<string, Record<string, unknown> | undefined>;
  readonly ends: ReadonlyMap<string, number>;
  readonly counts: Counts;
  readonly received: readonly Received[];
}

/** Waits until all work is done, at most `timeoutMs`, and collects the evidence. */
export async function collectEvidence(options: {
  traffic: Pick<Traffic, 'acknowledged' | 'answers' | 'firstSeen' | 'unacknowledged'>;
  audit: Audit;
  gateway: Client;
  received: readonly Received[];
  timeoutMs: number;
}): Promise<Evidence> {
  const { traffic, audit, gateway, received, timeoutMs } = options;
  for (const since = Date.now(); Date.now() - since < timeoutMs; await delay(100)) {
    if (isIdle(await audit.counts())) break;
  }
  const ids = [...traffic.acknowledged.values()].map(({ id }) => id);
  const polled = new Map<string, Record<string, unknown> | undefined>();
  let next = 0;
  const poll = async () => {
    for (let id = ids[next++]; id !== undefined; id = ids[next++]) {
      polled.set(id, await fetchResult(id, gateway));
    }
  };
  await Promise.all(Array.from({ length: 16 }, poll));
  const unacknowledged = traffic.unacknowledged();
  return {
    ...traffic,
    unacknowledged,
    polled,
    ends: await audit.endCounts(ids),
    counts: await audit.counts(),
    received,
  };
}

/** Retries 503, which broken database connections may still cause after the last fault. */
async function fetchResult(id: string, gateway: Client): Promise<Record<string, unknown> | undefined> {
  for (let attempt = 1; ; attempt++, await delay(200)) {
    const { status, body } = await gateway.call(`/result/${id}`);
    if (status !== 503 || attempt === 20) return status === 404 ? undefined : body.data;
  }
}

const isIdle = ({ unfinished, leased, undelivered, deliveriesLeased }: Counts) =>
  unfinished + leased + undelivered + deliveriesLeased === 0;

export function findViolations(evidence: Evidence): string[] {
  return [
    ...faultsOfTasks(evidence),
    ...faultsOfCounts(evidence),
    ...faultsOfResponses(evidence),
    ...faultsOfWebhooks(evidence),
  ];
}

function faultsOfTasks({ acknowledged, polled, ends, firstSeen }: Evidence): string[] {
  const names = new Map<string, number>();
  for (const { id } of acknowledged.values()) names.set(id, (names.get(id) ?? 0) + 1);
  return [...names].flatMap(([id, keys]) => {
    const data = polled.get(id);
    const seen = firstSeen.get(id);
    if (!data) return [`${id}: lost`];
    return [
      ...(keys > 1 ? [`${id}: acknowledged for ${keys} keys`] : []),
      ...(data['status'] === 'done' ? [] : [`${id}: ${data['status']} ${data['error_code'] ?? ''}`]),
      ...(ends.get(id) === 1 ? [] : [`${id}: ended ${ends.get(id)} times`]),
      ...(seen && withoutDelivery(seen) !== withoutDelivery(data)
        ? [`${id}: said ${withoutDelivery(seen)}, then ${withoutDelivery(data)}`]
        : []),
    ];
  });
}

function faultsOfCounts({ acknowledged, unacknowledged, counts }: Evidence): string[] {
  const { tasks, keyless, unfinished, leased, undelivered, deliveriesLeased } = counts;
  const sent = [...acknowledged.values()];
  const keyed = sent.filter(({ hasKey }) => hasKey).length;
  const others = sent.length - keyed;
  return [
    ...(tasks - keyless === keyed
      ? []
      : [`${tasks - keyless} tasks with a key are stored and ${keyed} were acknowledged`]),
    ...(keyless >= others && keyless <= others + unacknowledged
      ? []
      : [`${keyless} tasks without a key are stored, ${others} were acknowledged and ${unacknowledged} were not`]),
    ...(unfinished === 0 ? [] : [`${unfinished} tasks have not ended`]),
    ...(leased === 0 ? [] : [`${leased} tasks are still held`]),
    ...(undelivered === 0 ? [] : [`${undelivered} deliveries were not made`]),
    ...(deliveriesLeased === 0 ? [] : [`${deliveriesLeased} deliveries are still held`]),
  ];
}

/** Allows only success, a retryable 503 and connection errors. */
function faultsOfResponses({ answers }: Evidence): string[] {
  return [...answers].flatMap(([what, times]) => {
    const [, status = '', code = ''] = what.split(' ');
    const isAnswer = /^\d/.test(status);
    const isFine = !isAnswer || /^20[0-2]$/.test(status) || (status === '503' && RETRYABLE_CODES.has(code));
    return isFine ? [] : [`${times} × ${what}`];
  });
}

const RETRYABLE_CODES = new Set(['QUEUE_UNAVAILABLE', 'STORAGE_UNAVAILABLE']);

/** Checks that each webhook was delivered under one id, with identical bodies that match the polled result. */
function faultsOfWebhooks({ acknowledged, polled, received }: Evidence): string[] {
  const byTask = new Map<string, Received[]>();
  for (const each of received) {
    const id = String(each.headers['x-service-task-id']);
    byTask.set(id, [...(byTask.get(id) ?? []), each]);
  }
  const wanted = [...acknowledged.values()].filter(({ webhook }) => webhook);
  const ids = new Set(wanted.map(({ id }) => id));
  const unrequested = [...byTask.keys()].filter((id) => !ids.has(id));
  const faults = wanted.flatMap(({ id }) => {
    const attempts = byTask.get(id) ?? [];
    if (attempts.length === 0) return [`${id}: no webhook received`];
    const names = new Set(attempts.flatMap(({ headers }) => [headers['x-service-delivery-id'], headers['webhook-id']]));
    const bodies = new Set(attempts.map(({ body }) => body));
    if (names.size !== 1 || bodies.size !== 1) return [`${id}: ${names.size} delivery ids, ${bodies.size} bodies`];
    const data = polled.get(id);
    return data && withoutDelivery(JSON.parse(attempts[0]!.body).data) === withoutDelivery(data)
      ? []
      : [`${id}: ${attempts[0]!.body}`];
  });
  return [...faults, ...unrequested.map((id) => `${id}: an unrequested webhook`)];
}

/** Excludes the delivery state, which still changes. */
const withoutDelivery = (data: Record<string, unknown>) => JSON.stringify({ ...data, webhook: undefined });

/** Returns the keys of stored files without an upload row and of upload rows without a file. */
export async function findStrayFiles(
  audit: Audit,
  dataDir: string,
): Promise<{ nameless: string[]; missing: string[] }> {
  const { rows } = await audit.db.query<{ key: string }>('select key from files');
  const known = new Set(rows.map(({ key }) => key));
  const entries = await readdir(join(dataDir, 'files'), { recursive: true });
  const stored = new Set(entries.flatMap((entry) => /[0-9A-Z]{26}$/.exec(entry) ?? []));
  return {
    nameless: [...stored].filter((key) => !known.has(key)),
    missing: [...known].filter((key) => !stored.has(key)),
  };
}
