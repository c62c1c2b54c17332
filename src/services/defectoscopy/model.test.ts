import { once } from 'node:events';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { readHoles } from '../../base/addresses.ts';
import { type Files, openFiles } from '../../base/files.ts';
import { createGuardedFetch } from '../../base/guarded-fetch.ts';
import { createLog } from '../../base/log.ts';
import { readSettings } from '../../base/settings.ts';
import { createAuthority } from '../../base/testing/certificate.ts';

import { phoneHeic } from '../../ml/testing/heic.ts';
import { COLOURS, colourHead, installColours } from '../../ml/testing/model.ts';
import { TaskFailure } from '../../tasks/task.ts';
import type { Model, Outcome, SharedSettings } from '../service.ts';
import { loadModel } from './model.ts';
import { SHIPPED, trainedIn } from './model-shelf.ts';
import type { Heatmaps, Recorded } from './result.ts';
import { settings } from './settings.ts';

const log = createLog('silent', 'test');
const { ca, issue } = createAuthority();
const FILES_HOST = 'files.assay.internal';

let folder: string;
let shipped: string;
let files: Files;
let storage: { origin: string; answer: RequestListener };
let model: Model;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-model-'));
  shipped = join(folder, 'shipped');
  files = openFiles({ dir: join(folder, 'files') });
  await installColours(shipped, '1.0.0', { heads: { ...COLOURS, surface: colourHead({ old: [1, 1, 1] }) } });
  await installColours(shipped, '1.1.0');
  await installColours(trainedIn(folder), '9.0.0');

  const server = createServer(issue('storage.test'), (request, response) => storage.answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  storage = { origin: `https://storage.test:${(server.address() as AddressInfo).port}`, answer: () => {} };
  model = await load();
  return async () => {
    await model.close();
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  };
});
beforeEach(() => {
  storage.answer = (_, response) => response.writeHead(500).end();
});

async function load(env: Record<string, string> = {}, shelf = shipped): Promise<Model> {
  const host = new URL(storage.origin).host;
  const own = readSettings(settings, { DEFECTOSCOPY_ALLOWED_IMAGE_HOSTS: `${host},inside.test`, ...env });
  const shared = {
    dataDir: folder,
    filesHost: FILES_HOST,
    holes: readHoles({ hosts: ['storage.test'] }),
  } as Partial<SharedSettings> as SharedSettings;
  const fetch = createGuardedFetch({ ca, resolve: async () => ['127.0.0.1'], connectMs: 2000 });
  return loadModel({ house: { fetch, files, log }, own, shared, shipped: shelf });
}

const job = (input: object, signal = new AbortController().signal) => ({
  id: 'task',
  attempt: 1,
  worker: 'w',
  input: input as never,
  log,
  signal,
  report: () => {},
});
/** What the model makes of these bytes, uploaded to the product. */
const look = async (bytes: Buffer, more: object = {}, by = model) => {
  const { key } = await files.put(bytes, { maxBytes: 2 ** 30 });
  return by.run(job({ image_url: `https://${FILES_HOST}/${key}`, ...more }));
};
const failure = async (attempt: Promise<unknown>) => {
  const error = await attempt.then(
    () => 'nothing failed',
    (reason: unknown) => reason,
  );
  if (!(error instanceof TaskFailure)) throw error;
  return { code: error.code, transient: error.transient };
};
const recorded = ({ result }: Outcome) => result as unknown as Recorded;
const heatmaps = ({ attachment }: Outcome) => attachment as unknown as Heatmaps;

/** One colour, with another one in the upper left quarter. */
const picture = (background: string, corner = background, { width = 80, height = 40 } = {}) =>
  sharp({ create: { width, height, channels: 3, background } }).composite([
    {
      input: { create: { width: width / 2, height: height / 2, channels: 3, background: corner } },
      gravity: 'northwest',
    },
  ]);

