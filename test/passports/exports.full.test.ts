import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openPdf } from '../../src/services/passports/model/pages/pdf.ts';
import { sheetsOf } from '../support/export/workbook.ts';
import {
  type Client,
  createExtraction,
  createPdf,
  type HttpResponse,
  type Passports,
  startPassports,
  USER_KEY,
} from '../support/passports.ts';

const EXCEL = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const UNKNOWN_ID = '01993f6e-2d8a-7c21-9b1e-4f6a7d0c5e12';

let passports: Passports;
let client: Client;
let id: string;
let waiting: string;
beforeAll(async () => {
  passports = await startPassports();
  const visitor = passports.client();
  [id, waiting] = (await visitor.upload(createPdf('План дома №7.pdf'), createPdf('waits.pdf'))) as [string, string];
  await passports.succeed(id);
  visitor.token = (await passports.signIn()).token;
  client = visitor;
  const form = { 'general:address': '=1+1', 'general:issue_date': '12.03.1987' };
  await client.post(`/task/${id}/update`, { form });
});
afterAll(() => passports.stop());

/** The rows of the first sheet; non-text cells have their type as prefix. */
function rowsOf(answer: HttpResponse): string[][] {
  const [rows] = sheetsOf(answer.bytes).values();
  return rows!.map((row) => row.map((cell) => cell.replace(/^text:/, '')));
}

