import { afterAll, beforeAll, describe, vi } from 'vitest';
import { cleanUp } from '../support/processes/assay.ts';
import { type PassportsAssay, startPassportsAssay } from '../support/processes/passports.ts';
import { type Target, testBombs } from './bombs.ts';
import { DOCUMENTS, PASSPORT } from './bombs-documents.ts';

vi.setConfig({ testTimeout: 240_000 });

let assay: PassportsAssay;
beforeAll(async () => {
  assay = await startPassportsAssay();
}, 120_000);
afterAll(cleanUp);

let uploads = 0;
/** Returns the task's `error_type` or status; for a rejected upload, the HTTP status and the error code. */
async function ending(bytes: Buffer): Promise<string> {
  const client = await assay.signedIn();
  // A unique comment prevents a cached result.
  const files = [{ name: 'document.pdf', bytes: Buffer.concat([bytes, Buffer.from(`\n%${++uploads}\n`)]) }];
  const answer = await client.post('/upload', { files, headers: { accept: 'application/json' } });
  if (answer.status >= 400) return `${answer.status} ${answer.body.error?.code}`;
  const { status, error_type } = await assay.resultOf(client, answer.body.items[0].id, 200_000);
  return error_type ?? status;
}

const target: Target = {
  send: ending,
  processes: async () => ({ serve: await assay.child('serve'), work: await assay.child('work') }),
  async checkService() {
    const result = await ending(PASSPORT);
    if (result !== 'SUCCESS') throw new Error(`A valid document ended as ${result}`);
  },
  // A page takes up to 60 s of CPU in a process limited to 1 GiB, plus OCR.
  limits: { memoryMib: 1600, cpuSeconds: 150 },
};

describe('A hostile PDF document', () => testBombs(DOCUMENTS, target));