describe('a photo', () => {
  test('gets its surface, every group and the defects that reach the threshold', async () => {
    const seen = recorded(await look(await picture('red').png().toBuffer()));
    expect(seen).toEqual({
      surface: 'wall',
      masters: [
        { name: 'cracking', conf: 1 },
        { name: 'contamination', conf: 0 },
        { name: 'sound', conf: 0 },
      ],
      defects: [{ name: 'crack', conf: 1 }],
      model_version: '1.1.0',
    });
  });

  test('that is sound gets no defect: sound is a group, but no defect name', async () => {
    const outcome = await look(await picture('blue').png().toBuffer());
    expect(recorded(outcome)).toMatchObject({ defects: [], masters: [{ name: 'sound', conf: 1 }, {}, {}] });
    expect(Object.keys(heatmaps(outcome).maps).sort()).toEqual([
      'contamination',
      'crack',
      'cracking',
      'sound',
      'stain',
    ]);
  });

  test('below the threshold lists nothing, at it everything', async () => {
    // Red and green in equal parts: crack and stain at one half each.
    const even = await look(await picture('#808000').png().toBuffer());
    expect(recorded(even).defects).toEqual([
      { name: 'crack', conf: 0.5 },
      { name: 'stain', conf: 0.5 },
    ]);
    const grey = await look(await picture('#808080').png().toBuffer());
    expect(recorded(grey).defects).toEqual([]);
  });

  test('has a heatmap for each class over the upright image', async () => {
    const where = async (orientation: number) => {
      const bytes = await picture('#400080', 'red').withMetadata({ orientation }).png().toBuffer();
      const { width, height, maps } = heatmaps(await look(bytes));
      expect([width, height]).toEqual([4, 4]);
      return [...Buffer.from(maps['crack']!, 'base64')].map((value) => (value > 127 ? '#' : '.')).join('');
    };
    expect(await where(1)).toBe('##..##..........');
    expect(await where(3), 'upside down').toBe('..........##..##');
    expect(await where(6), 'turned by a quarter, to the right').toBe('..##..##........');
  });

  test('as a phone sends it, in HEIC, lies upright too', async () => {
    const { maps } = heatmaps(await look(phoneHeic()));
    expect([...Buffer.from(maps['sound']!, 'base64')].map((value) => (value > 127 ? '#' : '.')).join('')).toBe(
      '##..##..########',
    );
  });

  test('is never given a name or a number that the lists and the contract do not know', async () => {
    const { defects, surfaces } = model.info()['classes'] as { defects: string[]; surfaces: string[] };
    for (let i = 0; i < 60; i++) {
      const colour = () => ({ r: (i * 53) % 256, g: (i * 97) % 256, b: (i * 151) % 256 });
      const noise = { type: 'gaussian' as const, mean: (i * 31) % 256, sigma: i };
      const bytes = await sharp({ create: { width: 1 + i, height: 61 - i, channels: 3, background: colour(), noise } })
        .png()
        .toBuffer();
      const flat = await sharp({ create: { width: 2, height: 2, channels: 3, background: colour() } })
        .png()
        .toBuffer();
      for (const photo of [bytes, flat]) {
        const seen = recorded(await look(photo));
        expect(surfaces).toContain(seen.surface);
        for (const { name } of seen.defects) expect(defects).toContain(name);
        const confs = [...seen.masters, ...seen.defects].map(({ conf }) => conf);
        expect(confs.every((conf) => conf >= 0 && conf <= 1 && Number(conf.toFixed(4)) === conf)).toBe(true);
        expect(seen.masters.reduce((sum, { conf }) => sum + conf, 0)).toBeCloseTo(1, 9);
      }
    }
  });
});

