import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { PDFDocument } from '@cantoo/pdf-lib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { isAlive, processes } from '../../src/base/postgres/processes.ts';
import { openPdf } from '../../src/services/passports/model/pages/pdf.ts';
import { createTestPdf, type TestPage, writeTempPdf } from '../support/ocr/pdf.ts';
import type { Client } from '../support/passports.ts';
import { cleanUp, databaseUrl, signalTo } from '../support/processes/assay.ts';
import { type Audit, openAudit } from '../support/processes/audit.ts';
import { type PassportsAssay, startPassportsAssay } from '../support/processes/passports.ts';
import { waitUntil } from '../support/processes/until.ts';

vi.setConfig({ testTimeout: 240_000 });

let assay: PassportsAssay;
beforeAll(async () => {
  assay = await startPassportsAssay();
}, 120_000);
afterAll(cleanUp);

/** Peak memory limits in MiB; about half of it is the bare process. */
const BOUND = { serve: 400, work: 900 };
async function expectMemoryWithinBounds(): Promise<void> {
  if (process.platform !== 'linux') return;
  const peaks = await assay.peaks();
  console.log('Peak MiB so far:', JSON.stringify(peaks));
  expect(peaks.serve).toBeLessThan(BOUND.serve);
  expect(peaks.work).toBeLessThan(BOUND.work);
}

const labelledLine = (y: number, label: string, value: string | number) =>
  `BT /F1 14 Tf 60 ${y} Td (${label}) Tj ET\nBT /F1 14 Tf 320 ${y} Td (${value}) Tj ET\n`;
/** A document with `pages` pages; its values are on the last page only. */
function documentPages(pages: number, year: number): TestPage[] {
  return Array.from({ length: pages }, (_, i) => ({
    content:
      i + 1 < pages
        ? labelledLine(700, 'Note', `sheet ${i + 1}`)
        : labelledLine(700, 'Year built', year) + labelledLine(670, 'Address', 'Hill Street 12'),
  }));
}

/** Collects the states of a document from the session's event stream until a final state. */
async function watchStates(client: Client): Promise<(id: string) => Promise<string[]>> {
  const response = await fetch(`${assay.url}/api/tasks/stream`, {
    headers: { accept: 'text/event-stream', cookie: `bti_session_id=${client.cookies.get('bti_session_id')}` },
  });
  const stream = response.body!.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
  let received = '';
  const receive = async () => {
    const { done, value } = await stream.next();
    if (done) throw new Error(`the stream ended: ${received}`);
    received += value;
  };
  // Later changes are events.
  while (!received.includes('event: snapshot')) await receive();
  return async (id) => {
    for (;;) {
      const events = [...received.matchAll(/^event: task\nid: \d+\ndata: (.*)$/gm)].map(([, data]) =>
        JSON.parse(data!),
      );
      const states = events.filter((event) => event.id === id).map(({ status }) => status as string);
      if (states.some((state) => !['PENDING', 'PROCESSING'].includes(state))) return states;
      await receive();
    }
  };
}

describe('Documents with the maximum number of pages', () => {
  it('report increasing progress while OCR reads them', async () => {
    const client = assay.client();
    const bytes = await scanOf(createTestPdf(documentPages(8, 1977)), 8);
    const [id] = (await client.upload({ name: 'scanned.pdf', bytes })) as [string];
    const shares: number[] = [];
    await waitUntil(async () => {
      const { status, progress } = (await client.get(`/api/task/${id}/status`)).body;
      if (progress !== undefined && progress !== shares.at(-1)) shares.push(progress);
      return status !== 'PENDING' && status !== 'PROCESSING';
    }, 200_000);
    expect(await assay.resultOf(client, id)).toMatchObject({ status: 'SUCCESS', pages: 8 });
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(shares.filter((share) => share > 0 && share < 0.95).length).toBeGreaterThan(3);
  });

  it('are read to the last page, and one page more is a permanent error', async () => {
    const client = assay.client();
    await client.upload({ name: 'first.pdf', bytes: createTestPdf(documentPages(1, 1950)) });
    const states = await watchStates(client);
    const began = performance.now();
    const [most, more] = (await client.upload(
      { name: '200.pdf', bytes: createTestPdf(documentPages(200, 1978)) },
      { name: '201.pdf', bytes: createTestPdf(documentPages(201, 1979)) },
    )) as [string, string];
    const result = await assay.resultOf(client, most, 200_000);
    console.log(`200 pages in ${Math.round(performance.now() - began) / 1000} s`);
    expect(result).toMatchObject({ status: 'SUCCESS', pages: 200, data: { general: { year_built: 1978 } } });
    expect(result['fields']['general:year_built']).toMatchObject({ page: 200 });
    // The stream shows PENDING unless a worker takes the document at once.
    expect((await states(most)).filter((state) => state !== 'PENDING')).toEqual(['PROCESSING', 'SUCCESS']);

    expect(await assay.resultOf(client, more)).toMatchObject({
      status: 'PERMANENT_ERROR',
      error_type: 'PDF_TOO_MANY_PAGES',
      data: null,
    });
    client.token = (await assay.signedIn()).token;
    expect((await client.post(`/api/task/${more}/retry`)).status).toBe(409);
    await expectMemoryWithinBounds();
  });
});

