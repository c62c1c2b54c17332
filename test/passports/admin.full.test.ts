import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENGINE_VERSION } from '../../src/services/passports/cache-key.ts';
import { type Client, createPdf, type Passports, startPassports, USER_KEY } from '../support/passports.ts';

let passports: Passports;
let admin: Client;
beforeAll(async () => {
  passports = await startPassports();
  admin = await passports.signIn();
});
afterAll(() => passports.stop());

const backdate = (id: string, days: number) =>
  passports.database.db.query(
    'update passport_documents set created_at = created_at - make_interval(days => $2) where id = $1',
    [id, days],
  );

describe('GET /health and /api/status', () => {
  it.each(['/health', '/api/status'])('return only status, version and uptime: %s', async (path) => {
    expect(await passports.client().get(path)).toMatchObject({
      status: 200,
      body: { status: 'ok', version: expect.stringMatching(/^\d+\.\d+\.\d+/), uptime_seconds: expect.any(Number) },
    });
  });
});

describe('GET /health/deep', () => {
  it('is healthy without a language model and without workers, unless strict=1', async () => {
    const answer = await admin.get('/health/deep');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-health')).toBe('ok');
    expect(answer.body).toEqual({
      ok: true,
      data: {
        database: 'ok',
        workers_online: 0,
        version: expect.any(String),
        llm_status: 'unconfigured',
        llm_provider: 'none',
        llm_error: null,
      },
      error: null,
    });
    for (const strict of ['1', 'true']) {
      expect(await admin.get(`/health/deep?strict=${strict}`)).toMatchObject({
        status: 503,
        body: { ok: false, data: { database: 'ok' }, error: { code: 'WORKERS_OFFLINE' } },
      });
    }
    expect((await admin.get('/health/deep?strict=0')).status).toBe(200);
    expect((await admin.get('/health/deep?strict=x')).status).toBe(422);
  });

  it('returns 503 with all other data when the language model is unavailable', async () => {
    const env = { LLM_PROVIDER: 'openai', LLM_BASE_URL: 'http://127.0.0.1:1/v1', LLM_MODEL: 'any' };
    const other = await startPassports(env);
    try {
      const answer = await (await other.signIn()).get('/health/deep');
      expect(answer).toMatchObject({
        status: 503,
        body: {
          ok: false,
          data: { database: 'ok', llm_status: 'error', llm_provider: 'openai', llm_error: expect.any(String) },
          error: { code: 'LLM_UNAVAILABLE' },
        },
      });
      expect(answer.headers.get('x-health')).toBe('warn');
      expect(answer.text).not.toContain('127.0.0.1');
      expect((await other.client().get('/metrics')).text).toContain('assay_llm_up 0');
    } finally {
      await other.stop();
    }
  });

  it('returns 503 without a database, also to a client with a token', async () => {
    const broken = await startPassports();
    const client = await broken.signIn();
    await broken.context.db.close();
    const answer = await client.get('/health/deep');
    expect(answer).toMatchObject({
      status: 503,
      body: { ok: false, data: { database: 'error', workers_online: 0 }, error: { code: 'DATABASE_UNAVAILABLE' } },
    });
    expect(answer.headers.get('x-health')).toBe('fail');
    expect((await client.get('/api/tasks')).status).toBe(503);
    expect((await broken.client().get('/health')).status).toBe(200);
    await broken.stop();
  });
});

describe('GET /api/stats/failed', () => {
  it('counts the tasks that ended in the window by state and reason, without file names', async () => {
    const client = passports.client();
    const ids = await client.upload(createPdf(), createPdf(), createPdf(), createPdf('secret name.pdf'));
    await passports.succeed(ids[0]!);
    await passports.succeed(ids[1]!);
    await passports.fail(ids[2]!, 'NO_FIELDS_FOUND');
    await passports.fail(ids[3]!, 'PDF_CORRUPT');
    const answer = await admin.get('/api/stats/failed');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      window_seconds: 3600,
      since: expect.stringMatching(/Z$/),
      total_tasks: 4,
      failed_total: 2,
      failure_rate: 0.5,
      by_status: { FAILED: 1, ERROR: 0, PERMANENT_ERROR: 1 },
      by_error_type: { NO_FIELDS_FOUND: 1, PDF_CORRUPT: 1 },
      recent: [
        { id: ids[3], status: 'PERMANENT_ERROR', error_type: 'PDF_CORRUPT', failed_at: expect.stringMatching(/Z$/) },
        { id: ids[2], status: 'FAILED', error_type: 'NO_FIELDS_FOUND', failed_at: expect.stringMatching(/Z$/) },
      ],
    });
    expect(answer.text).not.toContain('secret');
    for (const window of ['59', '86401', 'x'])
      expect((await admin.get(`/api/stats/failed?window=${window}`)).status).toBe(422);
  });
});

