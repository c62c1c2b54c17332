import type { Photo } from './defectoscopy.ts';
import { WebhookRejected } from './errors.ts';
import type { Recording, TruncatedRecording } from './stt.ts';
import type { WebhookKeys } from './tasks.ts';

/** Request headers: `Headers`, or an object of names and values. */
export type HeadersInput = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** Secret for `v1`: `whsec_` and base64, or any other text, used as is. */
  readonly secret?: string | undefined;
  /** Public keys for `v1a`: `webhookKeys()` of the client, or one `whpk_…` key. */
  readonly publicKey?: WebhookKeys | string | undefined;
  /** Maximum clock difference in either direction. */
  readonly toleranceSeconds?: number | undefined;
  /** Milliseconds since 1970. Default: now. */
  readonly nowMs?: number | undefined;
}

/**
 * A verified webhook. The signature covers the body and the delivery id; `event` and `attempt` come from unsigned
 * headers.
 */
export type WebhookEvent = {
  /** The same for all attempts; use it to detect duplicates. */
  readonly deliveryId: string;
  readonly attempt: number;
  // `….result.test` is a test event with an example as task.
} & (
  | { readonly event: 'defectoscopy.result.terminal' | 'defectoscopy.result.test'; readonly task: Photo }
  | { readonly event: 'stt.result.terminal' | 'stt.result.test'; readonly task: Recording | TruncatedRecording }
);

/**
 * Verifies a webhook (Standard Webhooks 1.0.0: `v1` HMAC-SHA256, `v1a` Ed25519) and returns its content. One valid
 * signature is sufficient. Throws `WebhookRejected` with code WEBHOOK_HEADERS, WEBHOOK_TIME or WEBHOOK_SIGNATURE.
 * `body` must be the raw body, not a parsed and serialized copy.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: HeadersInput,
  { secret, publicKey, toleranceSeconds = 300, nowMs = Date.now() }: VerifyOptions,
): Promise<WebhookEvent> {
  if (secret === undefined && publicKey === undefined)
    throw new TypeError('verifyWebhook needs a secret or a public key.');
  const id = header(headers, 'webhook-id');
  const timestamp = header(headers, 'webhook-timestamp');
  const signatures = header(headers, 'webhook-signature');
  if (!id || !timestamp || !/^\d{1,12}$/.test(timestamp) || !signatures) {
    throw rejection('WEBHOOK_HEADERS', 'The webhook signature headers are missing or invalid.');
  }
  // Written so that NaN fails the check.
  if (!(Math.abs(nowMs / 1000 - Number(timestamp)) <= toleranceSeconds)) {
    throw rejection('WEBHOOK_TIME', 'The timestamp of the webhook is outside the tolerance.');
  }

  const text = new TextEncoder();
  const bodyBytes = typeof body === 'string' ? text.encode(body) : body;
  const signed = concatenate(text.encode(`${id}.${timestamp}.`), bodyBytes);
  const keys = await Promise.all([
    ...(secret === undefined ? [] : [hmacKey(secret)]),
    ...publicKeys(publicKey).map(ed25519Key),
  ]);
  for (const signature of signatures.split(' ')) {
    const [version, value = ''] = signature.split(',', 2);
    const claimed = fromBase64(value);
    for (const key of keys) {
      if (key.version !== version || claimed === undefined) continue;
      // Constant-time comparison.
      if (await crypto.subtle.verify(key.algorithm, key.key, claimed, signed)) return eventOf(bodyBytes, headers, id);
    }
  }
  throw rejection('WEBHOOK_SIGNATURE', 'No signature of the webhook matches a trusted key.');
}

interface Key {
  readonly version: 'v1' | 'v1a';
  readonly algorithm: string;
  readonly key: Awaited<ReturnType<typeof crypto.subtle.importKey>>;
}

async function hmacKey(secret: string): Promise<Key> {
  const PREFIX = 'whsec_';
  const bytes = secret.startsWith(PREFIX) ? fromBase64(secret.slice(PREFIX.length)) : new TextEncoder().encode(secret);
  if (bytes === undefined || bytes.length === 0)
    throw new TypeError('The secret is empty, or what follows whsec_ is not base64.');
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  return { version: 'v1', algorithm: 'HMAC', key };
}

async function ed25519Key(bytes: Uint8Array<ArrayBuffer>): Promise<Key> {
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'Ed25519' }, false, ['verify']);
  return { version: 'v1a', algorithm: 'Ed25519', key };
}

function publicKeys(given: VerifyOptions['publicKey']): Uint8Array<ArrayBuffer>[] {
  const texts =
    typeof given === 'string' ? [given.replace(/^whpk_/, '')] : (given?.keys ?? []).filter(isEd25519).map(({ x }) => x);
  return texts.map((text) => {
    const bytes = fromBase64(text);
    if (bytes?.length !== 32) throw new TypeError('The public key is not an Ed25519 key of 32 bytes.');
    return bytes;
  });
}

const isEd25519 = ({ kty, crv }: WebhookKeys['keys'][number]) => kty === 'OKP' && crv === 'Ed25519';

function eventOf(bodyBytes: Uint8Array, headers: HeadersInput, deliveryId: string): WebhookEvent {
  const { data: task } = JSON.parse(new TextDecoder().decode(bodyBytes)) as { data: Photo & Recording };
  const event = header(headers, 'x-service-event') as WebhookEvent['event'];
  const attempt = Number(header(headers, 'x-service-delivery-attempt') ?? 1);
  return { event, deliveryId, attempt, task } as WebhookEvent;
}

function header(headers: HeadersInput, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return typeof value === 'string' || value === undefined ? value : value[0];
}

/** Decodes base64 or base64url, padded or not; undefined if invalid. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function concatenate(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(head.length + tail.length);
  all.set(head);
  all.set(tail, head.length);
  return all;
}

const rejection = (code: string, message: string) => new WebhookRejected({ code, message });
