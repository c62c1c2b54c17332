import type { Readable } from 'node:stream';
import { AwsV4Signer } from 'aws4fetch';
import { Agent, type Dispatcher } from 'undici';
import type { Log } from '../log.ts';
import { rest } from '../loop.ts';
import type { Bucket, BucketKeys } from './bucket-url.ts';
import { ofDisk, StorageAway } from './storage-away.ts';

export interface Question {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  /** Below the bucket; absent: the bucket itself. */
  readonly path?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly range?: string;
  /** Opened anew for every try. */
  readonly body?: { readonly sizeBytes: number; readonly sha256: string; open(): Readable };
  readonly signal?: AbortSignal | undefined;
}

export interface BucketRequests {
  /**
   * One signed request, repeated where that may help. Resolves with a success, whose body is to be read or destroyed, or
   * with the storage's word that there is no such key (never for a PUT), or no such part of it (for a `range`);
   * everything else is {@link StorageAway}.
   */
  ask(question: Question): Promise<Dispatcher.ResponseData | 'no-such-key' | 'no-such-part'>;
  close(): Promise<void>;
}

/** SHA-256 of nothing: what a request without a body signs. */
const OF_NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const TRIES = 3;
/** So long it may be silent; and after that it is not asked again, since somebody waits for the answer. */
const PATIENCE_MS = 5000;
/** 20 MB a second is what a slow disk writes. */
const BYTES_PER_MS = 20_000;
/** Before the second try; doubled before the third, and spread, so that many do not come back at once. */
const WAIT_MS = 200;
/** So long after one that could not be reached nobody else waits for it. */
const GIVEN_UP_MS = 1000;

/** Asks a bucket by the signed requests of S3 (AWS Signature Version 4), the bucket's name in the path. */
export function openBucket(
  bucket: Bucket,
  { keys, log, patienceMs = PATIENCE_MS }: { keys: BucketKeys; log: Log; patienceMs?: number | undefined },
): BucketRequests {
  const agent = new Agent({ connect: { timeout: 1500 }, bodyTimeout: 20_000 });
  const cache = new Map<string, ArrayBuffer>();
  let givenUpUntil = 0;

  async function once({ method, path = '', query = {}, range, body, signal }: Question) {
    const url = new URL(`/${bucket.name}${path && `/${path}`}`, bucket.endpoint);
    // Not as a form: there a space is a plus, which is what else a signature could mean.
    const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    url.search = pairs.join('&');
    const signer = new AwsV4Signer({
      ...{ method, url: url.href, ...keys, region: bucket.region, service: 's3', cache },
      headers: { 'x-amz-content-sha256': body?.sha256 ?? OF_NOTHING },
    });
    const { headers } = await signer.sign();
    return agent.request({
      ...{ method, origin: url.origin, path: url.pathname + url.search },
      headers: {
        ...Object.fromEntries(headers),
        'user-agent': 'assay',
        ...(range !== undefined && { range }),
        ...(body && { 'content-length': String(body.sizeBytes) }),
      },
      body: body?.open() ?? null,
      // From the last byte of the question: a storage takes its time to write a gigabyte down.
      headersTimeout: patienceMs + (body?.sizeBytes ?? 0) / BYTES_PER_MS,
      signal: signal ?? null,
    });
  }

  async function attempt(question: Question): Promise<Awaited<ReturnType<BucketRequests['ask']>> | StorageAway> {
    let answer: Dispatcher.ResponseData;
    try {
      answer = await once(question);
    } catch (error) {
      question.signal?.throwIfAborted();
      // What was to be sent cannot be read here: that says nothing of the storage.
      const ofBody = question.body && ofDisk(error);
      if (ofBody instanceof StorageAway) throw ofBody;
      return new StorageAway(`it cannot be reached (${reasonOf(error)})`);
    }
    const { statusCode: status } = answer;
    if (status >= 200 && status < 300) return answer;
    const said = await answer.body.text().catch(() => undefined);
    const code = codeIn(said ?? '');
    if (status === 404 && saysNoSuchKey(question, said, code)) return 'no-such-key';
    if (status === 416 && question.range !== undefined) return 'no-such-part';
    return new StorageAway(`it answers ${status}${code && ` ${code}`}`, { status, code });
  }

  return {
    async ask(question) {
      if (Date.now() < givenUpUntil) throw new StorageAway('it could not be reached a moment ago');
      const begun = Date.now();
      for (let tries = 1; ; tries++) {
        const outcome = await attempt(question);
        if (!(outcome instanceof StorageAway)) return outcome;
        if (tries === TRIES || Date.now() - begun > patienceMs || !mayPass(outcome)) {
          if (!outcome.answered) givenUpUntil = Date.now() + GIVEN_UP_MS;
          log.warn({ reason: outcome.reason, method: question.method }, 'the storage of files could not be used');
          throw outcome;
        }
        await rest(WAIT_MS * 2 ** (tries - 1) * (0.5 + Math.random()), question.signal);
        question.signal?.throwIfAborted();
      }
    },
    close: () => agent.destroy(),
  };
}

/**
 * Whether a 404 is the storage's own: a proxy in between that knows no such host answers 404 as well, and then nothing is
 * known of the file. Some storages answer the DELETE of what is not there so, and without a word.
 */
const saysNoSuchKey = ({ method, path }: Question, said: string | undefined, code: string) =>
  path !== undefined && method !== 'PUT' && (code === 'NoSuchKey' || (method === 'DELETE' && said === ''));

/** Whether the same request may succeed later, though nobody mends anything. */
export const mayPass = ({ answered }: StorageAway) =>
  !answered || answered.status >= 500 || [408, 429].includes(answered.status) || answered.code === 'RequestTimeout';

/** S3 says what is wrong as XML; of it the one word is enough, and the rest may quote what was signed. */
const codeIn = (xml: string) => /<Code>([A-Za-z0-9.]{1,64})<\/Code>/.exec(xml)?.[1] ?? '';

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'error';
  const { code } = error as NodeJS.ErrnoException;
  // Where a name has several addresses, each has a reason of its own.
  const [first] = error instanceof AggregateError ? error.errors : [];
  return code ?? (first ? reasonOf(first) : error.name);
}
