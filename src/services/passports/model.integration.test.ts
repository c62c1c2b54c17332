import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PDFDocument } from '@cantoo/pdf-lib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../test/support/database.ts';
import { createTestPdf, writeTempPdf } from '../../../test/support/ocr/pdf.ts';
import { requireTool } from '../../../test/support/require.ts';
import { createFolderFiles, type Files } from '../../base/files.ts';
import type { JsonObject } from '../../base/json.ts';
import { createLog } from '../../base/log.ts';
import { createPostgresTaskStore } from '../../tasks/postgres.ts';
import type { TaskStore } from '../../tasks/store.ts';
import { TaskFailure } from '../../tasks/task.ts';
import type { Model } from '../shared/service.ts';
import type { Document } from './documents.ts';
import { DRAWN_ON_REQUEST, type Extraction } from './extraction.ts';
import { OcrTimeout, type ScanReader, type ScanResult } from './model/ocr/read-scan.ts';
import { openPdf } from './model/pages/pdf.ts';
import { loadModel, MAX_PAGES } from './model.ts';
import { uprightFrame } from './page-geometry.ts';
import { findPageImage } from './page-images.ts';
import { loadSettings } from './settings.ts';
import { postgresDocumentStore } from './store/postgres.ts';

const log = createLog('silent', 'test');
const anna = { session: 'anna' };
const never = new AbortController().signal;

let database: TestDatabase;
let tasks: TaskStore & { close(): void };
let files: Files;
let folder: string;
let documents: ReturnType<typeof postgresDocumentStore>;
let model: Model;

