import type { Readable } from 'node:stream';
import { AwsV4Signer } from 'aws4fetch';
import { Agent, type Dispatcher } from 'undici';
import type { Log } from '../log.ts';
import { sleep } from '../loop.ts';
import type { Bucket, BucketKeys } from './bucket-url.ts';
import { StorageUnavailable, toStorageError } from './storage-unavailable.ts';

export interface BucketRequest {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  /** Path in the bucket; absent: the bucket itself. */
  readonly path?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly range?: string;
  readonly body?: { readonly sizeBytes: number; readonly sha256: string; open(): Readable };
  readonly signal?: AbortSignal | undefined;
}

type BucketResponse = Dispatcher.ResponseData | 'no-such-key' | 'no-such-part';

export type BucketRequests = ReturnType<typeof openBucketRequests>;

export interface BucketOptions {
  readonly keys: BucketKeys;
  readonly log: Log;
  readonly timeoutMs?: number;
}

const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const MAX_ATTEMPTS = 3;
/** Limit of one response and of all attempts together, because a client waits. */
const TIMEOUT_MS = 5000;
/** 20 MB/s: the write rate of a slow disk. */
const BYTES_PER_MS = 20_000;
const RETRY_DELAY_MS = 200;
/** After a storage was unreachable, requests fail immediately for this time. */
const UNREACHABLE_MS = 1000;

/** A client for the S3 API: AWS Signature Version 4, bucket name in the path. */
export function openBucketRequests(bucket: Bucket, { keys, log, timeoutMs = TIMEOUT_MS }: BucketOptions) {
  const agent = new Agent({ connect: { timeout: 1500 }, bodyTimeout: 20_000 });
  const cache = new Map<string, ArrayBuffer>();
  let unreachableUntil = 0;

  async function sendOnce({ method, path = '', query = {}, range, body, signal }: BucketRequest) {
    const url = new URL(`/${bucket.name}${path && `/${path}`}`, bucket.endpoint);
    // Not URLSearchParams, which encodes a space as plus: the signature needs %20.
    const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    url.search = pairs.join('&');
    const signer = new AwsV4Signer({
      ...{ method, url: url.href, ...keys, region: bucket.region, service: 's3', cache },
      headers: { 'x-amz-content-sha256': body?.sha256 ?? EMPTY_SHA256 },
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
      // Counts from the last byte of the request; a storage needs time to write large files.
      headersTimeout: timeoutMs + (body?.sizeBytes ?? 0) / BYTES_PER_MS,
      signal: signal ?? null,
    });
  }

  async function attempt(request: BucketRequest): Promise<BucketResponse | StorageUnavailable> {
    let response: Dispatcher.ResponseData;
    try {
      response = await sendOnce(request);
    } catch (error) {
      request.signal?.throwIfAborted();
      const diskError = request.body && toStorageError(error);
      if (diskError instanceof StorageUnavailable) throw diskError;
      return new StorageUnavailable(`it is unreachable (${reasonOf(error)})`);
    }
    const { statusCode: status } = response;
    if (status >= 200 && status < 300) return response;
    const text = await response.body.text().catch(() => undefined);
    const code = errorCode(text ?? '');
    if (status === 404 && isNoSuchKey(request, text, code)) return 'no-such-key';
    if (status === 416 && request.range !== undefined) return 'no-such-part';
    return new StorageUnavailable(`it responded with ${status}${code && ` ${code}`}`, { status, code });
  }

  return {
    /**
     * Sends a signed request, with retries. Resolves with a success response, whose body the caller must read or destroy,
     * or with `no-such-key` (not for PUT) or `no-such-part` (for a `range`). Throws {@link StorageUnavailable} otherwise.
     */
    async send(request: BucketRequest): Promise<BucketResponse> {
      if (Date.now() < unreachableUntil) throw new StorageUnavailable('it was unreachable a moment ago');
      const startedAt = Date.now();
      for (let attempts = 1; ; attempts++) {
        const outcome = await attempt(request);
        if (!(outcome instanceof StorageUnavailable)) return outcome;
        if (attempts === MAX_ATTEMPTS || Date.now() - startedAt > timeoutMs || !isRetryable(outcome)) {
          if (!outcome.response) unreachableUntil = Date.now() + UNREACHABLE_MS;
          log.warn({ reason: outcome.reason, method: request.method }, 'a request to the file storage failed');
          throw outcome;
        }
        await sleep(RETRY_DELAY_MS * 2 ** (attempts - 1) * (0.5 + Math.random()), request.signal);
        request.signal?.throwIfAborted();
      }
    },
    close: () => agent.destroy(),
  };
}

/**
 * Whether the storage itself responded with 404: a proxy in between may do so too, which says nothing about the file. Some
 * storages respond to DELETE of a missing key with 404 and an empty body.
 */
const isNoSuchKey = ({ method, path }: BucketRequest, text: string | undefined, code: string) =>
  path !== undefined && method !== 'PUT' && (code === 'NoSuchKey' || (method === 'DELETE' && text === ''));

/** Whether the same request may succeed later without a change of the configuration. */
export const isRetryable = ({ response: answered }: StorageUnavailable) =>
  !answered || answered.status >= 500 || [408, 429].includes(answered.status) || answered.code === 'RequestTimeout';

/** Only the code of an S3 error (XML); the rest may quote the signed request. */
const errorCode = (xml: string) => /<Code>([A-Za-z0-9.]{1,64})<\/Code>/.exec(xml)?.[1] ?? '';

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'error';
  const { code } = error as NodeJS.ErrnoException;
  // A host with several addresses fails with one error per address.
  const [first] = error instanceof AggregateError ? error.errors : [];
  return code ?? (first ? reasonOf(first) : error.name);
}