/** A unique document with `mebibytes` MiB of unused data. */
function largePdf(name: string, year: number, mebibytes: number): { name: string; bytes: Buffer } {
  const ballast = { number: 1000, dictionary: '', body: Buffer.concat(Array(mebibytes).fill(MEBIBYTE)) };
  return { name, bytes: createTestPdf(documentPages(1, year), [ballast]) };
}
const MEBIBYTE = randomBytes(2 ** 20);

describe('Many concurrent uploads', () => {
  it('are stored in their own session in order without loss', async () => {
    const one = assay.client();
    // 180 MiB in one request, and 20 concurrent requests of 2 MiB from other clients.
    const many = Array.from({ length: 20 }, (_, i) => largePdf(`${i}.pdf`, 1900 + i, 9));
    const others = Array.from({ length: 20 }, (_, i) => ({
      client: assay.client(),
      file: largePdf('own.pdf', 1950 + i, 2),
    }));
    const began = performance.now();
    const [ids, ...single] = await Promise.all([
      one.upload(...many),
      ...others.map(async ({ client, file }) => client.upload(file)),
    ]);
    console.log(`40 documents, 220 MiB, stored in ${Math.round(performance.now() - began) / 1000} s`);
    expect(ids).toHaveLength(20);
    expect(new Set([...ids, ...single.flat()]).size).toBe(40);
    const yearsOf = async (client: Client, of: readonly string[]) => {
      const results = await Promise.all(of.map((id) => assay.resultOf(client, id, 120_000)));
      return results.map(({ data, filename }) => [filename, data.general.year_built]);
    };
    expect(await yearsOf(one, ids)).toEqual(many.map(({ name }, i) => [name, 1900 + i]));
    for (const [i, { client }] of others.entries()) {
      expect(await yearsOf(client, single[i]!)).toEqual([['own.pdf', 1950 + i]]);
      const { items } = (await client.get('/api/tasks')).body;
      expect(items.map(({ id }: { id: string }) => id)).toEqual(single[i]);
    }
    console.log(`and read after ${Math.round(performance.now() - began) / 1000} s`);
    await expectMemoryWithinBounds();
  });
});

describe('The maximum number of images', () => {
  it('is 200 in a session and 100 in a PDF; the excess is rejected by name without affecting the others', async () => {
    const client = assay.client();
    const photo = await photograph();
    const upload = async (count: number) => {
      const files = Array.from({ length: count }, (_, i) => ({ name: `Снимок ${i + 1}.jpg`, bytes: photo }));
      const answer = await client.post('/api/v1/upload-images', { files });
      expect(answer.status, answer.text).toBe(201);
      return answer.body;
    };
    const began = performance.now();
    for (const count of [50, 50, 50, 48]) expect((await upload(count)).rejected).toEqual([]);
    const last = await upload(3);
    expect(last.images.map(({ filename }: { filename: string }) => filename)).toEqual(['Снимок 1.jpg', 'Снимок 2.jpg']);
    expect(last.rejected).toMatchObject([{ filename: 'Снимок 3.jpg', error: { code: 'TOO_MANY_IMAGES' } }]);
    const ids: string[] = (await client.get('/api/v1/images')).body.image_ids;
    expect(ids).toHaveLength(200);
    console.log(`200 photos of 12 megapixels stored in ${Math.round(performance.now() - began) / 1000} s`);

    const create = (image_ids: readonly string[]) => client.post('/api/v1/create-pdf', { json: { image_ids } });
    expect(await create(ids.slice(0, 101))).toMatchObject({
      status: 400,
      body: { error: { code: 'TOO_MANY_IMAGES' } },
    });
    expect((await client.get('/api/v1/images')).body.image_ids).toEqual(ids);
    const before = await assay.storedKeys();
    const made = await create(ids.slice(0, 100));
    expect(made.status).toBe(202);
    const { task_id } = made.body;
    expect((await client.get('/api/v1/images')).body.image_ids).toEqual([]);
    expect(await assay.storedKeys()).toHaveLength(before.length - 200 + 1);

    // 1 % progress after the first page proves 100 pages; reading them all would take minutes.
    let progress = 0;
    await waitUntil(async () => {
      ({ progress = 0 } = (await client.get(`/api/task/${task_id}/status`)).body);
      return progress > 0;
    }, 60_000);
    expect((progress / 0.95) * 100).toBeCloseTo(Math.round((progress / 0.95) * 100), 6);
    expect(progress).toBeLessThan(0.1);
    client.token = (await assay.signedIn()).token;
    expect((await client.request(`/task/${task_id}`, { method: 'DELETE' })).status).toBe(200);
    const [next] = await client.upload({ name: 'next.pdf', bytes: createTestPdf(documentPages(1, 1984)) });
    expect(await assay.resultOf(client, next!)).toMatchObject({ status: 'SUCCESS' });
    // The deleted file is gone; the other document is stored, whose page image and words are in the PDF.
    await waitUntil(async () => (await assay.storedKeys()).length === before.length - 200 + 1);
    await expectMemoryWithinBounds();
  });
});

