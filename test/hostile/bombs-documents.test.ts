import { afterAll, beforeAll, vi } from 'vitest';
import { cleanUp } from '../processes/assay.ts';
import { type PassportsAssay, startPassportsAssay } from '../processes/passports.ts';
import { type Target, tryBombs } from './bombs.ts';
import { DOCUMENTS, PASSPORT } from './bombs-documents.ts';

vi.setConfig({ testTimeout: 240_000 });

let assay: PassportsAssay;
beforeAll(async () => {
  assay = await startPassportsAssay();
}, 120_000);
afterAll(cleanUp);

let sent = 0;
/** `error_type`, or how it went well; 4xx with its code where it did not come in. */
async function ending(bytes: Buffer): Promise<string> {
  const client = await assay.signedIn();
  // What is known already would not be read again.
  const files = [{ name: 'document.pdf', bytes: Buffer.concat([bytes, Buffer.from(`\n%${++sent}\n`)]) }];
  const answer = await client.post('/upload', { files, headers: { accept: 'application/json' } });
  if (answer.status >= 400) return `${answer.status} ${answer.body.error?.code}`;
  const { status, error_type } = await assay.resultOf(client, answer.body.items[0].id, 200_000);
  return error_type ?? status;
}

const target: Target = {
  ending,
  processes: async () => ({ serve: await assay.child('serve'), work: await assay.child('work') }),
  async honest() {
    const end = await ending(PASSPORT);
    if (end !== 'SUCCESS') throw new Error(`An honest document ended as ${end}`);
  },
  // A page is read for a minute of CPU at most, by a process that may take a gigabyte, and its reader recognises it.
  most: { mebibytes: 1600, seconds: 150 },
};

tryBombs(DOCUMENTS, target);