describe('model versions', () => {
  test('the newest that comes with the product is the default; a trained one is not, however it is called', async () => {
    expect(model.versions()).toEqual(['1.0.0', '1.1.0', '9.0.0']);
    expect(model.info()).toEqual({
      model_version: '1.1.0',
      classes: { defects: ['crack', 'stain'], surfaces: ['wall', 'floor'] },
      gpu: { name: 'cpu', vram_used_mb: 0, vram_total_mb: 0 },
    });
  });

  test('a task may name another one', async () => {
    const photo = await picture('red').png().toBuffer();
    expect(recorded(await look(photo, { model_version: '1.0.0' }))).toMatchObject({
      surface: 'old',
      model_version: '1.0.0',
    });
    expect(recorded(await look(photo, { model_version: '9.0.0' })).model_version).toBe('9.0.0');
  });

  test('one that was installed a moment ago is served and announced without a restart', async () => {
    await installColours(trainedIn(folder), 'fresh', { backbone: false });
    onTestFinished(() => rm(join(trainedIn(folder), 'fresh'), { recursive: true }));
    const photo = await picture('red').png().toBuffer();
    expect(recorded(await look(photo, { model_version: 'fresh' })).model_version).toBe('fresh');
    await vi.waitFor(() => expect(model.versions()).toContain('fresh'), 3000);
    expect(model.info()['model_version']).toBe('1.1.0');
  });

  test('one that is no longer installed fails its tasks', async () => {
    const photo = await picture('red').png().toBuffer();
    expect(await failure(look(photo, { model_version: 'gone' }))).toEqual({
      code: 'INFERENCE_FAILED',
      transient: false,
    });
  });

  test('DEFECTOSCOPY_MODEL_VERSION names the default; the process does not start with one that is not there', async () => {
    const other = await load({ DEFECTOSCOPY_MODEL_VERSION: '9.0.0' });
    onTestFinished(() => other.close());
    expect(other.info()['model_version']).toBe('9.0.0');
    await expect(load({ DEFECTOSCOPY_MODEL_VERSION: '9.9.9' })).rejects.toThrow('DEFECTOSCOPY_MODEL_VERSION');
    await expect(load({}, join(folder, 'nowhere'))).rejects.toThrow('No model version is installed');
  });

  test('one whose weights were changed is not loaded', async () => {
    const place = await installColours(trainedIn(folder), 'damaged');
    onTestFinished(() => rm(place, { recursive: true }));
    await appendFile(join(place, 'heads.json'), '\n');
    const photo = await picture('red').png().toBuffer();
    await expect(look(photo, { model_version: 'damaged' })).rejects.toThrow('SHA-256');
  });

  test('one that computes nonsense fails the task instead of recording it', async () => {
    const place = await installColours(trainedIn(folder), 'broken', { white: Number.NaN });
    onTestFinished(() => rm(place, { recursive: true }));
    const photo = await picture('red').png().toBuffer();
    await expect(look(photo, { model_version: 'broken' })).rejects.toThrow(
      'Version broken gave no valid classification',
    );
  });
});

describe('devices', () => {
  test('DEFECTOSCOPY_DEVICES names them by preference; without the preferred one the next computes, and says so', async () => {
    const other = await load({ DEFECTOSCOPY_DEVICES: 'cuda, cpu' });
    onTestFinished(() => other.close());
    const { name } = other.info()['gpu'] as { name: string };
    // Where this test runs on a machine with a GPU, it is the GPU's.
    expect(name).toMatch(/^cpu$|cuda|NVIDIA/);
    const photo = await picture('red').png().toBuffer();
    expect(recorded(await look(photo, {}, other))).toMatchObject({ surface: 'wall' });
  });

  test('one that is not known stops the process early', async () => {
    await expect(load({ DEFECTOSCOPY_DEVICES: 'cuda,abacus' })).rejects.toThrow(
      'DEFECTOSCOPY_DEVICES: must be a list of cpu, cuda, not "abacus".',
    );
  });
});