describe('Documents whose worker is killed', () => {
  it('are completed once with all values, and files of the lost attempt are deleted', async () => {
    const audit = await openAudit(await databaseUrl(assay.place));
    try {
      const client = assay.client();
      const sheets = documentPages(2, 1991);
      const scanned = await scanOf(createTestPdf(sheets), sheets.length);
      const files = [
        { name: 'digital.pdf', bytes: createTestPdf(documentPages(200, 1990)) },
        { name: 'scanned.pdf', bytes: scanned },
      ];
      const [first] = await client.upload({ name: 'first.pdf', bytes: createTestPdf(documentPages(1, 1989)) });
      await assay.resultOf(client, first!);
      const states = await watchStates(client);
      const worker = await assay.child('work');
      const before = await assay.storedKeys();
      // 200 pages with text take about a second.
      const ids = await client.upload(...files);
      await waitUntil(async () => (await audit.heldBy(worker)).length === 2);
      const progress = async (id: string) => (await client.get(`/api/task/${id}/status`)).body.progress ?? 0;
      await waitUntil(async () => (await progress(ids[0]!)) > 0.1);
      const readers = (await processes()).filter(({ parent }) => parent === worker).map(({ pid }) => pid);
      expect(readers.length).toBeGreaterThan(0);
      const began = performance.now();
      signalTo(worker, 'SIGKILL');

      const [digital, scan] = await Promise.all(ids.map((id) => assay.resultOf(client, id, 120_000)));
      console.log(`ended ${Math.round(performance.now() - began) / 1000} s after the kill`);
      expect(digital).toMatchObject({ status: 'SUCCESS', pages: 200, data: { general: { year_built: 1990 } } });
      expect(scan).toMatchObject({ status: 'SUCCESS', pages: 2, data: { general: { year_built: 1991 } } });
      expect([...(await audit.endCounts(ids)).values()]).toEqual([1, 1]);
      for (const id of ids) expect((await states(id)).filter((state) => state === 'SUCCESS')).toEqual(['SUCCESS']);
      // One picture per scanned page; those of the lost attempt are queued for deletion, except files in progress at the kill.
      const known = await audit.db.query<{ key: string; drawn: boolean }>(
        `select key, file_key = any($1) as drawn from passport_pictures
          union all select key, false from passport_files union all select key, false from passport_files_to_delete`,
        [await fileKeys(audit, ids)],
      );
      expect(known.rows.filter(({ drawn }) => drawn)).toHaveLength(2);
      const keys = new Set(known.rows.map(({ key }) => key));
      const strays = (await assay.storedKeys()).filter((key) => !keys.has(key) && !before.includes(key));
      console.log(`${strays.length} files without a database row`);
      expect(strays.length).toBeLessThanOrEqual(2 * availableParallelism());
      for (const pid of readers) await waitUntil(async () => !(await isAlive(pid)));
    } finally {
      await audit.close();
    }
  });
});

async function fileKeys({ db }: Audit, ids: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ file_key: string }>('select file_key from passport_documents where id = any($1)', [
    ids,
  ]);
  return rows.map(({ file_key }) => file_key);
}

async function scanOf(bytes: Buffer, pages: number): Promise<Buffer> {
  const signal = AbortSignal.timeout(60_000);
  const digital = await openPdf(await writeTempPdf(bytes), { maxPages: pages, signal });
  const scan = await PDFDocument.create();
  for (let page = 1; page <= pages; page++) {
    const { width, height, channels, data } = await digital.render(page, { dpi: 200, maxPixels: 1e7 }, signal);
    const jpeg = await sharp(data, { raw: { width, height, channels } }).jpeg({ quality: 80 }).toBuffer();
    scan.addPage([600, 800]).drawImage(await scan.embedJpg(jpeg), { x: 0, y: 0, width: 600, height: 800 });
  }
  await digital.close();
  return Buffer.from(await scan.save());
}

async function photograph(): Promise<Buffer> {
  const spots = { width: 16, height: 12, channels: 3 as const };
  return sharp(randomBytes(spots.width * spots.height * 3), { raw: spots })
    .resize(4000, 3000, { kernel: 'cubic' })
    .jpeg({ quality: 60 })
    .toBuffer();
}
