import { appendFile, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { readSettings } from '../../src/base/settings.ts';
import { createModelContext } from '../../src/role-contexts.ts';
import { deleteOldComparisons } from '../../src/services/defectoscopy/deployments/shadow-report.ts';
import { trainedModelsDir } from '../../src/services/defectoscopy/model/registry.ts';
import { loadModel } from '../../src/services/defectoscopy/model.ts';
import { settings } from '../../src/services/defectoscopy/settings.ts';
import { COLOURS, colourHead, installColours } from '../support/ml/model.ts';
import { createFakeModel, type Product, startProduct, TOKEN } from '../support/product.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const REVIEWER = 'a-reviewer-of-the-photos';
/** Red is a stain. */
const SWAPPED = { ...COLOURS, defects: colourHead({ stain: [1, 0, 0], crack: [0, 1, 0], sound: [0, 0, 1] }) };

const until = (read: () => unknown) => expect.poll(read, { timeout: 60_000, interval: 50 });

let product: Product;
let shipped: string;
let red: string;

/** Shipped 1.0.0; halls-1 shares its network, own-1 does not, damaged cannot be loaded. */
async function start(env: Record<string, string> = {}): Promise<void> {
  product = await startProduct({ env: { DEFECTOSCOPY_REVIEWER_TOKENS: REVIEWER, ...env }, roles: [] });
  const { dataDir } = product.context.shared;
  shipped = join(dataDir, 'shipped');
  const trained = trainedModelsDir(dataDir);
  await installColours(shipped, '1.0.0');
  await installColours(trained, 'halls-1', { heads: SWAPPED });
  await installColours(trained, 'own-1', { heads: SWAPPED, size: 64 });
  await appendFile(join(await installColours(trained, 'damaged', { white: 2 }), 'heads.json'), '\n');
  const bytes = await sharp({ create: { width: 40, height: 40, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const headers = { 'content-type': 'image/png' };
  red = (await product.call('/files', { method: 'POST', headers, body: bytes })).body.data.url;
}

const startWorker = async (env: Record<string, string> = {}, installed = 4) => {
  const { context } = product;
  const serviceSettings = readSettings(settings, env);
  const model = await loadModel({
    ...{ context: await createModelContext(context), serviceSettings, shared: context.shared, shipped },
  });
  const { workerRegistry } = product.gateway;
  const count = workerRegistry.warmWorkers('defectoscopy').length;
  const stop = await product.startWorker(model);
  await until(() => workerRegistry.warmWorkers('defectoscopy').length).toBe(count + 1);
  // The gateway reads the versions after the workers.
  await until(() => workerRegistry.modelVersions('defectoscopy').length).toBe(installed);
  return stop;
};

const put = (path: string, body: unknown, token = REVIEWER) => product.call(path, { method: 'PUT', body, token });
const promote = (version: string, token?: string) => put('/models/default', { version }, token);
const shadow = (version: string | null) => put('/models/shadow', { version });
const rollBack = (version: string) =>
  product.call('/models/rollback', { method: 'POST', body: { version }, token: REVIEWER });
const answers = () =>
  product.gateway.workerRegistry.warmWorkers('defectoscopy').map(({ info }) => info['model_version']);
interface Done {
  readonly model_version: string;
  readonly result: unknown;
}
const classify = async (more: Record<string, unknown> = {}) =>
  (await product.waitForResult(await product.predict({ image_url: red, ...more }))) as Done;
const comparison = async () => (await product.call('/models/shadow')).body.data;
const refused = (status: number, code: string, message: string | RegExp) => ({
  status,
  body: { ok: false, error: { code, message: expect.stringMatching(message) } },
});

describe('promotion and rollback', () => {
  beforeAll(() => start());
  afterAll(() => product.stop());

  it('take effect on every running worker and on workers that start later, without changing explicit versions', async () => {
    const stops = [await startWorker(), await startWorker()];
    expect((await classify()).model_version).toBe('1.0.0');

    const promoted = await promote('halls-1');
    expect(promoted).toMatchObject({
      status: 200,
      body: { data: { default: 'halls-1', rolls_back_to: '1.0.0', may_deploy: true, pinned: false } },
    });
    expect(promoted.body.data.history).toEqual([
      { action: 'promote', default: 'halls-1', actor: expect.any(String), at: expect.stringMatching(/^\d+$/) },
    ]);
    await until(answers).toEqual(['halls-1', 'halls-1']);
    expect(await classify()).toMatchObject({ model_version: 'halls-1', result: { defects: [{ name: 'stain' }] } });
    expect((await classify({ model_version: '1.0.0' })).model_version).toBe('1.0.0');
    expect((await product.call('/health')).body.data.model_version).toBe('halls-1');

    await Promise.all(stops.map((stop) => stop()));
    await until(answers).toEqual([]);
    expect((await product.call('/models')).body.data.default).toBe('halls-1');
    const stop = await startWorker();
    expect(answers()).toEqual(['halls-1']);
    expect((await classify()).model_version).toBe('halls-1');
    await stop();
  });

  it('undo promotions one by one, also while no worker runs', async () => {
    expect((await promote('own-1')).body.data).toMatchObject({ default: 'own-1', rolls_back_to: 'halls-1' });
    expect((await shadow('1.0.0')).body.data).toMatchObject({ default: 'own-1', shadow: '1.0.0' });
    expect((await rollBack('own-1')).body.data).toMatchObject({ default: 'halls-1', shadow: '1.0.0' });
    expect(await rollBack('own-1')).toMatchObject(refused(412, 'VERSION_CONFLICT', 'halls-1'));
    const stop = await startWorker();
    expect(answers()).toEqual(['halls-1']);
    const { data } = (await rollBack('halls-1')).body;
    // The newest shipped version, which was the shadow.
    expect(data.default).toBe('1.0.0');
    expect(data.shadow).toBeUndefined();
    expect(data.rolls_back_to).toBeUndefined();
    await until(answers).toEqual(['1.0.0']);
    expect(await rollBack('1.0.0')).toMatchObject(refused(409, 'NO_EARLIER_VERSION', 'No version was promoted'));
    const actions = (await product.call('/models')).body.data.history.map((each: { action: string }) => each.action);
    expect(actions).toEqual(['rollback', 'rollback', 'shadow', 'promote', 'promote']);
    await stop();
  });
});

describe('versions that only the database has', () => {
  const trainedFolder = (version: string) => join(trainedModelsDir(product.context.shared.dataDir), version);

  /** As trained earlier, by a worker with another disk. */
  const store = async (version: string) => {
    const folder = await installColours(trainedModelsDir(product.context.shared.dataDir), version, { heads: SWAPPED });
    const names = ['manifest.json', 'heads.json'];
    const files = await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')]));
    await rm(folder, { recursive: true });
    await product.database.db.query(
      `insert into defectoscopy_trainings (version, actor, ended_at, report, files)
       values ($1, 'reviewer', now(), '{}', $2)`,
      [version, Object.fromEntries(files)],
    );
  };

  beforeEach(async () => {
    await start();
    await store('trained-1');
    await store('trained-2');
  });
  afterEach(() => product.stop());

  it('are promoted and restored, also before a worker has installed them', async () => {
    expect((await promote('trained-1')).body.data).toMatchObject({ default: 'trained-1' });
    expect((await promote('trained-2')).body.data).toMatchObject({ default: 'trained-2', rolls_back_to: 'trained-1' });
    await startWorker({}, 5);
    expect(answers()).toEqual(['trained-2']);
    expect((await rollBack('trained-2')).body.data).toMatchObject({ default: 'trained-1' });
    await until(answers).toEqual(['trained-1']);
    expect((await classify()).model_version).toBe('trained-1');
  });

  it('are compared as the shadow version', { tags: ['full'] }, async () => {
    await startWorker({}, 5);
    expect((await shadow('trained-1')).body.data).toMatchObject({ shadow: 'trained-1' });
    await until(async () => {
      await classify();
      return (await comparison()).comparisons.map((each: { shadow: string }) => each.shadow);
    }).toEqual(['trained-1']);
  });

  it('are installed by a worker whose DEFECTOSCOPY_MODEL_VERSION names them', async () => {
    await startWorker({ DEFECTOSCOPY_MODEL_VERSION: 'trained-1' }, 6);
    expect(answers()).toEqual(['trained-1']);
    expect((await readFile(join(trainedFolder('trained-1'), 'heads.json'))).length).toBeGreaterThan(0);
  });
});

describe('shadow version', () => {
  beforeEach(() => start());
  afterEach(() => product.stop());

  it('counts its differences without changing results, from the same run of the network', {
    tags: ['full'],
  }, async () => {
    await startWorker();
    const before = await classify();
    expect((await shadow('halls-1')).body.data.shadow).toBe('halls-1');
    await until(async () => {
      await classify();
      return (await comparison()).comparisons.length;
    }).toBe(1);
    const after = await classify();
    expect(after).toMatchObject({ result: before.result, model_version: '1.0.0' });
    expect(Object.keys(after).sort()).toEqual(Object.keys(before).sort());
    await classify({ model_version: '1.0.0' });
    const { comparisons, differing } = await comparison();
    const [found] = comparisons;
    expect(found).toMatchObject({ shadow: 'halls-1', default: '1.0.0', agreeing: 0 });
    expect(found.pairs).toEqual([{ default: 'crack', shadow: 'stain', photos: found.photos }]);
    expect(differing[0]).toMatchObject({ default: 'crack', shadow: 'stain', shadow_version: 'halls-1' });
    expect((await product.call(`/result/${differing[0].task_id}`)).body.data.model_version).toBe('1.0.0');

    // The lists are bounded.
    const { db } = product.database;
    await db.query(`update defectoscopy_shadow_counts set day = day - 91`);
    await db.query(`update defectoscopy_shadow_differences set at = at - interval '8 days'`);
    await deleteOldComparisons(db);
    expect(await comparison()).toEqual({ days: 7, comparisons: [], differing: [] });
  });

  it('with another network computes a part of the photos again', { tags: ['full'] }, async () => {
    await startWorker();
    expect((await shadow('own-1')).status).toBe(200);
    await until(async () => {
      expect((await classify()).model_version).toBe('1.0.0');
      return (await comparison()).comparisons[0]?.pairs[0]?.shadow;
    }).toBe('stain');
  });

  it('that cannot be loaded is reported and changes nothing, also as the default', { tags: ['full'] }, async () => {
    await startWorker();
    const problem = { version: 'damaged', worker: expect.any(String), problem: 'not_loadable' };
    expect((await shadow('damaged')).status).toBe(200);
    await until(async () => (await product.call('/models')).body.data.problems).toEqual([problem]);
    expect((await classify()).model_version).toBe('1.0.0');
    expect((await promote('damaged')).status).toBe(200);
    await startWorker();
    expect((await classify()).model_version).toBe('1.0.0');
    expect((await comparison()).comparisons).toEqual([]);
  });

  it('lists differing photos of other clients to reviewers only', { tags: ['full'] }, async () => {
    await product.stop();
    await start({ TASK_VISIBILITY: 'token', DEFECTOSCOPY_API_TOKENS: `${TOKEN},another-client-of-it` });
    await startWorker();
    expect((await shadow('halls-1')).status).toBe(200);
    await until(async () => {
      await classify();
      return (await comparison()).differing.length;
    }).toBeGreaterThan(0);
    const differing = async (token: string) =>
      (await product.call('/models/shadow', { token })).body.data.differing.length;
    expect(await differing('another-client-of-it')).toBe(0);
    expect(await differing(REVIEWER)).toBeGreaterThan(0);
  });
});

describe('deployments are refused', () => {
  afterEach(() => product.stop());

  it('without the role reviewer', async () => {
    await start();
    await startWorker();
    const forbidden = refused(403, 'FORBIDDEN', 'role reviewer');
    expect(await promote('halls-1', TOKEN)).toMatchObject(forbidden);
    expect(await put('/models/shadow', { version: null }, TOKEN)).toMatchObject(forbidden);
    const body = { version: '1.0.0' };
    expect(await product.call('/models/rollback', { method: 'POST', body })).toMatchObject(forbidden);
    expect((await product.call('/models')).body.data).toMatchObject({ may_deploy: false, history: [] });
  });

  it('for unknown versions, the current default, and versions that a worker lacks', async () => {
    await start();
    expect(await promote('nope')).toMatchObject(refused(409, 'MODEL_NOT_INSTALLED', 'No worker is running'));
    await startWorker();
    expect(await promote('nope')).toMatchObject(refused(409, 'MODEL_NOT_INSTALLED', 'nope is not installed.$'));
    expect(await shadow('nope')).toMatchObject(refused(409, 'MODEL_NOT_INSTALLED', 'nope is not installed.$'));
    expect(await promote('1.0.0')).toMatchObject(refused(409, 'MODEL_ALREADY_DEFAULT', '1.0.0'));
    expect(await shadow('1.0.0')).toMatchObject(refused(409, 'MODEL_ALREADY_DEFAULT', '1.0.0'));
    const [worker] = product.gateway.workerRegistry.warmWorkers('defectoscopy');
    const [network] = worker!.info['networks'] as string[];
    const info = { ...createFakeModel().info(), versions: ['1.0.0'], networks: [network!] };
    await product.startWorker(createFakeModel({ info: () => info }));
    await until(() => answers().length).toBe(2);
    expect(await promote('halls-1')).toMatchObject(refused(409, 'MODEL_NOT_INSTALLED', 'not installed on the worker'));

    // The files of a trained version lack the network, which may be that of several shipped versions.
    const { db } = product.context;
    for (const [version, base, sha256] of [
      ['trained-1', '0.9.0', network],
      ['trained-2', 'halls-2', 'other'],
    ]) {
      const manifest = { base: { version: base }, files: { 'backbone.onnx': { sha256 } } };
      const files = { 'manifest.json': JSON.stringify(manifest) };
      await db.query(
        `insert into defectoscopy_trainings (version, actor, files, ended_at) values ($1, 'reviewer', $2, now())`,
        [version, files],
      );
    }
    const message = 'lacks the network of the version halls-2, on which trained-2 was trained';
    expect(await promote('trained-2')).toMatchObject(refused(409, 'MODEL_NOT_INSTALLED', message));
    expect(await shadow('trained-2')).toMatchObject(refused(409, 'MODEL_NOT_INSTALLED', message));
    expect((await shadow('trained-1')).status).toBe(200);

    // An older program reports no versions and does not follow deployments.
    await product.startWorker(createFakeModel({ info: () => ({ ...info, versions: null }) }));
    await until(() => answers().length).toBe(3);
    expect(await promote('halls-1')).toMatchObject(refused(409, 'MODEL_NOT_INSTALLED', 'runs an older program'));
  });

  it('while DEFECTOSCOPY_MODEL_VERSION selects the default, here or on a worker', { tags: ['full'] }, async () => {
    await start({ DEFECTOSCOPY_MODEL_VERSION: 'own-1' });
    const pinned = refused(409, 'MODEL_PINNED', 'DEFECTOSCOPY_MODEL_VERSION makes own-1 the default');
    expect(await promote('halls-1')).toMatchObject(pinned);
    await product.stop();
    await start();
    await startWorker({ DEFECTOSCOPY_MODEL_VERSION: 'own-1' });
    expect(await promote('halls-1')).toMatchObject(pinned);
    expect(await rollBack('own-1')).toMatchObject(pinned);
    expect((await product.call('/models')).body.data).toMatchObject({ default: 'own-1', pinned: true });
    expect((await classify()).model_version).toBe('own-1');
  });

  it('for invalid requests', async () => {
    await start();
    for (const body of [{}, { version: '' }, { version: 1 }, { version: 'x'.repeat(101) }, { version: null }, []]) {
      expect((await put('/models/default', body)).status).toBe(422);
      if (!Array.isArray(body) && body.version !== null) expect((await put('/models/shadow', body)).status).toBe(422);
      expect((await product.call('/models/rollback', { method: 'POST', body, token: REVIEWER })).status).toBe(422);
    }
    for (const days of ['0', '91', 'x', '1.5']) {
      expect((await product.call(`/models/shadow?days=${days}`)).status).toBe(422);
    }
    expect(await put('/models/shadow', { version: null })).toMatchObject({
      status: 200,
      body: { data: { history: [] } },
    });
  });
});
