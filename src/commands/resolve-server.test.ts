import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { credentialFile } from '../local-credentials.ts';
import { resolveServer } from './resolve-server.ts';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'assay-server-of-'));
  vi.stubEnv('DATA_DIR', dataDir);
  for (const [variable, secret] of Object.entries({ STT_API_TOKENS: 'local-token', PASSPORTS_API_KEYS: 'local-key' })) {
    vi.stubEnv(variable, undefined);
    const file = credentialFile(dataDir, variable);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, secret);
  }
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(dataDir, { recursive: true });
});

describe('resolveServer', () => {
  it('defaults to the listener of this machine with the configured or generated credential', async () => {
    const stt = { url: 'http://127.0.0.1:8002', token: 'local-token', polling: 'local' };
    expect(await resolveServer('stt', {})).toMatchObject(stt);
    vi.stubEnv('STT_PORT', '9002');
    for (const [host, url] of [
      ['::', 'http://[::1]:9002'],
      ['::1', 'http://[::1]:9002'],
      ['192.0.2.7', 'http://192.0.2.7:9002'],
    ] as const) {
      vi.stubEnv('HOST', host);
      expect(await resolveServer('stt', {})).toMatchObject({ url, local: true });
    }
    vi.stubEnv('HOST', '0.0.0.0');
    vi.stubEnv('STT_API_TOKENS', 'configured, other');
    expect(await resolveServer('stt', {})).toMatchObject({ url: 'http://127.0.0.1:9002', token: 'configured' });
    expect(await resolveServer('passports', {})).toMatchObject({ url: 'http://127.0.0.1:8003', apiKey: 'local-key' });
  });

  it('prefers the command line to the environment', async () => {
    const server = 'https://stt.example.com/api/';
    vi.stubEnv('ASSAY_TOKEN', 'from the environment');
    const remote = { url: 'https://stt.example.com/api', polling: 'specification' };
    expect(await resolveServer('stt', { server, token: 'given' })).toMatchObject({
      ...remote,
      token: 'given',
      isOwnCredential: false,
    });
    expect(await resolveServer('stt', { server })).toMatchObject({ ...remote, token: 'from the environment' });
    expect(await resolveServer('stt', {})).toMatchObject({ token: 'from the environment' });
    expect(await resolveServer('passports', { token: 'a JWT' })).toMatchObject({ token: 'a JWT', apiKey: undefined });
  });

  it('sends local credentials only to loopback addresses', async () => {
    for (const server of ['https://stt.example.com', 'http://192.0.2.7:8002', 'https://localhost.example.com']) {
      expect(await resolveServer('stt', { server })).toMatchObject({ token: undefined, local: false });
    }
    for (const server of ['http://localhost:1', 'http://127.0.0.1:1', 'http://[::1]:1']) {
      expect(await resolveServer('stt', { server })).toMatchObject({
        url: server,
        token: 'local-token',
        isOwnCredential: true,
      });
    }
  });

  it('rejects a disabled service, an invalid URL and an invalid token with a message', async () => {
    vi.stubEnv('SERVICES', 'defectoscopy');
    await expect(resolveServer('stt', {})).rejects.toThrow('SERVICES does not include stt');
    for (const server of ['nowhere', 'ftp://host', '8002']) {
      await expect(resolveServer('stt', { server })).rejects.toThrow('not an http or https URL');
    }
    await expect(resolveServer('stt', { server: 'http://me:word@host' })).rejects.toThrow(
      'pass credentials with --token',
    );
    for (const token of ['ключ', 'a\nb', 'tоken']) {
      await expect(resolveServer('stt', { server: 'http://host', token })).rejects.toThrow(
        /^The token contains .* copy it again/,
      );
    }
  });
});
