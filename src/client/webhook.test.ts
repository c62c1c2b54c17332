import { describe, expect, it } from 'vitest';
import { verifyWebhook } from './webhook.ts';

// Test vectors of the contract; the service's signatures are tested against the same ones.
const ID = 'whd_01JQ8Z5V3N6T9W2X4Y7A1B3C5D';
const BODY = `{"ok":true,"data":{"task_id":"t_1","status":"done","result":{"transcription":"","service":"local"},"webhook":{"configured":true,"status":"pending","delivery_id":"${ID}"}}}`;
const CODED = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  v1: 'v1,FoMXZfcJEmakq0XB2c2CHWqZrqaEhxnqriI8Angnqvc=',
};
const PLAIN = { secret: 's3cr3t', v1: 'v1,eFWiT6TW6J7YIOiynwoqGOUp/uad6kk42k5WFT8KrME=' };
const WHPK = 'whpk_6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=';
const JWKS = {
  keys: [{ kty: 'OKP', crv: 'Ed25519', x: '6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw', kid: 'a', whpk: WHPK }],
};
const V1A = 'v1a,P7lwbtDXd1RoqpU59ik+kdKCwsvDiigLe06dtT876vaHByXO+dol9CW72psx/4Cnn04UT/uckmSDd8vzKJMSAw==';
/** The signature of a library that base64-decodes a plain secret; Assay does not. */
const DECODED = 'v1,FhcDwyoy+g1IvjpDS/bRqsdpOm9iEArWYRq5nXf5veY=';

const nowMs = 1767225600_000;
const headers = (signature: string, more: Record<string, string> = {}) => ({
  'webhook-id': ID,
  'webhook-timestamp': '1767225600',
  'webhook-signature': signature,
  'x-service-event': 'stt.result.terminal',
  'x-service-delivery-attempt': '2',
  ...more,
});

describe('verifyWebhook accepts a webhook', () => {
  it.each([
    ['signed with a whsec_ secret', CODED.v1, { secret: CODED.secret }],
    ['signed with a plain secret', PLAIN.v1, { secret: PLAIN.secret }],
    ['signed with a whpk_ public key', V1A, { publicKey: WHPK }],
    ['signed with a key of the key set', V1A, { publicKey: JWKS }],
    ['with two signatures of which one matches', `${PLAIN.v1} ${V1A}`, { publicKey: JWKS }],
    ['with two keys of which one matches', V1A, { publicKey: JWKS, secret: CODED.secret }],
    ['with additional signatures of unknown versions', `v9,xyz v1 ${CODED.v1}`, { secret: CODED.secret }],
  ])('%s', async (_, signature, trusted) => {
    const event = await verifyWebhook(BODY, headers(signature), { ...trusted, nowMs });
    expect(event).toMatchObject({
      ...{ event: 'stt.result.terminal', deliveryId: ID, attempt: 2 },
      task: { task_id: 't_1', status: 'done', result: { transcription: '' } },
    });
  });

  it('with headers and body in any supported form', async () => {
    const trusted = { secret: CODED.secret, nowMs };
    const plainHeaders = headers(CODED.v1);
    const forms = [
      new Headers(plainHeaders),
      Object.fromEntries(Object.entries(plainHeaders).map(([name, value]) => [name.toUpperCase(), value])),
      Object.fromEntries(Object.entries(plainHeaders).map(([name, value]) => [name, [value]])),
    ];
    for (const form of forms) {
      await expect(verifyWebhook(new TextEncoder().encode(BODY), form, trusted)).resolves.toBeDefined();
    }
  });

  it('with a timestamp within the tolerance in either direction', async () => {
    for (const seconds of [-300, 300]) {
      const at = { secret: CODED.secret, nowMs: nowMs + seconds * 1000 };
      await expect(verifyWebhook(BODY, headers(CODED.v1), at)).resolves.toBeDefined();
    }
  });
});

describe('verifyWebhook rejects a webhook', () => {
  const cases: [string, string, Record<string, string>, { secret?: string; publicKey?: string }, string, string?][] = [
    ['with another body', CODED.v1, {}, CODED, 'WEBHOOK_SIGNATURE', `${BODY} `],
    ['with another id', CODED.v1, { 'webhook-id': 'whd_2' }, CODED, 'WEBHOOK_SIGNATURE'],
    ['with another timestamp', CODED.v1, { 'webhook-timestamp': '1767225601' }, CODED, 'WEBHOOK_SIGNATURE'],
    ['signed with another secret', PLAIN.v1, {}, CODED, 'WEBHOOK_SIGNATURE'],
    ['signed with a base64-decoded plain secret', DECODED, {}, PLAIN, 'WEBHOOK_SIGNATURE'],
    ['with a signature of the wrong version', V1A.replace('v1a', 'v1'), {}, CODED, 'WEBHOOK_SIGNATURE'],
    ['signed with v1 when only a public key is trusted', CODED.v1, {}, { publicKey: WHPK }, 'WEBHOOK_SIGNATURE'],
    ['with an invalid base64 signature', 'v1,%%%', {}, CODED, 'WEBHOOK_SIGNATURE'],
    ['with an empty signature', 'v1,', {}, CODED, 'WEBHOOK_SIGNATURE'],
    ['without a signature', '', {}, CODED, 'WEBHOOK_HEADERS'],
    ['with an invalid timestamp', CODED.v1, { 'webhook-timestamp': 'now' }, CODED, 'WEBHOOK_HEADERS'],
  ];
  it.each(cases)('%s', async (_, signature, more, { secret, publicKey }, code, body = BODY) => {
    const verified = verifyWebhook(body, headers(signature, more), { secret, publicKey, nowMs });
    await expect(verified).rejects.toMatchObject({ name: 'WebhookRejected', code });
  });

  it('with a timestamp outside the tolerance', async () => {
    for (const seconds of [-301, 301]) {
      const at = { secret: CODED.secret, nowMs: nowMs + seconds * 1000 };
      await expect(verifyWebhook(BODY, headers(CODED.v1), at)).rejects.toMatchObject({ code: 'WEBHOOK_TIME' });
    }
    const strict = { secret: CODED.secret, toleranceSeconds: 10, nowMs: nowMs + 11_000 };
    await expect(verifyWebhook(BODY, headers(CODED.v1), strict)).rejects.toMatchObject({ code: 'WEBHOOK_TIME' });
  });

  it('when the tolerance or the current time is NaN', async () => {
    for (const unknown of [{ toleranceSeconds: Number.NaN }, { nowMs: Number.NaN }]) {
      const verified = verifyWebhook(BODY, headers(CODED.v1), { secret: CODED.secret, nowMs, ...unknown });
      await expect(verified).rejects.toMatchObject({ code: 'WEBHOOK_TIME' });
    }
  });

  it('and throws TypeError without a key or with an invalid key', async () => {
    await expect(verifyWebhook(BODY, headers(V1A), { nowMs })).rejects.toThrow('needs a secret or a public key');
    await expect(verifyWebhook(BODY, headers(V1A), { publicKey: 'whpk_AAAA', nowMs })).rejects.toThrow('32 bytes');
    for (const secret of ['whsec_', 'whsec_%', '']) {
      await expect(verifyWebhook(BODY, headers(V1A), { secret, nowMs })).rejects.toThrow('base64');
    }
  });
});
