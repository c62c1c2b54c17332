import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PDFDocument } from '@cantoo/pdf-lib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Files, openFiles } from '../../base/files.ts';
import type { JsonObject } from '../../base/json.ts';
import { createLog } from '../../base/log.ts';
import { type TestDatabase, testDatabase } from '../../base/testing/database.ts';
import { needs } from '../../base/testing/require.ts';
import { postgresTaskStore } from '../../tasks/postgres.ts';
import type { TaskStore } from '../../tasks/store.ts';
import { TaskFailure } from '../../tasks/task.ts';
import type { Model } from '../service.ts';
import type { Document } from './documents.ts';
import type { Extraction } from './extraction.ts';
import { type ScanRead, type ScanReader, TooMuchToRead } from './model/ocr/read-scan.ts';
import { openPdf } from './model/pages/pdf.ts';
import { asFile, pdfOf } from './model/pages/testing/pdf.ts';
import { loadModel, MAX_PAGES } from './model.ts';
import { uprightFrame } from './page.ts';
import { readOwn } from './settings.ts';
import { postgresDocuments } from './store/postgres.ts';

const log = createLog('silent', 'test');
const anna = { session: 'anna' };

let database: TestDatabase;
let tasks: TaskStore & { close(): void };
let files: Files;
let folder: string;
let scratchDir: string;
let documents: ReturnType<typeof postgresDocuments>;
let model: Model;

