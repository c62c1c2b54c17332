import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadOrCreateKey, readOrCreate, seal, unseal } from './secrets.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'assay-secrets-'));
});
afterEach(() => rm(dir, { recursive: true }));

describe('a key file', () => {
  it('is created on the first call with mode 0600 and then reused', async () => {
    const file = join(dir, 'deep', 'secret.key');
    const key = await loadOrCreateKey(file);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await loadOrCreateKey(file)).equals(key)).toBe(true);
    expect(key.symmetricKeySize).toBe(32);
    expect(await readdir(join(dir, 'deep'))).toEqual(['secret.key']);
  });

  it('is the same for concurrent callers', async () => {
    const file = join(dir, 'secret.key');
    const created = await Promise.all(Array.from({ length: 20 }, (_, i) => readOrCreate(file, () => `draft ${i}`)));
    expect(new Set(created.map(String)).size).toBe(1);
    expect(String(await readFile(file))).toBe(String(created[0]));
    expect(await readdir(dir)).toEqual(['secret.key']);
  });

  it('with other content is rejected with a message', async () => {
    const file = join(dir, 'secret.key');
    await writeFile(file, 'short');
    await expect(loadOrCreateKey(file)).rejects.toThrow('does not hold a key');
  });

  it('never appears in printed output', async () => {
    const file = join(dir, 'secret.key');
    const shown = JSON.stringify(await loadOrCreateKey(file));
    expect(shown).not.toContain((await readFile(file, 'utf8')).trim().slice(0, 8));
  });
});

describe('a sealed secret', () => {
  it('decrypts with its key and differs for each encryption', async () => {
    const key = await loadOrCreateKey(join(dir, 'a'));
    for (const text of ['', 's3cr3t', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'ключ 🔑']) {
      expect(unseal(key, seal(key, text))).toBe(text);
      expect(seal(key, text).equals(seal(key, text))).toBe(false);
    }
    expect(seal(key, 's3cr3t').includes('s3cr3t')).toBe(false);
  });

  it('does not decrypt with another key, after a bit change or truncated', async () => {
    const key = await loadOrCreateKey(join(dir, 'a'));
    const other = await loadOrCreateKey(join(dir, 'b'));
    const sealed = seal(key, 's3cr3t');
    expect(() => unseal(other, sealed)).toThrow();
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 1;
      expect(() => unseal(key, changed)).toThrow();
      expect(() => unseal(key, sealed.subarray(0, at))).toThrow();
    }
  });
});
