import { once } from 'node:events';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createAuthority } from '../../../test/support/certificate.ts';
import { phoneHeic } from '../../../test/support/ml/heic.ts';
import { COLOURS, colourHead, installColours } from '../../../test/support/ml/model.ts';
import { parseAllowList } from '../../base/addresses.ts';
import type { Db } from '../../base/db.ts';
import { createFolderFiles, type Files } from '../../base/files.ts';
import { createGuardedFetch } from '../../base/guarded-fetch.ts';
import { createLog } from '../../base/log.ts';
import { readSettings } from '../../base/settings.ts';
import { unpackVector } from '../../ml/compact-vector.ts';
import { TaskFailure } from '../../tasks/task.ts';
import type { Model, Outcome, SharedSettings } from '../shared/service.ts';
import { SHIPPED_MODELS_DIR, trainedModelsDir } from './model/registry.ts';
import { loadModel } from './model.ts';
import type { Attachment, Recorded, Region } from './result.ts';
import { settings } from './settings.ts';

const log = createLog('silent', 'test');
/** Without deployments. */
const db = { query: async () => ({ rows: [], rowCount: 0 }) } as Partial<Db> as Db;
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
  files = createFolderFiles({ dir: join(folder, 'files') });
  await installColours(shipped, '1.0.0', { heads: { ...COLOURS, surface: colourHead({ old: [1, 1, 1] }) } });
  await installColours(shipped, '1.1.0');
  await installColours(trainedModelsDir(folder), '9.0.0');

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

