// `node bench/documents.mjs [--digital 160] [--scanned 12] [--each N] [--runs 3]`: pages per second of one and two workers,
// with N pages per document (20 digital or 2 scanned without the option), compared with PDFium and Tesseract alone (bare-documents.mjs) on the same pages. Input: the example as a PDF and as a
// scan at 200 dpi.
import './help.mjs';
import { readFile, writeFile } from 'node:fs/promises';
import { PDFDocument } from '@cantoo/pdf-lib';
import sharp from 'sharp';
import { compare, openBench, option } from './lib.mjs';
import { requirePrograms } from './require-programs.mjs';

requirePrograms('tesseract');

const DIGITAL = { pages: option('digital', 160), each: option('each', 20) };
const SCANNED = { pages: option('scanned', 12), each: option('each', 2) };
// Per request.
const MAX_FILES = 20;
const KEY = 'bench-key-1234567890';
const { signal } = new AbortController();

const bench = await openBench();
Object.assign(bench.env, { PASSPORTS_PORT: '0', PASSPORTS_API_KEYS: `bench:${KEY}`, SERVICES: 'passports' });
try {
  const { openPdf } = await import('../dist/services/passports/model/pages/pdf.js');
  const example = await readFile(new URL('../examples/passport.pdf', import.meta.url));
  const { message } = await bench.start('serve');
  const url = message.listening.passports;
  const { token } = await json('/auth/token', { 'content-type': 'application/json' }, JSON.stringify({ api_key: KEY }));
  const bare = await bench.startBare('bare-documents.mjs');

  const kinds = {
    digital: { ...DIGITAL, bytes: await repeated(example, DIGITAL.each) },
    scanned: { ...SCANNED, bytes: await scanned(example, SCANNED.each) },
  };
  const runs = option('runs', 3);
  for (const workers of [1, 2]) {
    await bench.start('work', '--service', 'passports');
    for (const [kind, { bytes, pages, each }] of Object.entries(kinds)) {
      const documents = Math.max(1, Math.round(pages / each));
      const request = await baselineInput(kind, bytes, { documents, each });
      await processDocuments(bytes, 1);
      await runBaseline(request);
      await compare(`documents: ${kind} pages per second, ${documents * each} pages, ${workers} worker(s)`, {
        runs,
        bare: () => runBaseline(request),
        product: () => processDocuments(bytes, documents),
      });
    }
  }
  bare.child.disconnect();

  async function runBaseline(request) {
    bare.child.send(request);
    const { perSecond } = await new Promise((resolve) => bare.child.once('message', resolve));
    return perSecond;
  }

  /** The same pages for the baseline. Images are rendered before the measurement, at OCR resolution. */
  async function baselineInput(kind, bytes, { documents, each }) {
    const path = `${bench.dataDir}/${kind}.pdf`;
    await writeFile(path, bytes);
    const request = { pages: documents * each };
    if (kind === 'digital') return { ...request, documents: Array(documents).fill(path) };
    const pictures = [];
    for (const [i, picture] of (await renderPages(path, each, 300)).entries()) {
      pictures.push(`${bench.dataDir}/${i}.png`);
      await picture.grayscale().png({ compressionLevel: 1 }).toFile(pictures.at(-1));
    }
    return { ...request, pictures: Array(documents).fill(pictures).flat() };
  }

  /** Uploads distinct copies; returns pages per second from the first start to the last end. */
  async function processDocuments(bytes, count) {
    const ids = [];
    for (let first = 0; first < count; first += MAX_FILES) {
      const form = new FormData();
      for (let i = first; i < Math.min(count, first + MAX_FILES); i++)
        form.append('files', new Blob([bytes, `\n%${Math.random()}`]), `${i}.pdf`);
      const { items } = await json('/upload', { accept: 'application/json', authorization: `Bearer ${token}` }, form);
      ids.push(...items.map(({ id }) => id));
    }
    for (;;) {
      const { rows } = await bench.db.query(
        `select count(*) filter (where status = 'done')::int as done, count(*) filter (where status = 'failed')::int as failed,
                sum((result ->> 'pages')::int)::float8 / extract(epoch from max(finished_at) - min(started_at))::float8 as per_second
           from tasks where id = any($1)`,
        [ids],
      );
      const [{ done, failed, per_second }] = rows;
      if (failed > 0) throw new Error(`${failed} documents failed.`);
      if (done === count) return Number(per_second);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  async function json(path, headers, body) {
    const response = await fetch(url + path, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  async function renderPages(path, pages, dpi) {
    const document = await openPdf(path, { maxPages: 200, signal });
    const pictures = [];
    for (let page = 1; page <= pages; page++) {
      const { data, width, height, channels } = await document.render(page, { dpi, maxPixels: 2e7 }, signal);
      pictures.push(sharp(Buffer.from(data), { raw: { width, height, channels } }));
    }
    await document.close();
    return pictures;
  }

  async function repeated(bytes, pages) {
    const [source, document] = [await PDFDocument.load(bytes), await PDFDocument.create()];
    for (let page = 0; page < pages; page++) {
      const [copy] = await document.copyPages(source, [page % source.getPageCount()]);
      document.addPage(copy);
    }
    return Buffer.from(await document.save());
  }

  async function scanned(bytes, pages) {
    const path = `${bench.dataDir}/example.pdf`;
    await writeFile(path, bytes);
    const document = await PDFDocument.create();
    for (const picture of await renderPages(path, pages, 200)) {
      const sheet = await document.embedJpg(await picture.jpeg({ quality: 80 }).toBuffer());
      document.addPage([595, 842]).drawImage(sheet, { x: 0, y: 0, width: 595, height: 842 });
    }
    return Buffer.from(await document.save());
  }
} finally {
  await bench.close();
}
