import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