async function load(env: Record<string, string> = {}, shippedDir = shipped): Promise<Model> {
  const host = new URL(storage.origin).host;
  const serviceSettings = readSettings(settings, { DEFECTOSCOPY_ALLOWED_IMAGE_HOSTS: `${host},inside.test`, ...env });
  const shared = {
    dataDir: folder,
    filesHost: FILES_HOST,
    allowList: parseAllowList({ hosts: ['storage.test'] }),
  } as Partial<SharedSettings> as SharedSettings;
  const fetch = createGuardedFetch({ ca, resolve: async () => ['127.0.0.1'], connectMs: 2000 });
  return loadModel({ context: { db, fetch, files, log }, serviceSettings, shared, shipped: shippedDir });
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
/** Uploads the bytes and runs the model on them. */
const classify = async (bytes: Buffer, more: object = {}, using = model) => {
  const { key } = await files.put(bytes, { maxBytes: 2 ** 30 });
  return using.run(job({ image_url: `https://${FILES_HOST}/${key}`, ...more }));
};
const failureOf = async (attempt: Promise<unknown>) => {
  const error = await attempt.then(
    () => 'nothing failed',
    (reason: unknown) => reason,
  );
  if (!(error instanceof TaskFailure)) throw error;
  return { code: error.code, transient: error.transient };
};
const recorded = ({ result }: Outcome) => result as unknown as Recorded;
const heatmaps = ({ attachment }: Outcome) => attachment as unknown as Attachment;

/** One colour, with another in the upper left quarter. */
const picture = (background: string, corner = background, { width = 80, height = 40 } = {}) =>
  sharp({ create: { width, height, channels: 3, background } }).composite([
    {
      input: { create: { width: width / 2, height: height / 2, channels: 3, background: corner } },
      gravity: 'northwest',
    },
  ]);

describe('defectoscopy model', () => {
  test('returns the surface, all groups and the defects that reach the threshold', async () => {
    const result = recorded(await classify(await picture('red').png().toBuffer()));
    expect(result).toEqual({
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

  test('returns no defects for a sound surface: sound is a group but not a defect', async () => {
    const outcome = await classify(await picture('blue').png().toBuffer());
    expect(recorded(outcome)).toMatchObject({ defects: [], masters: [{ name: 'sound', conf: 1 }, {}, {}] });
    expect(Object.keys(heatmaps(outcome).maps).sort()).toEqual([
      'contamination',
      'crack',
      'cracking',
      'sound',
      'stain',
    ]);
  });

  test('lists defects at the threshold and none below it', async () => {
    // Red and green in equal parts: 0.5 for crack and for stain.
    const even = await classify(await picture('#808000').png().toBuffer());
    expect(recorded(even).defects).toEqual([
      { name: 'crack', conf: 0.5 },
      { name: 'stain', conf: 0.5 },
    ]);
    const grey = await classify(await picture('#808080').png().toBuffer());
    expect(recorded(grey).defects).toEqual([]);
  });

  test('returns a heatmap of the upright image for each class', async () => {
    const where = async (orientation: number) => {
      const bytes = await picture('#400080', 'red').withMetadata({ orientation }).png().toBuffer();
      const { width, height, maps } = heatmaps(await classify(bytes));
      expect([width, height]).toEqual([4, 4]);
      return [...Buffer.from(maps['crack']!, 'base64')].map((value) => (value > 127 ? '#' : '.')).join('');
    };
    expect(await where(1)).toBe('##..##..........');
    expect(await where(3), 'upside down').toBe('..........##..##');
    expect(await where(6), 'rotated clockwise by 90°').toBe('..##..##........');
  });

  test('rotates HEIC photos upright', async () => {
    const { maps } = heatmaps(await classify(phoneHeic()));
    expect([...Buffer.from(maps['sound']!, 'base64')].map((value) => (value > 127 ? '#' : '.')).join('')).toBe(
      '##..##..########',
    );
  });

  test('returns only listed names and valid confidences', async () => {
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
        const result = recorded(await classify(photo));
        expect(surfaces).toContain(result.surface);
        for (const { name } of result.defects) expect(defects).toContain(name);
        const confs = [...result.masters, ...result.defects].map(({ conf }) => conf);
        expect(confs.every((conf) => conf >= 0 && conf <= 1 && Number(conf.toFixed(4)) === conf)).toBe(true);
        expect(result.masters.reduce((sum, { conf }) => sum + conf, 0)).toBeCloseTo(1, 9);
      }
    }
  });
});

describe('photos analysed in tiles', () => {
  /** Sound, with a red square of 48 pixels at 208, 112. */
  const wall = () =>
    sharp({ create: { width: 320, height: 240, channels: 3, background: 'blue' } }).composite([
      { input: { create: { width: 48, height: 48, channels: 3, background: 'red' } }, left: 208, top: 112 },
    ]);

  test('inspect: whole finds a defect that the overview does not show', async () => {
    const bytes = await wall().png().toBuffer();
    const overview = await classify(bytes, { inspect: 'overview' });
    expect(recorded(overview)).toMatchObject({ defects: [], masters: [{ name: 'sound' }, {}, {}] });
    expect(recorded(overview).regions).toBeUndefined();
    expect(await classify(bytes), 'auto').toEqual(overview);

    const whole = await classify(bytes, { inspect: 'whole' });
    const { regions, defects, masters, model_version } = recorded(whole);
    expect(regions).toHaveLength(1);
    const [{ box, defect, confidence }] = regions as [Region];
    expect([defect, defects]).toEqual(['crack', [{ name: 'crack', conf: confidence }]]);
    expect(masters[0]?.name).toBe('cracking');
    expect(model_version).toBe('1.1.0');
    const [x0, y0, x1, y1] = box.map((side, i) => side * (i % 2 === 0 ? 320 : 240)) as unknown as Region['box'];
    for (const [side, expected] of [x0, y0, x1, y1].map((side, i) => [side, [208, 112, 256, 160][i]!] as const)) {
      expect(Math.abs(side - expected)).toBeLessThanOrEqual(24);
    }
    const { width, height, maps, training } = heatmaps(whole);
    expect(training, 'the overview does not show the defect').toBeUndefined();
    expect([width, height]).toEqual([40, 30]);
    const values = Buffer.from(maps['crack']!, 'base64');
    expect(values[17 * 40 + 29]).toBeGreaterThan(127);
    expect(values[2 * 40 + 2]).toBe(0);
  });

  test('inspect: auto adds the regions of a large photo and changes nothing else', async () => {
    const large = sharp({ create: { width: 2016, height: 2016, channels: 3, background: 'blue' } }).composite([
      { input: { create: { width: 48, height: 48, channels: 3, background: 'red' } }, left: 208, top: 112 },
    ]);
    const bytes = await large.png().toBuffer();
    const overview = await classify(bytes, { inspect: 'overview' });
    const auto = await classify(bytes);
    const { regions, ...rest } = recorded(auto);
    expect(regions).toMatchObject([{ defect: 'crack' }]);
    expect(rest).toEqual(recorded(overview));
    expect(auto.attachment).toEqual(overview.attachment);
  });

  test('inspect: whole keeps the features for training if the overview shows all defects', async () => {
    const bytes = await sharp({ create: { width: 320, height: 240, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const whole = await classify(bytes, { inspect: 'whole' });
    expect(recorded(whole)).toMatchObject({ defects: [{ name: 'crack' }], regions: [] });
    expect(heatmaps(whole).training).toEqual(heatmaps(await classify(bytes, { inspect: 'overview' })).training);
  });

  test('boxes are of the upright photo', async () => {
    const bytes = await wall().jpeg().withMetadata({ orientation: 6 }).toBuffer();
    const [{ box }] = recorded(await classify(bytes, { inspect: 'whole' })).regions as [Region];
    // Rotated clockwise by 90°: 240 × 320, the square at 80, 208.
    const expected = [80 / 240, 208 / 320, 128 / 240, 256 / 320];
    for (const [i, side] of box.entries()) expect(Math.abs(side - expected[i]!)).toBeLessThanOrEqual(0.1);
  });

  test.each([
    ['has no regions for a strip of one pixel', { width: 20_000, height: 1 }, undefined],
    ['has no regions for a photo smaller than a tile', { width: 20, height: 20 }, undefined],
    ['has an empty list of regions for a black photo', { width: 400, height: 300 }, []],
  ])('the result %s', async (_, size, regions) => {
    const bytes = await sharp({ create: { ...size, channels: 3, background: 'black' } })
      .png()
      .toBuffer();
    expect(recorded(await classify(bytes, { inspect: 'whole' })).regions).toEqual(regions);
  });
});

test.each([
  [{ width: 320, height: 31 }, ['UNFAMILIAR_IMAGE']],
  [{ width: 31, height: 320 }, ['UNFAMILIAR_IMAGE']],
  [{ width: 32, height: 32 }, undefined],
])('a photo of %o has the warnings %o', async (size, warnings) => {
  const bytes = await sharp({ create: { ...size, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  expect(recorded(await classify(bytes)).warnings).toEqual(warnings);
});

describe('defectoscopy model versions', () => {
  test('the attachment has the features of the photo for training', async () => {
    const { training } = (await classify(await picture('red').png().toBuffer())).attachment as unknown as Attachment;
    expect(training?.network).toMatch(/^[0-9a-f]{64}$/);
    const features = unpackVector(Buffer.from(training!.features, 'base64'));
    expect(features.length).toBeGreaterThan(0);
    expect(features.some((value) => value !== 0)).toBe(true);
  });

  test('the newest shipped version is the default, even if a trained version has a higher number', async () => {
    expect(model.versions().map(({ version }) => version)).toEqual(['1.0.0', '1.1.0', '9.0.0']);
    expect(model.info()).toEqual({
      model_version: '1.1.0',
      classes: { defects: ['crack', 'stain'], surfaces: ['wall', 'floor'] },
      gpu: { name: 'cpu', vram_used_mb: 0, vram_total_mb: 0 },
      ...{ shipped: '1.1.0', pinned: false, versions: ['1.0.0', '1.1.0', '9.0.0'], problems: {} },
      networks: expect.arrayContaining([expect.stringMatching(/^[0-9a-f]{64}$/)]),
    });
  });

  test('a version whose manifest lists no surfaces advertises those of its surface head', () => {
    expect(model.versions().map(({ details }) => details?.['surfaces'])).toEqual([
      ['old'],
      ['wall', 'floor'],
      ['wall', 'floor'],
    ]);
  });

  test('a task can select another version', async () => {
    const photo = await picture('red').png().toBuffer();
    expect(recorded(await classify(photo, { model_version: '1.0.0' }))).toMatchObject({
      surface: 'old',
      model_version: '1.0.0',
    });
    expect(recorded(await classify(photo, { model_version: '9.0.0' })).model_version).toBe('9.0.0');
  });

  test('a newly installed version is served and advertised without a restart', async () => {
    await installColours(trainedModelsDir(folder), 'latest', { backbone: false });
    onTestFinished(() => rm(join(trainedModelsDir(folder), 'latest'), { recursive: true }));
    const photo = await picture('red').png().toBuffer();
    expect(recorded(await classify(photo, { model_version: 'latest' })).model_version).toBe('latest');
    await vi.waitFor(
      () => expect(model.versions()).toContainEqual(expect.objectContaining({ version: 'latest' })),
      3000,
    );
    expect(model.info()['model_version']).toBe('1.1.0');
  });

  test('a task for an uninstalled version is retried', async () => {
    const photo = await picture('red').png().toBuffer();
    expect(await failureOf(classify(photo, { model_version: 'gone' }))).toEqual({
      code: 'INFERENCE_FAILED',
      transient: true,
    });
  });

  test('a trained version is installed from the database by the first task that selects it', async () => {
    const other = await mkdtemp(join(tmpdir(), 'assay-trained-'));
    const place = await installColours(other, 'trained');
    onTestFinished(() => rm(other, { recursive: true }));
    onTestFinished(() => rm(join(trainedModelsDir(folder), 'trained'), { recursive: true, force: true }));
    const photo = await picture('red').png().toBuffer();
    const select = () => classify(photo, { model_version: 'trained' });
    expect(await failureOf(select())).toMatchObject({ transient: true });

    const names = ['manifest.json', 'heads.json'];
    const texts = await Promise.all(names.map((name) => readFile(join(place, name), 'utf8')));
    const stored = Object.fromEntries(names.map((name, i) => [name, texts[i]!]));
    const query = vi.spyOn(db, 'query').mockImplementation(async (sql, params) => {
      const isTrained = String(sql).includes('files') && params?.[0] === 'trained';
      return { rows: isTrained ? [{ files: stored }] : [], rowCount: 0 } as never;
    });
    onTestFinished(() => query.mockRestore());
    const outcomes = await Promise.all([select(), select()]);
    expect(outcomes.map((outcome) => recorded(outcome).model_version)).toEqual(['trained', 'trained']);
  });

  test('DEFECTOSCOPY_MODEL_VERSION selects the default version; loading fails if it is not installed', async () => {
    const other = await load({ DEFECTOSCOPY_MODEL_VERSION: '9.0.0' });
    onTestFinished(() => other.close());
    expect(other.info()['model_version']).toBe('9.0.0');
    await expect(load({ DEFECTOSCOPY_MODEL_VERSION: '9.9.9' })).rejects.toThrow('DEFECTOSCOPY_MODEL_VERSION');
    await expect(load({}, join(folder, 'nowhere'))).rejects.toThrow('No model version is installed');
  });

  test('a version with modified weights is not loaded', async () => {
    const place = await installColours(trainedModelsDir(folder), 'damaged');
    onTestFinished(() => rm(place, { recursive: true }));
    await appendFile(join(place, 'heads.json'), '\n');
    const photo = await picture('red').png().toBuffer();
    await expect(classify(photo, { model_version: 'damaged' })).rejects.toThrow('SHA-256');
  });

  test('an invalid classification fails the task', async () => {
    const place = await installColours(trainedModelsDir(folder), 'broken', { white: Number.NaN });
    onTestFinished(() => rm(place, { recursive: true }));
    const photo = await picture('red').png().toBuffer();
    await expect(classify(photo, { model_version: 'broken' })).rejects.toThrow(
      'Version broken returned an invalid classification',
    );
  });
});

describe('defectoscopy devices', () => {
  test('DEFECTOSCOPY_DEVICES lists devices by preference; the first available one is used and reported', async () => {
    const other = await load({ DEFECTOSCOPY_DEVICES: 'cuda, cpu' });
    onTestFinished(() => other.close());
    const { name } = other.info()['gpu'] as { name: string };
    // The GPU's name on a machine with a GPU.
    expect(name).toMatch(/^cpu$|cuda|NVIDIA/);
    const photo = await picture('red').png().toBuffer();
    expect(recorded(await classify(photo, {}, other))).toMatchObject({ surface: 'wall' });
  });

  test('an unknown device in DEFECTOSCOPY_DEVICES is a startup error', async () => {
    await expect(load({ DEFECTOSCOPY_DEVICES: 'cuda,abacus' })).rejects.toThrow(
      'DEFECTOSCOPY_DEVICES: must be a list of cpu, cuda, not "abacus".',
    );
  });
});

describe('reading a photo', () => {
  const fetched = (path = '/photo.jpg', host = storage.origin) => model.run(job({ image_url: `${host}${path}` }));

  test('downloads a photo from an allowed storage host', async () => {
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
  ])('status %i of the storage fails the task with %s (transient: %s)', async (status, code, transient) => {
    storage.answer = (_, response) => response.writeHead(status).end();
    expect(await failureOf(fetched())).toEqual({ code, transient });
  });

  test('a lost connection is a transient failure', async () => {
    storage.answer = (request) => request.socket.destroy();
    expect(await failureOf(fetched())).toEqual({ code: 'IMAGE_FETCH_FAILED', transient: true });
  });

  test('private addresses are blocked, also after a redirect', async () => {
    expect(await failureOf(fetched('/photo.jpg', 'https://inside.test'))).toEqual({
      code: 'IMAGE_BLOCKED',
      transient: false,
    });
    storage.answer = (_, response) => response.writeHead(302, { location: 'https://169.254.169.254/' }).end();
    expect(await failureOf(fetched())).toEqual({ code: 'IMAGE_BLOCKED', transient: false });
  });

  test('a photo above 20 MiB is rejected, downloaded or uploaded', async () => {
    storage.answer = (_, response) => {
      response.on('error', () => {});
      response.end(Buffer.alloc(20 * 2 ** 20 + 1));
    };
    expect(await failureOf(fetched())).toEqual({ code: 'IMAGE_TOO_LARGE', transient: false });
    expect(await failureOf(classify(Buffer.alloc(20 * 2 ** 20 + 1)))).toEqual({
      code: 'IMAGE_TOO_LARGE',
      transient: false,
    });
  });

  test('a deleted upload fails with IMAGE_NOT_FOUND', async () => {
    const gone = `https://${FILES_HOST}/01KAF3M9WZ7Y5T2Q8C4N6B1D0E`;
    expect(await failureOf(model.run(job({ image_url: gone })))).toEqual({ code: 'IMAGE_NOT_FOUND', transient: false });
  });

  test('text is unsupported and a truncated photo is corrupt, both permanently', async () => {
    const photo = await picture('red').jpeg().toBuffer();
    expect(await failureOf(classify(Buffer.from('not a photo at all')))).toEqual({
      code: 'IMAGE_UNSUPPORTED',
      transient: false,
    });
    expect(await failureOf(classify(photo.subarray(0, photo.length >> 1)))).toEqual({
      code: 'IMAGE_CORRUPT',
      transient: false,
    });
  });

  test('an aborted attempt ends while earlier photos are still being decoded', async () => {
    const { key } = await files.put(phoneHeic(), { maxBytes: 2 ** 20 });
    const stop = new AbortController();
    const attempt = (signal?: AbortSignal) =>
      model.run(job({ image_url: `https://${FILES_HOST}/${key}` }, signal)).then(
        () => 'seen',
        (reason: unknown) => reason,
      );
    const outcomes: unknown[] = [];
    const before = [attempt(), attempt(), attempt()].map((end) => end.then((outcome) => outcomes.push(outcome)));
    const last = attempt(stop.signal).then((outcome) => outcomes.push(outcome));
    setTimeout(() => stop.abort('lost'), 30);
    await Promise.all([...before, last]);
    expect(outcomes).toEqual(['lost', 'seen', 'seen', 'seen']);
  });

  test('an aborted attempt stops waiting for the storage', async () => {
    storage.answer = () => {};
    const stop = new AbortController();
    const attempt = model.run(job({ image_url: `${storage.origin}/slow.jpg` }, stop.signal));
    setTimeout(() => stop.abort('lost'), 50);
    await expect(attempt).rejects.toBeDefined();
  });
});

test('the shipped model classifies the example photo as a cracked concrete wall', async () => {
  const real = await load({}, SHIPPED_MODELS_DIR);
  onTestFinished(() => real.close());
  const outcome = await classify(await readFile(new URL('../../../examples/wall.jpg', import.meta.url)), {}, real);
  expect(recorded(outcome)).toMatchObject({ surface: 'concrete_wall', defects: [{ name: 'crack' }] });
  expect(recorded(outcome).masters).toHaveLength(6);
  expect(recorded(outcome).familiarity).toBeGreaterThanOrEqual(0.01);
  expect(recorded(outcome)).not.toHaveProperty('warnings');
  const flag = await classify(await picture('red', 'blue').png().toBuffer(), {}, real);
  expect(recorded(flag)).toMatchObject({ familiarity: 0, warnings: ['UNFAMILIAR_IMAGE'] });
  const { width, height, maps } = heatmaps(outcome);
  expect(Object.keys(maps)).toHaveLength(6 + 14);
  expect(Buffer.from(maps['crack']!, 'base64')).toHaveLength(width * height);
});
