import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readSettings } from '../../src/base/settings.ts';
import { createModelContext } from '../../src/role-contexts.ts';
import { cleanUpTrainings } from '../../src/services/defectoscopy/deployments/trainings.ts';
import { trainedModelsDir } from '../../src/services/defectoscopy/model/registry.ts';
import { loadModel } from '../../src/services/defectoscopy/model.ts';
import { settings } from '../../src/services/defectoscopy/settings.ts';
import { addCorrections, CRACK, photos, SOUND } from '../support/corrected-photos.ts';
import { type Product, startProduct, TOKEN } from '../support/product.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const REVIEWER = 'a-reviewer-of-the-photos';
const until = (read: () => unknown) => expect.poll(read, { timeout: 120_000, interval: 50 });

let product: Product;
beforeEach(async () => {
  product = await startProduct({ env: { DEFECTOSCOPY_REVIEWER_TOKENS: REVIEWER }, roles: [] });
});
afterEach(() => product.stop());

const addPhotos = () =>
  addCorrections(product.database.db, [...photos(60, CRACK), ...photos(120, SOUND, 'sound').slice(60)]);
const train = (body: unknown = {}, token = REVIEWER) => product.call('/models/train', { method: 'POST', body, token });
const training = async () =>
  (await product.call('/models/training', { token: REVIEWER })).body.data.training as Record<string, any>;
const loadWorkerModel = async () =>
  loadModel({
    context: await createModelContext(product.context),
    serviceSettings: readSettings(settings, {}),
    shared: product.context.shared,
  });
const startWorker = async () => product.startWorker(await loadWorkerModel());
const versions = async () =>
  (await product.call('/models')).body.data.models.map(({ version }: { version: string }) => version);
const promote = (version: string) =>
  product.call('/models/default', { method: 'PUT', body: { version }, token: REVIEWER });

/** The list of versions may know the new one before every worker has reported it. */
const untilPromoted = (version: string) => until(async () => (await promote(version)).body.data?.default).toBe(version);

describe('POST /models/train', () => {
  it('trains a version in a worker and reports its figures beside those of the shipped one', async () => {
    await addPhotos();
    expect((await product.call('/models/training')).body.data).toEqual({
      ...{ may_train: false, corrected_photos: 120, minimum_photos: 25 },
    });
    const requested = await train({ version: 'corrected-1' });
    expect(requested).toMatchObject({
      status: 202,
      body: { data: { training: { version: 'corrected-1', state: 'queued', progress: 0 } } },
    });
    expect(requested.body.data.training.actor).toEqual(expect.any(String));
    expect((await product.call('/models/training')).body.data.training.actor).toBeUndefined();
    expect(await train()).toMatchObject({ status: 409, body: { error: { code: 'TRAINING_RUNNING' } } });

    await startWorker();
    await until(async () => (await training())['state']).toBe('completed');
    const { report, progress } = await training();
    expect(progress).toBe(1);
    expect(report.base).toBe('1.0.0');
    expect(report.photos.training + report.photos.held_back).toBe(120);
    const defects = report.heads.find(({ head }: { head: string }) => head === 'defects');
    expect(defects.test.photos).toBe(1263);
    expect(defects.test.accuracy.before).toBeCloseTo(0.859, 3);
    expect(defects.test.accuracy.after).toBeGreaterThan(0.8);
    expect(defects.held_back.classes.map(({ name }: { name: string }) => name)).toContain('crack');

    await until(versions).toEqual(['1.0.0', 'corrected-1']);
    expect(await train({ version: 'corrected-1' })).toMatchObject({
      status: 409,
      body: { error: { code: 'VERSION_EXISTS' } },
    });
    await untilPromoted('corrected-1');
  });

  it('installs the trained version on workers of other machines, also those that start later', async () => {
    await addPhotos();
    await train({ version: 'corrected-1' });
    const stop = await startWorker();
    await until(versions).toEqual(['1.0.0', 'corrected-1']);
    await untilPromoted('corrected-1');
    await stop();
    // As on another machine.
    await rm(join(trainedModelsDir(product.context.shared.dataDir), 'corrected-1'), { recursive: true });
    const model = await loadWorkerModel();
    expect(model.info()).toMatchObject({ model_version: 'corrected-1', problems: {} });
    await model.close();
  });

  it('repeats a training whose worker was lost, and fails it after three lost workers', async () => {
    await addPhotos();
    await train({ version: 'corrected-1' });
    const { db } = product.database;
    const lose = (attempts: number) =>
      db.query(
        `update defectoscopy_trainings set worker = 'lost', attempts = $1, leased_until = now() - interval '1 s'
          where ended_at is null`,
        [attempts],
      );
    await lose(2);
    await cleanUpTrainings(db);
    expect(await training()).toMatchObject({ state: 'in_progress' });
    const stop = await startWorker();
    await until(async () => (await training())['state']).toBe('completed');
    await stop();

    await train({ version: 'corrected-2' });
    await lose(3);
    await cleanUpTrainings(db);
    expect(await training()).toMatchObject({ state: 'failed', failure: { code: 'WORKER_LOST' } });
    expect((await train({ version: 'corrected-2' })).status).toBe(202);
  });

  it('requeues the training of a worker that stops, and fails it if no worker claims it', async () => {
    await addPhotos();
    await train({ version: 'corrected-1' });
    const model = await loadWorkerModel();
    await model.refresh!();
    expect(await training()).toMatchObject({ state: 'in_progress' });
    await model.close();
    expect(await training()).toMatchObject({ state: 'queued' });
    const { db } = product.database;
    await db.query(`update defectoscopy_trainings set requested_at = now() - interval '11 minutes'`);
    await cleanUpTrainings(db);
    expect(await training()).toMatchObject({ state: 'failed', failure: { code: 'NO_WORKER' } });
  });

  it('returns 403 without the role reviewer, 409 with few corrections and 422 for invalid names', async () => {
    expect(await train({}, TOKEN)).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } });
    expect(await train()).toMatchObject({
      status: 409,
      body: { error: { code: 'TOO_FEW_CORRECTIONS', message: expect.stringContaining('At least 25') } },
    });
    for (const version of ['', '../x', '.x', 'a'.repeat(65), 1, null])
      expect((await train({ version })).status).toBe(422);
    expect((await train([])).status).toBe(422);
  });

  it('fails the training with a message if the corrections have one class, and leaves the worker running', async () => {
    await addCorrections(product.database.db, photos(60, CRACK));
    await startWorker();
    expect((await train()).status).toBe(202);
    await until(async () => (await training())['state']).toBe('failed');
    const failure = { code: 'ONE_CLASS', message: expect.stringContaining('At least two classes') };
    expect(await training()).toMatchObject({ failure });
    expect(await versions()).toEqual(['1.0.0']);
  });

  it('keeps the last ten trainings and the deployed versions', async () => {
    const { db } = product.database;
    await db.query(
      `insert into defectoscopy_trainings (version, actor, ended_at, report, files)
       select 'v-' || n, 'reviewer', now(), '{}', '{}' from generate_series(1, 15) n`,
    );
    await db.query(
      `insert into defectoscopy_deployments (action, default_version, actor) values ('promote', 'v-2', 'r')`,
    );
    await cleanUpTrainings(db);
    const { rows } = await db.query<{ version: string }>('select version from defectoscopy_trainings order by id');
    expect(rows.map(({ version }) => version)).toEqual(['v-2', ...Array.from({ length: 10 }, (_, n) => `v-${n + 6}`)]);
  });
});