beforeAll(async () => {
  database = await testDatabase();
  folder = await mkdtemp(join(tmpdir(), 'assay-passports-'));
  files = createFolderFiles({ dir: join(folder, 'files') });
  tasks = createPostgresTaskStore(database.db);
  documents = postgresDocumentStore({
    ...{ db: database.db, tasks, files, log },
    strictOwnership: false,
    imageTtlSeconds: 3600,
    quotaBytes: 2 ** 40,
  });
  model = await load(emptyReader);
});
afterAll(async () => {
  await model.close();
  tasks.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

/** An OCR stub that finds no text, so that tests of other parts do not wait for OCR. */
const emptyReader: ScanReader = {
  name: 'stub',
  concurrency: 2,
  read: async (_, { size }): Promise<ScanResult> => ({
    ...{ words: [], rules: [], turn: 0 },
    reading: uprightFrame(size.width, size.height, 0),
  }),
  close: async () => {},
};

const load = (reader?: ScanReader, env: Record<string, string> = {}) =>
  loadModel({
    context: { db: database.db, files, log },
    settings: loadSettings(env),
    shared: { dataDir: folder },
    ...(reader && { openReader: async () => reader }),
  });

let contents = 0;
async function begin(bytes: Buffer) {
  const { key } = await files.put(bytes, { maxBytes: 2 ** 26 });
  const newDocument = { filename: 'a.pdf', fileKey: key, sizeBytes: bytes.length, cacheKey: `content-${++contents}` };
  const [document] = await documents.create(anna, [newDocument]);
  const claimRequest = { service: 'passports', worker: 'w', limit: 1, leaseMs: 60_000 };
  const { claimed } = await tasks.completeAndClaim([], claimRequest);
  const { id, attempt, input } = claimed[0]!;
  expect(id).toBe(document!.id);
  const reports: { progress: number | undefined; checkpoint: JsonObject | undefined }[] = [];
  const job = (over: { signal?: AbortSignal; checkpoint?: JsonObject } = {}) => ({
    ...{ id, attempt, worker: claimRequest.worker, input, log },
    signal: new AbortController().signal,
    report: (progress: number | undefined, checkpoint?: JsonObject) => void reports.push({ progress, checkpoint }),
    ...over,
  });
  return { document: document as Document, job, reports };
}

async function extracted(bytes: Buffer, by = model): Promise<Extraction> {
  const { job } = await begin(bytes);
  return (await by.run(job())).result as unknown as Extraction;
}

const storedFiles = async () =>
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
const passport = (pages = 1) => createTestPdf(Array.from({ length: pages }, () => ({ content: PASSPORT })));
const values = ({ fields }: Extraction) =>
  Object.fromEntries(Object.entries(fields).map(([key, { value }]) => [key, value]));

describe('extraction', () => {
  it('reads fields with their positions from the PDF text, and stores no images of pages', async () => {
    const { document, job, reports } = await begin(passport(2));
    const result = (await model.run(job())).result as unknown as Extraction;
    expect(values(result)).toMatchObject({ 'general:year_built': 1978, 'areas:total_area': 54.3 });
    expect(result.fields['general:year_built']).toMatchObject({ source: 'text', page: 1 });
    expect(result).toMatchObject({ pages: 2, schema: { id: 'technical_passport' }, warnings: [] });
    expect(result.sheets).toMatchObject([1, 2].map(() => ({ reader: 'text', picture: DRAWN_ON_REQUEST })));
    const { fileKey } = document;
    for (const page of [1, 2]) {
      const jpeg = await findPageImage({ fileKey, extraction: result }, page, files)!.load(never);
      expect(await sharp(jpeg).metadata()).toMatchObject({ format: 'jpeg', height: 1600 });
    }
    expect(reports.map(({ progress }) => progress)).toEqual([0.475, 0.95]);
    await documents.remove(anna, document.id);
    expect(await findPageImage({ fileKey, extraction: result }, 1, files)!.load(never)).toBeUndefined();
  });

  it('reports a checkpoint with the processing time after each tenth of the pages and after long pages', {
    tags: ['full'],
  }, async () => {
    const pause = () => new Promise((resolve) => setTimeout(resolve, 1100));
    const slow = await load({ ...emptyReader, read: async (...args) => pause().then(() => emptyReader.read(...args)) });
    const { job, reports } = await begin(createTestPdf([{ content: '' }, { content: PASSPORT }]));
    await slow.run(job());
    const worked = reports.flatMap(({ checkpoint }) => checkpoint?.['worked_ms'] ?? []);
    expect(worked).toHaveLength(2);
    expect(worked[0]).toBeLessThan(1000);
    expect(worked[1]).toBeGreaterThan(1000);
  });

  it('uses OCR for a page without text, and names the OCR engine', async (context) => {
    requireTool('tesseract', context);
    const pdf = await openPdf(await writeTempPdf(passport()), { maxPages: 1, signal: AbortSignal.timeout(20_000) });
    const raster = await pdf.render(1, { dpi: 200, maxPixels: 1e7 }, AbortSignal.timeout(20_000));
    await pdf.close();
    const { width, height, channels, data } = raster;
    const photo = await sharp(data, { raw: { width, height, channels } }).jpeg({ quality: 90 }).toBuffer();
    const scan = await PDFDocument.create();
    scan.addPage([600, 800]).drawImage(await scan.embedJpg(photo), { x: 0, y: 0, width: 600, height: 800 });
    const ocrModel = await load();
    const result = await extracted(Buffer.from(await scan.save()), ocrModel).finally(() => ocrModel.close());
    expect(values(result)).toMatchObject({ 'general:year_built': 1978, 'areas:total_area': 54.3 });
    expect(result.fields['general:year_built']).toMatchObject({ source: 'ocr', page: 1 });
    expect(result.sheets[0]?.reader).toMatch(/^tesseract/);
  });
});

it('treats a page that takes too long to read as empty, and names it in a warning', { tags: ['full'] }, async () => {
  const endless = await load({ ...emptyReader, read: () => Promise.reject(new OcrTimeout(12_000)) });
  const result = await extracted(createTestPdf([{ content: '' }, { content: PASSPORT }]), endless);
  expect(values(result)).toMatchObject({ 'areas:total_area': 54.3 });
  expect(result.warnings).toEqual([{ code: 'PAGE_UNREAD', message: expect.stringMatching(/: 1\.$/) }]);
});

describe('a document without a result', () => {
  it('fails permanently if the PDF is encrypted, corrupt or too long', { tags: ['full'] }, async () => {
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
  });

  it('fails with NO_FIELDS_FOUND or UNREADABLE_SCAN if no value was found', { tags: ['full'] }, async () => {
    const letter = Array.from({ length: 8 }, (_, i) => line(700 - 30 * i, 'Dear neighbour', 'how do you do')).join('');
    const noForm = await begin(createTestPdf([{ content: letter }]));
    expect(await failure(model.run(noForm.job()))).toEqual({ code: 'NO_FIELDS_FOUND', transient: false });
    const blank = await begin(createTestPdf([{ content: '' }]));
    expect(await failure(model.run(blank.job()))).toEqual({ code: 'UNREADABLE_SCAN', transient: false });
  });

  it('fails transiently if its stored file is missing or OCR fails', { tags: ['full'] }, async () => {
    const missing = await begin(passport());
    await files.remove(missing.document.fileKey);
    expect(await failure(model.run(missing.job()))).toEqual({ code: 'STORAGE_ERROR', transient: true });
    const broken = await load({ ...emptyReader, read: () => Promise.reject(new Error('killed')) });
    const scan = await begin(createTestPdf([{ content: '' }, { content: '' }, { content: '' }]));
    expect(await failure(broken.run(scan.job()))).toEqual({ code: 'INTERNAL_ERROR', transient: true });
  });

  it('fails with TIMEOUT once the processing time of all attempts is used up', { tags: ['full'] }, async () => {
    const { job } = await begin(passport());
    const checkpoint = { worked_ms: 3_600_000 };
    expect(await failure(model.run(job({ checkpoint })))).toEqual({ code: 'TIMEOUT', transient: false });
  });
});

describe('an unavailable language model', () => {
  // Nothing listens on port 1, which only root may use.
  const unreachable = { LLM_PROVIDER: 'openai', LLM_MODEL: 'm', LLM_BASE_URL: 'http://127.0.0.1:1/v1' };

  it('adds a warning to the result', { tags: ['full'] }, async () => {
    const result = await extracted(passport(), await load(emptyReader, unreachable));
    expect(values(result)).toMatchObject({ 'areas:total_area': 54.3 });
    expect(result.warnings).toContainEqual(expect.objectContaining({ code: 'LLM_UNAVAILABLE' }));
    expect(result.engine).toMatchObject({ llm_provider: 'openai', model: 'm' });
  });

  it('fails the document transiently if LLM_REQUIRED is set', { tags: ['full'] }, async () => {
    const { job } = await begin(passport());
    const strict = await load(emptyReader, { ...unreachable, LLM_REQUIRED: 'true' });
    expect(await failure(strict.run(job()))).toEqual({ code: 'LLM_UNAVAILABLE', transient: true });
  });
});

describe('a document of a lost worker', () => {
  const read = async (from: Model, job: Parameters<Model['run']>[0]) =>
    (await from.run(job)).result as unknown as Extraction;
  const textless = [{ content: '' }, { content: PASSPORT }, { content: '' }, { content: '' }];

  /** A reader that finds one word on each page; `fail` ends the attempt instead. */
  function createReader(fail: (count: number) => boolean): ScanReader & { count: number } {
    const reader = {
      ...{ ...emptyReader, concurrency: 1, count: 0 },
      async read(_: unknown, { size }: { size: { width: number; height: number } }): Promise<ScanResult> {
        if (fail(++reader.count)) throw new Error('killed');
        const words = [{ text: `page-${reader.count}`, box: [0.1, 1 / 3, 0.2, 0.4] as const, confidence: 0.9 }];
        return { ...{ words, rules: [], turn: 0 }, reading: uprightFrame(size.width, size.height, 0) };
      },
    };
    return reader;
  }

  it('continues after the pages that were read, with the same result and no other stored files', {
    tags: ['full'],
  }, async () => {
    const { document, job, reports } = await begin(createTestPdf(textless));
    const interrupted = createReader((count) => count === 3);
    expect(await failure((await load(interrupted)).run(job()))).toMatchObject({ transient: true });
    const rest = createReader(() => false);
    const result = await read(await load(rest), job());
    // Three pages have no text; the last one was not stored.
    expect([interrupted.count, rest.count]).toEqual([3, 1]);
    expect(result).toMatchObject({ pages: 4, warnings: [] });
    expect(values(result)).toMatchObject({ 'areas:total_area': 54.3 });
    expect(reports.at(-1)?.progress).toBe(0.95);
    const pictures = new Set(result.sheets.map(({ picture }) => picture));
    expect(pictures.size).toBe(4);
    pictures.delete(DRAWN_ON_REQUEST);
    for (const picture of pictures) expect(await files.get(picture!)).toBeDefined();
    await documents.remove(anna, document.id);
    for (const picture of pictures) expect(await files.get(picture!)).toBeUndefined();
  });

  it('is read again by another OCR engine', { tags: ['full'] }, async () => {
    const { job } = await begin(createTestPdf(textless));
    await failure((await load(createReader((count) => count === 3))).run(job()));
    const other = { ...createReader(() => false), name: 'other' };
    const result = await read(await load(other), job());
    expect(result.sheets.map(({ reader }) => reader)).toEqual(['other', 'text', 'other', 'other']);
  });
});

describe('an attempt whose result is not needed any more', () => {
  it('stops when its signal aborts, and deletes its temporary files', { tags: ['full'] }, async () => {
    const stop = new AbortController();
    const waiting = await load({
      ...emptyReader,
      read: (_, { signal }) => {
        setImmediate(() => stop.abort('lost'));
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    });
    const { job } = await begin(createTestPdf([{ content: '' }]));
    await expect(waiting.run(job({ signal: stop.signal }))).rejects.toBe('lost');
  });

  it('stores no page image of a document that was deleted meanwhile', { tags: ['full'] }, async () => {
    const before = await storedFiles();
    let remove = async () => {};
    const slow = await load({
      ...emptyReader,
      async read(raster, options) {
        await remove();
        return emptyReader.read(raster, options);
      },
    });
    const { document, job } = await begin(createTestPdf([{ content: '' }]));
    remove = async () => void (await documents.remove(anna, document.id));
    expect(await failure(slow.run(job()))).toMatchObject({ transient: true });
    expect(await storedFiles()).toEqual(before);
    // A later attempt does not start either.
    expect(await failure(model.run(job()))).toMatchObject({ transient: true });
  });
});
