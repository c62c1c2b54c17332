import { createPrivateKey, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createJwks, createSigningKey, loadOrCreateSigningKey, signWebhook } from './webhook-signature.ts';

const ID = 'whd_01JQ8Z5V3N6T9W2X4Y7A1B3C5D';
const BODY = `{"ok":true,"data":{"task_id":"t_1","status":"done","result":{"transcription":"","service":"local"},"webhook":{"configured":true,"status":"pending","delivery_id":"${ID}"}}}`;
const V1A = 'v1a,P7lwbtDXd1RoqpU59ik+kdKCwsvDiigLe06dtT876vaHByXO+dol9CW72psx/4Cnn04UT/uckmSDd8vzKJMSAw==';
const CODED = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const PLAIN = 's3cr3t';

/** PKCS #8 around an Ed25519 seed: a fixed head, then the seed. */
const seeded = (byte: number) =>
  createSigningKey(
    createPrivateKey({
      key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, byte)]),
      format: 'der',
      type: 'pkcs8',
    }),
  );
const key = seeded(7);
const message = { id: ID, timestamp: 1767225600, body: BODY, signingKey: key };

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'assay-signature-'));
});
afterAll(() => rm(dir, { recursive: true }));

describe('the signature test vectors of the contract', () => {
  it('use the decoded bytes of a whsec_ secret as the key', () => {
    expect(signWebhook({ ...message, secret: CODED })).toEqual({
      'webhook-id': ID,
      'webhook-timestamp': '1767225600',
      'webhook-signature': `v1,FoMXZfcJEmakq0XB2c2CHWqZrqaEhxnqriI8Angnqvc= ${V1A}`,
    });
  });
  it('use the UTF-8 bytes of any other secret as the key', () => {
    expect(signWebhook({ ...message, secret: PLAIN })['webhook-signature']).toBe(
      `v1,eFWiT6TW6J7YIOiynwoqGOUp/uad6kk42k5WFT8KrME= ${V1A}`,
    );
  });
  it('contain only v1a without a secret', () => {
    expect(signWebhook(message)['webhook-signature']).toBe(V1A);
    expect(signWebhook({ ...message, body: Buffer.from(BODY) })['webhook-signature']).toBe(V1A);
  });
  it('contain the public key in both forms', () => {
    expect(key.whpk).toBe('whpk_6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=');
    const [jwk] = createJwks(key).keys;
    expect(jwk).toMatchObject({ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', whpk: key.whpk });
    const publicKey = createPublicKey({ key: { ...jwk }, format: 'jwk' });
    const signature = Buffer.from(V1A.slice(4), 'base64');
    expect(verify(null, Buffer.from(`${ID}.1767225600.${BODY}`), publicKey, signature)).toBe(true);
  });
});

describe('the official Standard Webhooks library', () => {
  const at = (seconds: number) => vi.useFakeTimers({ now: seconds * 1000, toFake: ['Date'] });

  it('verifies a whsec_ secret, and a plain secret only with format "raw"', () => {
    at(1767225600);
    try {
      expect(new Webhook(CODED).verify(BODY, signWebhook({ ...message, secret: CODED }))).toEqual(JSON.parse(BODY));
      const plain = signWebhook({ ...message, secret: PLAIN });
      expect(new Webhook(PLAIN, { format: 'raw' }).verify(BODY, plain)).toEqual(JSON.parse(BODY));
      // Without the option it base64-decodes the secret, as our documentation warns.
      const library = new Webhook(`${PLAIN}==`);
      expect(library.sign(ID, new Date(1767225600_000), BODY)).toBe('v1,FhcDwyoy+g1IvjpDS/bRqsdpOm9iEArWYRq5nXf5veY=');
      expect(() => library.verify(BODY, plain)).toThrow('No matching signature');
      expect(() => new Webhook(CODED).verify(`${BODY} `, signWebhook({ ...message, secret: CODED }))).toThrow();
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('the signing key pair', () => {
  it('is created once by concurrent processes, readable only by its owner', async () => {
    const file = join(dir, 'keys', 'webhook.pem');
    const keys = await Promise.all(Array.from({ length: 8 }, () => loadOrCreateSigningKey(file)));
    expect(new Set(keys.map(({ whpk }) => whpk)).size).toBe(1);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(keys[0]!.whpk).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/);
  });

  it('of another type is rejected with a message', async () => {
    const file = join(dir, 'rsa.pem');
    const rsa = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey;
    await writeFile(file, rsa.export({ type: 'pkcs8', format: 'pem' }));
    await expect(loadOrCreateSigningKey(file)).rejects.toThrow('does not contain an Ed25519 private key');
    await writeFile(file, 'rubbish');
    await expect(loadOrCreateSigningKey(file)).rejects.toThrow('does not contain an Ed25519 private key');
  });

  it('signs together with its predecessor during a rotation', () => {
    const both = signWebhook({ ...message, signingKey: seeded(8), previousKey: key, secret: PLAIN })[
      'webhook-signature'
    ].split(' ');
    expect(both.map((each) => each.split(',')[0])).toEqual(['v1', 'v1a', 'v1a']);
    expect(both[2]).toBe(V1A);
    expect(new Set(createJwks(seeded(8), key).keys.map(({ kid }) => kid)).size).toBe(2);
  });

  it('rejects an id that contains a dot', () => {
    expect(() => signWebhook({ ...message, id: 'a.b' })).toThrow();
  });
});