describe('GET /api/stats/failed with a key of the role user', () => {
  it('lists the failed tasks of its own key and session, and counts all', async () => {
    const [clerk, otherClient] = [await passports.signIn(USER_KEY), passports.client()];
    const [own, others] = [await clerk.upload(createPdf()), await otherClient.upload(createPdf())];
    for (const id of [...own, ...others]) await passports.fail(id, 'PDF_CORRUPT');
    const stats = async (client: Client) => (await client.get('/api/stats/failed')).body;
    const idsOf = ({ recent }: { recent: { id: string }[] }) => recent.map(({ id }) => id);
    const [seen, all] = [await stats(clerk), await stats(admin)];
    expect(idsOf(seen)).toEqual(own);
    expect(idsOf(all)).toEqual(expect.arrayContaining([...own, ...others]));
    expect(seen.failed_total).toBe(all.failed_total);
    // With the cookie, the session's tasks are listed too.
    const both = passports.client({ token: clerk.token });
    both.cookies.set('bti_session_id', otherClient.cookies.get('bti_session_id')!);
    expect(idsOf(await stats(both)).sort()).toEqual([...own, ...others].sort());
  });
});

describe('GET /api/stats/quality', () => {
  const read = (value: string | number, confidence: number | null) => ({
    ...{ value, confidence, source: 'text' as const, page: 1, bbox: null, text: String(value) },
  });
  /** A document with a year and two rooms; the year's confidence is in percent. */
  async function createRead(client: Client, yearPercent: number): Promise<string> {
    const [id = ''] = await client.upload(createPdf());
    await passports.succeed(id, {
      fields: {
        'general:year_built': read(1978, yearPercent / 100),
        'general:owner': read('Лебедева', null),
        'rooms:1.area': read(9.1, 0.7),
        'rooms:2.area': read(18.4, 0.95),
      },
    });
    return id;
  }
  const update = (client: Client, id: string, form: Record<string, string>) =>
    client.post(`/task/${id}/update`, { form, headers: { accept: 'application/json' } });
  const confirm = (client: Client, id: string) => client.post(`/api/task/${id}/confirm`);
  async function readStats(client: Client, query = '') {
    const { status, body } = await client.get(`/api/stats/quality${query}`);
    expect(status).toBe(200);
    const { fields, ...rest } = body;
    return { ...rest, fields: new Map<string, any>(fields.map((field: any) => [field.field, field])) };
  }
  const counts = ({ read, corrected, missed }: any) => [read, corrected, missed];

  it('counts values, corrections and additions of corrected and confirmed documents by confidence', async () => {
    const client = await passports.signIn();
    expect(await readStats(client)).toMatchObject({
      precision: 0.99,
      engine: ENGINE_VERSION,
      documents: 0,
      total: { read: 0 },
    });
    const ids: string[] = [];
    for (const percent of [30, 85, 96, 97, 100]) ids.push(await createRead(client, percent));
    await createRead(client, 10);
    for (const id of ids.slice(1)) await Promise.all([confirm(client, id), confirm(client, id)]);
    await update(client, ids[0]!, {
      'general:year_built': '1979',
      'general:owner': 'Щукин',
      'general:head': 'Гордеев',
    });
    // The last edit of a value counts: this one is right again, the other one is not.
    await update(client, ids[0]!, { 'general:owner': 'Лебедева', 'rooms:1.area': '' });
    await update(client, ids[2]!, { 'general:year_built': '1977' });

    const { fields, total, documents } = await readStats(client, '?precision=0.6');
    expect(documents).toBe(5);
    expect(counts(total)).toEqual([20, 3, 1]);
    expect(counts(fields.get('general:owner'))).toEqual([5, 0, 0]);
    expect(counts(fields.get('general:head'))).toEqual([0, 0, 1]);
    expect(counts(fields.get('rooms:area'))).toEqual([10, 1, 0]);
    expect(fields.get('general:owner').automatic).toBeNull();
    const year = fields.get('general:year_built');
    expect(year).toMatchObject({ label: 'Year built', read: 5, corrected: 2, precision: 0.6 });
    expect(year.bands).toEqual([
      { from: 0, to: 0.5, read: 1, corrected: 1, precision: 0 },
      { from: 0.5, to: 0.8, read: 0, corrected: 0, precision: null },
      { from: 0.8, to: 0.95, read: 1, corrected: 0, precision: 1 },
      { from: 0.95, to: 1, read: 3, corrected: 1, precision: 0.6667 },
    ]);
    expect(year.automatic).toEqual({ threshold: 0.3, share: 1, samples: 5 });
    const strict = (await readStats(client, '?precision=0.99')).fields;
    expect(strict.get('general:year_built').automatic).toEqual({ threshold: 0.97, share: 0.4, samples: 2 });
    expect(strict.get('rooms:area').automatic).toEqual({ threshold: 0.95, share: 0.5, samples: 5 });
    expect(strict.get('general:head').automatic).toBeNull();

    // Deleted documents remain counted.
    await client.request(`/task/${ids[4]}`, { method: 'DELETE' });
    expect(counts((await readStats(client)).total)).toEqual([20, 3, 1]);
  });

  it('counts concurrent corrections of different documents', async () => {
    const client = await passports.signIn();
    const before = (await readStats(client)).fields.get('general:year_built');
    const ids = await Promise.all([1, 2, 3, 4, 5, 6].map(() => createRead(client, 50)));
    await Promise.all(ids.flatMap((id) => [update(client, id, { 'general:year_built': '1979' }), confirm(client, id)]));
    const after = (await readStats(client)).fields.get('general:year_built');
    expect([after.read - before.read, after.corrected - before.corrected]).toEqual([6, 6]);
  });

  it.each(['0.4', '1.1', 'x'])('rejects the precision %s', async (precision) => {
    expect((await admin.get(`/api/stats/quality?precision=${precision}`)).status).toBe(422);
  });

  it('is shown on a page in both languages to signed-in users', async () => {
    const anonymous = await passports.client().get('/quality');
    expect([anonymous.status, anonymous.headers.get('location')]).toEqual([303, 'login']);
    const page = async (language: string) => (await admin.get('/quality', { 'accept-language': language })).text;
    const client = await passports.signIn();
    for (const issuer of ['БТИ', 'БТИ', 'МБТИ']) {
      const [id = ''] = await client.upload(createPdf());
      await passports.succeed(id, { fields: { 'general:issuer': read('БТИ', 0.92) } });
      if (issuer === 'БТИ') await confirm(client, id);
      else await update(client, id, { 'general:issuer': issuer });
    }
    const [english, russian] = [await page('en'), await page('ru')];
    expect(english).toMatch(/Extraction quality[\s\S]*Year built/);
    expect(english).toMatch(/Confidence 0\.8–0\.95[\s\S]*>66\.7% \(3\)</);
    expect(russian).toMatch(/Качество извлечения[\s\S]*Год постройки/);
    expect(russian).toMatch(/<option value="0\.99" selected[^>]*>99,0\u00a0%</);
    expect((await admin.get('/quality?precision=0.975')).text).toMatch(/<option value="0\.975" selected/);
    expect(russian).toMatch(/Уверенность 0,8–0,95[\s\S]*>66,7\u00a0% \(3\)</);
  });
});

