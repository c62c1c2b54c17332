import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { wav } from '../support/audio/recordings.ts';
import { type Assay, cleanUp, createInstancePlace, startAssay } from '../support/processes/assay.ts';
import { TOKEN, waitForTask } from '../support/processes/client.ts';
import { waitUntil } from '../support/processes/until.ts';
import { type Bomb, testBombs } from './bombs.ts';
import { RECORDINGS } from './bombs-recordings.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

// Runs with the installed ffmpeg, and without it on the bundled WebAssembly decoders only.
describe.each([
  ['ffmpeg', process.env['PATH']],
  ['wasm', '/nowhere'],
] as const)('A hostile recording, decoded by %s', (decoder, PATH) => {
  let assay: Assay;
  beforeAll(async () => {
    const place = await createInstancePlace();
    const settings = {
      SERVICES: 'stt',
      STT_PORT: String(place.port),
      STT_API_TOKENS: TOKEN,
      STT_MODEL: 'moonshine-base',
    };
    assay = startAssay(place, {
      env: { ...settings, PATH, LOG_LEVEL: 'warn', WORKER_MAX_ATTEMPTS: '1', STT_RATE_LIMIT_PER_MINUTE: '0' },
    });
    await assay.waitForOutput(/is ready/);
    await waitUntil(async () => (await assay.call('/health')).status === 200, 60_000);
  });
  afterAll(cleanUp);

  async function ending(body: Buffer): Promise<string> {
    const stored = await assay.call('/files', { body, headers: { 'content-type': 'application/octet-stream' } });
    if (stored.status !== 201) return `rejected with ${stored.status}`;
    const { url } = stored.body.data as { url: string };
    const created = await assay.call('/transcribe/audio_url', { body: { url } });
    const { status, error_code } = await waitForTask(assay, created.body.data.task_id as string);
    return (error_code as string | undefined) ?? (status as string);
  }

  const rows = RECORDINGS.map(
    ({ ends, ...row }): Bomb => ({ ...row, ends: typeof ends === 'string' ? ends : ends[decoder] }),
  );
  testBombs(rows, {
    send: ending,
    processes: async () => ({ serve: await assay.child('serve'), work: await assay.child('work') }),
    checkService: async () => expect(await ending(wav(new Float32Array(8000)))).toBe('done'),
    // Speech recognition takes about 500 MiB when a voice is left. Moonshine is the fastest model.
    limits: { memoryMib: 900, cpuSeconds: 20 },
  });
});