describe('a photo that cannot be had', () => {
  const fetched = (path = '/photo.jpg', host = storage.origin) => model.run(job({ image_url: `${host}${path}` }));

  test('is downloaded from a listed storage', async () => {
    const photo = await picture('green').jpeg({ quality: 95 }).toBuffer();
    storage.answer = (_, response) => response.end(photo);
    expect(recorded(await fetched())).toMatchObject({ surface: 'floor' });
  });

  test.each([
    [404, 'IMAGE_NOT_FOUND', false],
    [410, 'IMAGE_NOT_FOUND', false],
    [403, 'IMAGE_FETCH_FAILED', false],
    [429, 'IMAGE_FETCH_FAILED', true],
    [503, 'IMAGE_FETCH_FAILED', true],
  ])('a storage that answers %i: %s, worth another try: %s', async (status, code, transient) => {
    storage.answer = (_, response) => response.writeHead(status).end();
    expect(await failure(fetched())).toEqual({ code, transient });
  });

  test('a connection that breaks off is worth another try', async () => {
    storage.answer = (request) => request.socket.destroy();
    expect(await failure(fetched())).toEqual({ code: 'IMAGE_FETCH_FAILED', transient: true });
  });

  test('an address that leads inside is blocked, on the way of a redirect too', async () => {
    expect(await failure(fetched('/photo.jpg', 'https://inside.test'))).toEqual({
      code: 'IMAGE_BLOCKED',
      transient: false,
    });
    storage.answer = (_, response) => response.writeHead(302, { location: 'https://169.254.169.254/' }).end();
    expect(await failure(fetched())).toEqual({ code: 'IMAGE_BLOCKED', transient: false });
  });

  test('more than 20 MiB are too large, downloaded or uploaded', async () => {
    storage.answer = (_, response) => {
      response.on('error', () => {});
      response.end(Buffer.alloc(20 * 2 ** 20 + 1));
    };
    expect(await failure(fetched())).toEqual({ code: 'IMAGE_TOO_LARGE', transient: false });
    expect(await failure(look(Buffer.alloc(20 * 2 ** 20 + 1)))).toEqual({ code: 'IMAGE_TOO_LARGE', transient: false });
  });

  test('an upload that is gone was not found', async () => {
    const gone = `https://${FILES_HOST}/01KAF3M9WZ7Y5T2Q8C4N6B1D0E`;
    expect(await failure(model.run(job({ image_url: gone })))).toEqual({ code: 'IMAGE_NOT_FOUND', transient: false });
  });

  test('text is unsupported, half a photo is corrupt, and neither is worth another try', async () => {
    const photo = await picture('red').jpeg().toBuffer();
    expect(await failure(look(Buffer.from('not a photo at all')))).toEqual({
      code: 'IMAGE_UNSUPPORTED',
      transient: false,
    });
    expect(await failure(look(photo.subarray(0, photo.length >> 1)))).toEqual({
      code: 'IMAGE_CORRUPT',
      transient: false,
    });
  });

  test('an attempt that is told to stop leaves, though photos before it are still being decoded', async () => {
    const { key } = await files.put(phoneHeic(), { maxBytes: 2 ** 20 });
    const stop = new AbortController();
    const attempt = (signal?: AbortSignal) =>
      model.run(job({ image_url: `https://${FILES_HOST}/${key}` }, signal)).then(
        () => 'seen',
        (reason: unknown) => reason,
      );
    const ends: unknown[] = [];
    const before = [attempt(), attempt(), attempt()].map((end) => end.then((how) => ends.push(how)));
    const last = attempt(stop.signal).then((how) => ends.push(how));
    setTimeout(() => stop.abort('lost'), 30);
    await Promise.all([...before, last]);
    expect(ends).toEqual(['lost', 'seen', 'seen', 'seen']);
  });

  test('an attempt that is told to stop stops waiting for the storage', async () => {
    storage.answer = () => {};
    const stop = new AbortController();
    const attempt = model.run(job({ image_url: `${storage.origin}/slow.jpg` }, stop.signal));
    setTimeout(() => stop.abort('lost'), 50);
    await expect(attempt).rejects.toBeDefined();
  });
});

test('the example photo is a cracked concrete wall, to the model that comes with the product', async () => {
  const real = await load({}, SHIPPED);
  onTestFinished(() => real.close());
  const outcome = await look(await readFile(new URL('../../../examples/wall.jpg', import.meta.url)), {}, real);
  expect(recorded(outcome)).toMatchObject({ surface: 'concrete_wall', defects: [{ name: 'crack' }] });
  expect(recorded(outcome).masters).toHaveLength(6);
  const { width, height, maps } = heatmaps(outcome);
  expect(Object.keys(maps)).toHaveLength(6 + 14);
  expect(Buffer.from(maps['crack']!, 'base64')).toHaveLength(width * height);
});