describe('POST /admin/cleanup', () => {
  it('deletes documents older than `days` (default 30), and only counts them with dry_run', async () => {
    const client = passports.client();
    const ids = await client.upload(createPdf(), createPdf(), createPdf());
    await backdate(ids[0]!, 31);
    await backdate(ids[1]!, 6);
    await passports.startProcessing(ids[0]!);
    const clean = async (query = '') => (await admin.post(`/admin/cleanup${query}`)).body;
    expect(await clean('?dry_run=true')).toEqual({
      status: 'success',
      deleted_tasks: 1,
      deleted_files: 1,
      dry_run: true,
    });
    expect(await clean()).toEqual({ status: 'success', deleted_tasks: 1, deleted_files: 1 });
    expect(await clean()).toMatchObject({ deleted_tasks: 0 });
    expect(await clean('?days=5')).toMatchObject({ deleted_tasks: 1 });
    const left = (await client.get('/api/tasks')).body.items.map((item: { id: string }) => item.id);
    expect(left).toEqual([ids[2]]);
  });

  it.each(['days=0', 'days=366', 'days=x', 'days=1.5', 'dry_run=perhaps'])('rejects %s', async (query) => {
    const answer = await admin.post(`/admin/cleanup?${query}`);
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['query', query.split('=')[0]] }] } });
  });
});
