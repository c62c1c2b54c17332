import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

/** Fake ffmpeg: records its environment and outputs ten samples of two channels. */
const PROGRAM = `#!/bin/sh
env >> "$0.environment"
printf '0123456789012345678901234567890123456789'
`;

describe('decodeWithFfmpeg', () => {
  let folder: string;
  let ffmpeg: typeof import('./decode-ffmpeg.ts');
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-ffmpeg-'));
    await writeFile(join(folder, 'ffmpeg'), PROGRAM);
    await chmod(join(folder, 'ffmpeg'), 0o755);
    vi.stubEnv('PATH', ['/nowhere', folder, process.env['PATH']].join(delimiter));
    vi.stubEnv('STT_API_TOKENS', 'a-secret-of-the-worker');
    // The module searches the PATH once.
    vi.resetModules();
    ffmpeg = await import('./decode-ffmpeg.ts');
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    vi.resetModules();
    await rm(folder, { recursive: true });
  });

  it.skipIf(process.platform === 'win32')('runs the first ffmpeg on the PATH with an empty environment', async () => {
    expect(await ffmpeg.hasFfmpeg()).toBe(true);
    const { signal } = new AbortController();
    let samples = 0;
    for await (const piece of ffmpeg.decodeWithFfmpeg('a.wav', { type: 'wav', header: {}, maxSeconds: 1, signal }))
      samples += piece.length;
    expect(samples).toBe(10);
    const lines = (await readFile(join(folder, 'ffmpeg.environment'), 'utf8')).split('\n').filter(Boolean);
    const names = lines
      .map((line) => line.split('=')[0]!)
      .filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name));
    expect(names).toEqual([]);
  });
});