beforeAll(async () => {
  database = await testDatabase();
  folder = await mkdtemp(join(tmpdir(), 'assay-passports-'));
  scratchDir = join(folder, 'scratch');
  await mkdir(scratchDir);
  files = openFiles({ dir: join(folder, 'files') });
  tasks = postgresTaskStore(database.db);
  documents = postgresDocuments({
    ...{ db: database.db, tasks, files, log },
    strictOwnership: false,
    imageTtlSeconds: 3600,
    quotaBytes: 2 ** 40,
  });
  model = await load(blind);
});
afterAll(async () => {
  await model.close();
  tasks.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

/** A reader that sees nothing: what is shown here of other things must not wait for one that does. */
const blind: ScanReader = {
  name: 'nobody',
  lanes: 2,
  read: async (_, { size }): Promise<ScanRead> => ({
    ...{ words: [], rules: [], turn: 0 },
    reading: uprightFrame(size.width, size.height, 0),
  }),
  close: async () => {},
};

const load = (reader?: ScanReader, env: Record<string, string> = {}) =>
  loadModel({
    house: { db: database.db, files, scratchDir, log },
    own: readOwn(env),
    shared: { dataDir: folder },
    ...(reader && { openReader: async () => reader }),
  });

let contents = 0;
/** Uploads a document and takes its task, as a worker would. */
async function begin(bytes: Buffer) {
  const { key } = await files.put(bytes, { maxBytes: 2 ** 26 });
  const given = { filename: 'a.pdf', fileKey: key, sizeBytes: bytes.length, cacheKey: `content-${++contents}` };
  const [document] = await documents.create(anna, [given]);
  const want = { service: 'passports', worker: 'w', limit: 1, leaseMs: 60_000 };
  const { claimed } = await tasks.advance([], want);
  const { id, attempt, input } = claimed[0]!;
  expect(id).toBe(document!.id);
  const told: { progress: number | undefined; checkpoint: JsonObject | undefined }[] = [];
  const job = (over: { signal?: AbortSignal; checkpoint?: JsonObject } = {}) => ({
    ...{ id, attempt, worker: want.worker, input, log },
    signal: new AbortController().signal,
    report: (progress: number | undefined, checkpoint?: JsonObject) => void told.push({ progress, checkpoint }),
    ...over,
  });
  return { document: document as Document, job, told };
}

async function extracted(bytes: Buffer, by = model): Promise<Extraction> {
  const { job } = await begin(bytes);
  return (await by.run(job())).result as unknown as Extraction;
}

/** What lies in the file store. */
const bytesKept = async () =>
  (await readdir(join(folder, 'files'), { recursive: true })).filter((name) => /[^/]{20}$/.test(name)).sort();

async function failure(attempt: Promise<unknown>) {
  const error = await attempt.then(
    () => 'nothing failed',
    (reason: unknown) => reason,
  );
  if (!(error instanceof TaskFailure)) throw error;
  return { code: error.code, transient: error.transient };
}

const line = (y: number, label: string, value: string) =>
  `BT /F1 14 Tf 60 ${y} Td (${label}) Tj ET\nBT /F1 14 Tf 320 ${y} Td (${value}) Tj ET\n`;
const PASSPORT =
  line(700, 'Address', 'Hill Street 12') + line(670, 'Year built', '1978') + line(640, 'Total area', '54.3');
const passport = (pages = 1) => pdfOf(Array.from({ length: pages }, () => ({ content: PASSPORT })));
const values = ({ fields }: Extraction) =>
  Object.fromEntries(Object.entries(fields).map(([key, { value }]) => [key, value]));

describe('a document becomes fields', () => {
  it('from the text that it carries, each with its place, and a picture of every page', async () => {
    const { document, job, told } = await begin(passport(2));
    const result = (await model.run(job())).result as unknown as Extraction;
    expect(values(result)).toMatchObject({ 'general:year_built': 1978, 'areas:total_area': 54.3 });
    expect(result.fields['general:year_built']).toMatchObject({ source: 'text', page: 1 });
    expect(result).toMatchObject({ pages: 2, schema: { id: 'technical_passport' }, warnings: [] });
    for (const { picture, reader } of result.sheets) {
      expect(reader).toBe('text');
      const { format, height } = await sharp(await files.get(picture!)).metadata();
      expect({ format, height }).toEqual({ format: 'jpeg', height: 1600 });
    }
    expect(told.map(({ progress }) => progress)).toEqual([0, 0.475, 0.95]);
    expect(told.at(-1)?.checkpoint?.['worked_ms']).toBeGreaterThan(0);
    expect(await readdir(scratchDir)).toEqual([]);
    await documents.remove(anna, document.id);
    for (const { picture } of result.sheets) expect(await files.get(picture!)).toBeUndefined();
  });

  it('from its looks where it carries no text, and says who read it', async (context) => {
    needs('tesseract', context);
    const pdf = await openPdf(await asFile(passport()), { maxPages: 1, signal: AbortSignal.timeout(20_000) });
    const raster = await pdf.render(1, { dpi: 200, maxPixels: 1e7 }, AbortSignal.timeout(20_000));
    await pdf.close();
    const { width, height, channels, data } = raster;
    const photo = await sharp(data, { raw: { width, height, channels } }).jpeg({ quality: 90 }).toBuffer();
    const scan = await PDFDocument.create();
    scan.addPage([600, 800]).drawImage(await scan.embedJpg(photo), { x: 0, y: 0, width: 600, height: 800 });
    const seeing = await load();
    const result = await extracted(Buffer.from(await scan.save()), seeing).finally(() => seeing.close());
    expect(values(result)).toMatchObject({ 'general:year_built': 1978, 'areas:total_area': 54.3 });
    expect(result.fields['general:year_built']).toMatchObject({ source: 'ocr', page: 1 });
    expect(result.sheets[0]?.reader).toMatch(/^tesseract/);
  });
});

it('a page that takes too long to read counts as empty, and it is said which', async () => {
  const endless = await load({ ...blind, read: () => Promise.reject(new TooMuchToRead(12_000)) });
  const result = await extracted(pdfOf([{ content: '' }, { content: PASSPORT }]), endless);
  expect(values(result)).toMatchObject({ 'areas:total_area': 54.3 });
  expect(result.warnings).toEqual([{ code: 'PAGE_UNREAD', message: expect.stringMatching(/: 1\.$/) }]);
});

describe('a document that comes to nothing', () => {
  it('is refused for good where nobody could ever read it', async () => {
    const locked = await PDFDocument.create();
    locked.addPage();
    locked.encrypt({ userPassword: 'secret' });
    const cases: [string, Buffer][] = [
      ['PDF_ENCRYPTED', Buffer.from(await locked.save())],
      ['PDF_CORRUPT', passport().subarray(0, 200)],
      ['PDF_TOO_MANY_PAGES', passport(MAX_PAGES + 1)],
    ];
    for (const [code, bytes] of cases) {
      const { job } = await begin(bytes);
      expect(await failure(model.run(job()))).toEqual({ code, transient: false });
    }
    expect(await readdir(scratchDir)).toEqual([]);
  });

  it('has no fields, or nothing that could be read', async () => {
    const letter = Array.from({ length: 8 }, (_, i) => line(700 - 30 * i, 'Dear neighbour', 'how do you do')).join('');
    const noForm = await begin(pdfOf([{ content: letter }]));
    expect(await failure(model.run(noForm.job()))).toEqual({ code: 'NO_FIELDS_FOUND', transient: false });
    const blank = await begin(pdfOf([{ content: '' }]));
    expect(await failure(model.run(blank.job()))).toEqual({ code: 'UNREADABLE_SCAN', transient: false });
  });

  it('may be tried again when its bytes are not there, or its reader fails', async () => {
    const gone = await begin(passport());
    await files.remove(gone.document.fileKey);
    expect(await failure(model.run(gone.job()))).toEqual({ code: 'STORAGE_ERROR', transient: true });
    const broken = await load({ ...blind, read: () => Promise.reject(new Error('killed')) });
    const scan = await begin(pdfOf([{ content: '' }, { content: '' }, { content: '' }]));
    expect(await failure(broken.run(scan.job()))).toEqual({ code: 'INTERNAL_ERROR', transient: true });
  });

  it('has had its time, counted over all attempts', async () => {
    const { job } = await begin(passport());
    const checkpoint = { worked_ms: 3_600_000 };
    expect(await failure(model.run(job({ checkpoint })))).toEqual({ code: 'TIMEOUT', transient: false });
  });
});

describe('a language model that is away', () => {
  // Nothing listens on this port: it is nobody's to take without being root.
  const away = { LLM_PROVIDER: 'openai', LLM_MODEL: 'm', LLM_BASE_URL: 'http://127.0.0.1:1/v1' };

  it('costs a document nothing but a warning', async () => {
    const result = await extracted(passport(), await load(blind, away));
    expect(values(result)).toMatchObject({ 'areas:total_area': 54.3 });
    expect(result.warnings).toContainEqual(expect.objectContaining({ code: 'LLM_UNAVAILABLE' }));
    expect(result.engine).toMatchObject({ llm_provider: 'openai', model: 'm' });
  });

  it('fails a document where it is required, and may be asked again', async () => {
    const { job } = await begin(passport());
    const strict = await load(blind, { ...away, LLM_REQUIRED: 'true' });
    expect(await failure(strict.run(job()))).toEqual({ code: 'LLM_UNAVAILABLE', transient: true });
  });
});

describe('an attempt that nobody waits for any more', () => {
  it('stops when it is told to, and leaves nothing behind', async () => {
    const stop = new AbortController();
    const waiting = await load({
      ...blind,
      read: (_, { signal }) => {
        setImmediate(() => stop.abort('lost'));
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    });
    const { job } = await begin(pdfOf([{ content: '' }]));
    await expect(waiting.run(job({ signal: stop.signal }))).rejects.toBe('lost');
    expect(await readdir(scratchDir)).toEqual([]);
  });

  it('keeps no picture of a document that was deleted meanwhile', async () => {
    const before = await bytesKept();
    let remove = async () => {};
    const slow = await load({
      ...blind,
      async read(raster, options) {
        await remove();
        return blind.read(raster, options);
      },
    });
    const { document, job } = await begin(pdfOf([{ content: '' }]));
    remove = async () => void (await documents.remove(anna, document.id));
    expect(await failure(slow.run(job()))).toMatchObject({ transient: true });
    expect(await bytesKept()).toEqual(before);
    // The late one begins no more either.
    expect(await failure(model.run(job()))).toMatchObject({ transient: true });
  });
});
