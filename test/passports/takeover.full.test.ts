import { availableParallelism } from 'node:os';
import { PDFDocument } from '@cantoo/pdf-lib';
import sharp from 'sharp';
import { afterEach, expect, it, vi } from 'vitest';
import { openPdf } from '../../src/services/passports/model/pages/pdf.ts';
import { createTestPdf, writeTempPdf } from '../support/ocr/pdf.ts';
import { cleanUp, signalTo } from '../support/processes/assay.ts';
import { startPassportsAssay } from '../support/processes/passports.ts';
import { waitUntil } from '../support/processes/until.ts';
import { requireTool } from '../support/require.ts';

vi.setConfig({ testTimeout: 400_000 });
afterEach(cleanUp);

const PAGES = 8;

async function createScan(): Promise<Buffer> {
  const signal = AbortSignal.timeout(60_000);
  const line = (y: number, text: string) => `BT /F1 12 Tf 50 ${y} Td (${text}) Tj ET\n`;
  const filler = Array.from({ length: 8 }, (_, i) => line(600 - 18 * i, `Note ${i}: the walls are of brick, ${i} m`));
  const pages = Array.from({ length: PAGES }, (_, i) => ({
    content: `${line(700, `Year built: ${1950 + i}`)}${line(670, 'Total area: 54.3')}${filler.join('')}`,
  }));
  const digital = await openPdf(await writeTempPdf(createTestPdf(pages)), { maxPages: PAGES, signal });
  const scan = await PDFDocument.create();
  for (let page = 1; page <= PAGES; page++) {
    const { width, height, channels, data } = await digital.render(page, { dpi: 200, maxPixels: 1e7 }, signal);
    const jpeg = await sharp(data, { raw: { width, height, channels } }).jpeg({ quality: 80 }).toBuffer();
    scan.addPage([600, 800]).drawImage(await scan.embedJpg(jpeg), { x: 0, y: 0, width: 600, height: 800 });
  }
  await digital.close();
  return Buffer.from(await scan.save());
}

it('A passport worker that is killed costs at most the pages in progress: one per OCR lane', async (context) => {
  requireTool('tesseract', context);
  const assay = await startPassportsAssay({ LOG_LEVEL: 'debug' });
  const client = await assay.signedIn();
  const [id = ''] = await client.upload({ name: 'scan.pdf', bytes: await createScan() });
  const startedPages = () =>
    [...assay.output.err.matchAll(/"page":(\d+),"msg":"reading a page"/g)].map(([, page]) => Number(page));
  const progress = async () => (await client.get(`/api/task/${id}/status`)).body.progress ?? 0;
  await waitUntil(async () => (await progress()) > 0.4, 180_000);
  signalTo(await assay.child('work'), 'SIGKILL');
  const startedBefore = startedPages().length;

  const result = await assay.resultOf(client, id, 180_000);
  expect(result).toMatchObject({ status: 'SUCCESS', pages: PAGES, data: { areas: { total_area: 54.3 } } });
  const pictures = await Promise.all(result['sheets'].map(({ picture }: { picture: string }) => client.get(picture)));
  expect(pictures.map(({ status }) => status)).toEqual(Array.from({ length: PAGES }, () => 200));
  const started = startedPages();
  const twice = started.length - new Set(started).size;
  console.log(`${PAGES} pages; ${startedBefore} started before the kill; ${twice} read twice`);
  expect(new Set(started).size).toBe(PAGES);
  expect(startedBefore).toBeGreaterThanOrEqual(0.4 * PAGES);
  expect(twice).toBeLessThanOrEqual(availableParallelism());
});