describe('Passports exports', () => {
  it('of one task are a vertical workbook named after the document', async () => {
    const answer = await client.get(`/export/${id}/excel`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe(EXCEL);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="Passport_task.xlsx"; filename*=UTF-8''Passport_${encodeURIComponent('План дома №7')}.xlsx`,
    );
    const [header, ...rows] = rowsOf(answer);
    expect(header).toEqual(['Field', 'Value']);
    const values = Object.fromEntries(rows.map(([field, value]) => [field, value]));
    expect(values).toMatchObject({ Address: '=1+1', 'Year built': 'number:1978', 'Date of issue': 'date:1987-03-12' });
    const wide = rowsOf(await client.get(`/export/${id}/excel?layout=wide`));
    expect(wide[0]).toEqual(['Section', 'Field', 'Value', 'Confidence', 'Edited']);
    const russian = rowsOf(await client.request(`/export/${id}/excel`, { headers: { 'accept-language': 'ru' } }));
    expect(russian[0]).toEqual(['Поле', 'Значение']);
    expect(russian.map(([field]) => field)).toContain('Адрес');
  });

  it('of one task are a PDF with its fields as text', async () => {
    const answer = await client.get(`/export/${id}/pdf`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/pdf');
    expect(answer.headers.get('content-disposition')).toContain('filename="Report_task.pdf"');
    const dir = await mkdtemp(join(tmpdir(), 'assay-report-'));
    await writeFile(join(dir, 'report.pdf'), answer.bytes);
    const { signal } = new AbortController();
    const report = await openPdf(join(dir, 'report.pdf'), { maxPages: 50, signal });
    const words: string[] = [];
    for (let page = 1; page <= report.pages; page++)
      words.push(...(await report.text(page, signal)).words.map(({ text }) => text));
    await report.close();
    await rm(dir, { recursive: true });
    for (const word of ['План', '=1+1', '1987-03-12', '54.3', 'кухня']) expect(words).toContain(word);
  });

  it('of a long table do not block other requests while the PDF is created', async () => {
    const [kitchen] = Object.values(createExtraction().fields);
    const names = Array.from({ length: 3000 }, (_, row) => [`rooms:${row + 1}.name`, { ...kitchen!, value: 'кухня' }]);
    const [long] = await client.upload(createPdf());
    await passports.succeed(long!, { fields: Object.fromEntries(names) });
    let printing = true;
    const report = client.get(`/export/${long}/pdf`).finally(() => {
      printing = false;
    });
    let alive = 0;
    for (; printing; alive++) expect((await passports.client().get('/livez')).status).toBe(200);
    expect((await report).status).toBe(200);
    // Measured: at most two requests succeed if the PDF is created in the gateway's event loop.
    expect(alive).toBeGreaterThan(10);
    await client.request(`/task/${long}`, { method: 'DELETE' });
  });

  it('of a session have one row per completed document and work without any', async () => {
    const answer = await client.get('/export/session/excel');
    expect(answer.headers.get('content-disposition')).toMatch(/filename="Session_\d{4}-\d\d-\d\d\.xlsx"/);
    const [header, ...rows] = rowsOf(answer);
    expect(header!.slice(0, 3)).toEqual(['id', 'filename', 'created_at']);
    expect(rows.map((row) => row.slice(0, 2))).toEqual([[id, 'План дома №7.pdf']]);
    const newClient = passports.client();
    await newClient.upload(createPdf());
    expect(rowsOf(await newClient.get('/export/session/excel'))).toEqual([header]);
    const { rows: sessions } = await passports.database.db.query<{ session: string }>(
      'select session from passport_documents where id = $1',
      [id],
    );
    const query = `?session=${encodeURIComponent(sessions[0]!.session)}&to=2999-01-01`;
    expect(rowsOf(await newClient.get(`/export/session/excel${query}`))).toEqual([header]);
  });

  it('of all tasks are limited to administrators and filtered by date', async () => {
    const other = passports.client();
    const [second] = await other.upload(createPdf());
    await passports.succeed(second!);
    const ids = async (query = '') =>
      rowsOf(await client.get(`/export/all/excel${query}`))
        .slice(1)
        .map(([first]) => first);
    expect(await ids()).toEqual([id, second]);
    const today = new Date().toISOString().slice(0, 10);
    expect(await ids(`?from=${today}&to=${today}`)).toEqual([id, second]);
    expect(await ids('?to=2020-01-01')).toEqual([]);
    expect(await ids(`?from=${encodeURIComponent(new Date(Date.now() + 3_600_000).toISOString())}`)).toEqual([]);
    expect(await client.get('/export/all/excel?from=soon')).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['query', 'from'] }] },
    });
    for (const [query, name] of [
      ['from=2024-02-30', 'from'],
      ['to=2024-06-31', 'to'],
      ['from=2024-06-31T10:00Z', 'from'],
      ['from=2024-03-02&to=2024-03-01', 'to'],
      ['from=2024-03-01T10:00Z&to=2024-03-01T09:00Z', 'to'],
    ]) {
      const refused = await client.get(`/export/all/excel?${query}`);
      expect(refused, query).toMatchObject({ status: 422, body: { detail: [{ loc: ['query', name] }] } });
    }
    expect(await ids('?from=2024-03-01T10:00Z&to=2024-03-01')).toEqual([]);
    const clerk = await passports.signIn(USER_KEY);
    expect(await clerk.get('/export/all/excel')).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } });
    const { headers } = await client.get('/export/all/excel');
    expect(headers.get('content-disposition')).toContain(`filename="Passports_${today}.xlsx"`);
  });

  it('of many tasks are not generated for HEAD', async () => {
    const path = '/export/all/excel';
    const query = vi.spyOn(passports.context.db, 'query');
    onTestFinished(() => query.mockRestore());
    const read = () => query.mock.calls.filter(([sql]) => JSON.stringify(sql).includes('passport_documents')).length;
    const head = await client.request(path, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type'), head.text]).toEqual([200, EXCEL, '']);
    for (let i = 0; i < 10; i++) await client.get('/api/status');
    expect(read()).toBe(0);
    await client.get(path);
    expect(read()).toBeGreaterThan(0);
  });

  it.each(['excel', 'pdf'])('as %s are rejected for unfinished and unknown tasks', async (kind) => {
    expect(await client.get(`/export/${waiting}/${kind}`)).toMatchObject({
      status: 409,
      body: { error: { code: 'TASK_NOT_READY' } },
    });
    expect(await client.get(`/export/${UNKNOWN_ID}/${kind}`)).toMatchObject({
      status: 404,
      body: { error: { code: 'TASK_NOT_FOUND' } },
    });
    expect(await client.get(`/export/7/${kind}`)).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'uuid_parsing' }] },
    });
    expect((await client.get(`/export/${id}/excel?layout=tall`)).status).toBe(422);
    expect((await passports.client().get(`/export/${id}/${kind}`)).status).toBe(401);
  });

  it('have an error page for browsers', async () => {
    const headers = { accept: 'text/html' };
    const pages = [
      await client.get(`/export/${UNKNOWN_ID}/excel`, headers),
      await passports.client().get(`/export/${id}/pdf`, headers),
      await passports.client().get('/export/session/excel', headers),
      await (await passports.signIn(USER_KEY)).get('/export/all/excel', headers),
    ];
    expect(pages.map(({ status }) => status)).toEqual([404, 401, 401, 403]);
    for (const page of pages) expect(page.text).toContain('The request failed');
  });
});
