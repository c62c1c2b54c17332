import { afterAll, beforeAll, describe, vi } from 'vitest';
import { createClient } from '../support/passports.ts';
import { type Assay, cleanUp, createInstancePlace, freePort, startAssay } from '../support/processes/assay.ts';
import { createPicture, predict, waitForTask } from '../support/processes/client.ts';
import { type Target, testBombs } from './bombs.ts';
import { PICTURES } from './bombs-pictures.ts';

vi.setConfig({ testTimeout: 120_000 });

// Pictures are decoded in two places: by a worker (task) and by a gateway (upload).
let assay: Assay;
let passportsUrl: string;
beforeAll(async () => {
  const port = await freePort();
  const env = { SERVICES: 'defectoscopy,passports', PASSPORTS_PORT: String(port), LOG_LEVEL: 'warn' };
  assay = startAssay(await createInstancePlace(), { env: { ...env, DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0' } });
  passportsUrl = `http://127.0.0.1:${port}`;
  await assay.waitForOutput(/is ready/);
}, 120_000);
afterAll(cleanUp);

async function sendAsPhoto(bytes: Buffer): Promise<string> {
  const stored = await assay.call('/files', { body: bytes });
  if (stored.status !== 201) return String(stored.status);
  const accepted = await predict(assay, stored.body.data.url);
  const { status, error_code } = await waitForTask(assay, accepted.body.data.task_id);
  return error_code ?? status;
}

async function sendAsPage(bytes: Buffer): Promise<string> {
  const files = [{ name: 'page', bytes }];
  return String((await createClient(passportsUrl, undefined).post('/api/v1/upload-images', { files })).status);
}

const target: Target = {
  send: async (bytes) => `${await sendAsPhoto(bytes)}, ${await sendAsPage(bytes)}`,
  processes: async () => ({
    serve: await assay.child('serve'),
    work: await assay.child('work --service defectoscopy'),
  }),
  async checkService() {
    const result = `${await sendAsPhoto(await createPicture(1))}, ${await sendAsPage(await createPicture(1))}`;
    if (result !== 'done, 201') throw new Error(`A valid picture ended as ${result}`);
  },
  limits: { memoryMib: 400, cpuSeconds: 20 },
};

describe('A hostile picture', () => testBombs(PICTURES, target));
