import type { Photo } from './defectoscopy.ts';
import { WebhookRefused } from './errors.ts';
import type { Recording, TruncatedRecording } from './stt.ts';
import type { WebhookKeys } from './tasks.ts';

/** Headers as frameworks give them: `Headers`, or names with their values. */
export type GivenHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** The secret that was given for `v1`: `whsec_` and base64, or any other text, which is meant letter by letter. */
  readonly secret?: string | undefined;
  /** The service's public keys for `v1a`: `webhookKeys()` of the client, or one key as `whpk_…`. */
  readonly publicKey?: WebhookKeys | string | undefined;
  /** How far the callback's clock may be from ours, in either direction. */
  readonly toleranceSeconds?: number | undefined;
  /** Milliseconds since 1970; absent: now. */
  readonly nowMs?: number | undefined;
}

/**
 * A callback that is genuine. What is signed is the body and the delivery's id; `event` and `attempt` are as the headers
 * beside them say.
 */
export type WebhookEvent = {
  /** Stays the same when a callback is sent again: whoever has seen it needs not look twice. */
  readonly deliveryId: string;
  /** From 1. */
  readonly attempt: number;
} & (
  | { readonly event: 'defectoscopy.result.terminal'; readonly task: Photo }
  | { readonly event: 'stt.result.terminal'; readonly task: Recording | TruncatedRecording }
);

/**
 * What a callback says, once it is certain that the service sent these very bytes within the tolerance (Standard Webhooks
 * 1.0.0: `v1` HMAC-SHA256, `v1a` Ed25519). One good signature, by the secret or by a public key, is enough. Throws a
 * `WebhookRefused` otherwise; its code is WEBHOOK_HEADERS, WEBHOOK_TIME or WEBHOOK_SIGNATURE. `body` is the raw body: one
 * that was parsed and written again is another one.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: GivenHeaders,
  { secret, publicKey, toleranceSeconds = 300, nowMs = Date.now() }: VerifyOptions,
): Promise<WebhookEvent> {
  if (secret === undefined && publicKey === undefined)
    throw new TypeError('verifyWebhook needs a secret or a public key.');
  const id = header(headers, 'webhook-id');
  const timestamp = header(headers, 'webhook-timestamp');
  const signatures = header(headers, 'webhook-signature');
  if (!id || !timestamp || !/^\d{1,12}$/.test(timestamp) || !signatures) {
    throw refused('WEBHOOK_HEADERS', 'The request has not the headers of a signed webhook.');
  }
  // Asked this way round, a tolerance or a time that is no number lets nothing pass.
  if (!(Math.abs(nowMs / 1000 - Number(timestamp)) <= toleranceSeconds)) {
    throw refused('WEBHOOK_TIME', 'The webhook was signed too long ago, or one of the two clocks is wrong.');
  }

  const text = new TextEncoder();
  const sent = typeof body === 'string' ? text.encode(body) : body;
  const signed = joined(text.encode(`${id}.${timestamp}.`), sent);
  const keys = await Promise.all([
    ...(secret === undefined ? [] : [hmacKey(secret)]),
    ...publicKeys(publicKey).map(ed25519Key),
  ]);
  for (const signature of signatures.split(' ')) {
    const [version, value = ''] = signature.split(',', 2);
    const claimed = fromBase64(value);
    for (const key of keys) {
      if (key.version !== version || claimed === undefined) continue;
      // By subtle.verify, which takes the same time wherever the difference is.
      if (await crypto.subtle.verify(key.algorithm, key.key, claimed, signed)) return eventOf(sent, headers, id);
    }
  }
  throw refused('WEBHOOK_SIGNATURE', 'No signature of the webhook is by a key that you trust.');
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

/** The 32 bytes of each key; keys of other kinds are not ours. */
function publicKeys(given: VerifyOptions['publicKey']): Uint8Array<ArrayBuffer>[] {
  const texts =
    typeof given === 'string' ? [given.replace(/^whpk_/, '')] : (given?.keys ?? []).filter(isOurs).map(({ x }) => x);
  return texts.map((text) => {
    const bytes = fromBase64(text);
    if (bytes?.length !== 32) throw new TypeError('The public key is not an Ed25519 key of 32 bytes.');
    return bytes;
  });
}

const isOurs = ({ kty, crv }: WebhookKeys['keys'][number]) => kty === 'OKP' && crv === 'Ed25519';

/** What cannot be read although it is genuine comes from a version of the service that this client does not know. */
function eventOf(sent: Uint8Array, headers: GivenHeaders, deliveryId: string): WebhookEvent {
  const { data: task } = JSON.parse(new TextDecoder().decode(sent)) as { data: Photo & Recording };
  const event = header(headers, 'x-service-event') as WebhookEvent['event'];
  const attempt = Number(header(headers, 'x-service-delivery-attempt') ?? 1);
  return { event, deliveryId, attempt, task } as WebhookEvent;
}

function header(headers: GivenHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return typeof value === 'string' || value === undefined ? value : value[0];
}

/** Base64 in either alphabet, padded or not; undefined for what is neither. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(head.length + tail.length);
  all.set(head);
  all.set(tail, head.length);
  return all;
}

const refused = (code: string, message: string) => new WebhookRefused({ code, message });
