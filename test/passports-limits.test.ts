import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type PageMade, pdfOf } from '../src/services/passports/model/pages/testing/pdf.ts';
import type { Client } from './helpers/passports.ts';
import { cleanUp } from './processes/assay.ts';
import { type PassportsAssay, startPassportsAssay } from './processes/passports.ts';
import { until } from './processes/until.ts';

vi.setConfig({ testTimeout: 240_000 });

let assay: PassportsAssay;
beforeAll(async () => {
  assay = await startPassportsAssay();
}, 120_000);
afterAll(cleanUp);

/** Nothing of this may need more, whatever is sent: MiB, of the gateway and the worker each. */
const BOUND = 700;
async function expectBounded(): Promise<void> {
  if (process.platform !== 'linux') return;
  const peaks = await assay.peaks();
  console.log('MiB at most so far:', JSON.stringify(peaks));
  expect(peaks.serve).toBeLessThan(BOUND);
  expect(peaks.work).toBeLessThan(BOUND);
}

const JSON_PLEASE = { accept: 'application/json' };
const line = (y: number, label: string, value: string | number) =>
  `BT /F1 14 Tf 60 ${y} Td (${label}) Tj ET\nBT /F1 14 Tf 320 ${y} Td (${value}) Tj ET\n`;
/** A document of so many pages; what stands on the last one is nowhere else. */
function passport(pages: number, year: number): PageMade[] {
  return Array.from({ length: pages }, (_, i) => ({
    content: i + 1 < pages ? line(700, 'Note', `sheet ${i + 1}`) : line(700, 'Year built', year) + line(670, 'Address', 'Hill Street 12'),
  }));
}

/** States that the stream of the session tells of a document, in order, until it has ended. */
async function watched(client: Client): Promise<(id: string) => Promise<string[]>> {
  const response = await fetch(`${assay.url}/api/tasks/stream`, {
    headers: { accept: 'text/event-stream', cookie: `bti_session_id=${client.cookies.get('bti_session_id')}` },
  });
  const stream = response.body!.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
  let told = '';
  return async (id) => {
    for (;;) {
      const events = [...told.matchAll(/^event: task\nid: \d+\ndata: (.*)$/gm)].map(([, data]) => JSON.parse(data!));
      const states = events.filter((event) => event.id === id).map(({ status }) => status as string);
      if (states.some((state) => !['PENDING', 'PROCESSING'].includes(state))) return states;
      const { done, value } = await stream.next();
      if (done) throw new Error(`the stream ended: ${told}`);
      told += value;
    }
  };
}

describe('the most pages', () => {
  it('are read to the last one, and meanwhile it is said how far; one page more is refused for good', async () => {
    const client = assay.client();
    await client.upload({ name: 'first.pdf', bytes: pdfOf(passport(1, 1950)) });
    const states = await watched(client);
    const began = performance.now();
    const [most, more] = (await client.upload(
      { name: '200.pdf', bytes: pdfOf(passport(200, 1978)) },
      { name: '201.pdf', bytes: pdfOf(passport(201, 1979)) },
    )) as [string, string];
    const shares: number[] = [];
    await until(async () => {
      const { status, progress } = (await client.get(`/api/task/${most}/status`)).body;
      if (progress !== undefined && progress !== shares.at(-1)) shares.push(progress);
      return status !== 'PENDING' && status !== 'PROCESSING';
    }, 200_000);
    const result = await assay.ended(client, most);
    console.log(`200 pages in ${Math.round(performance.now() - began) / 1000} s, ${shares.length} different shares seen`);
    expect(result).toMatchObject({ status: 'SUCCESS', pages: 200, data: { general: { year_built: 1978 } } });
    expect(result.fields['general:year_built']).toMatchObject({ page: 200 });
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(shares.filter((share) => share > 0 && share < 0.95).length).toBeGreaterThan(3);
    expect(await states(most)).toEqual(['PENDING', 'PROCESSING', 'SUCCESS']);

    expect(await assay.ended(client, more)).toMatchObject({
      status: 'PERMANENT_ERROR',
      error_type: 'PDF_TOO_MANY_PAGES',
      data: null,
    });
    expect((await (await signedInAs(client)).post(`/api/task/${more}/retry`)).status).toBe(409);
    await expectBounded();
  });
});
async function signedInAs(client: Client): Promise<Client> {
  client.token = (await assay.signedIn()).token;
  return client;
}
void sharp; void JSON_PLEASE;
