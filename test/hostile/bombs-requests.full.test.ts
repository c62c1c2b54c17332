import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { type Assay, cleanUp, createInstancePlace, freePort, startAssay } from '../support/processes/assay.ts';
import { createClient, TOKEN } from '../support/processes/client.ts';
import { waitUntil } from '../support/processes/until.ts';
import { testBombs } from './bombs.ts';
import { type RawRequest, REQUESTS } from './bombs-requests.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

// The gateway as a separate process with all listeners.
let database: TestDatabase;
let assay: Assay;
let ports: Record<RawRequest['to'], number>;
beforeAll(async () => {
  database = await testDatabase();
  const place = await createInstancePlace();
  ports = {
    defectoscopy: place.port,
    stt: await freePort(),
    passports: await freePort(),
    catalog: await freePort(),
  };
  const services = Object.entries(ports).map(([name, port]) => [`${name.toUpperCase()}_PORT`, String(port)]);
  const env = {
    ...Object.fromEntries(services),
    SERVICES: Object.keys(ports).join(),
    DATABASE_URL: database.url,
    STT_API_TOKENS: TOKEN,
    REPORTS_MODERATOR_TOKENS: TOKEN,
    DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0',
    STT_RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'error',
  };
  assay = startAssay(place, { args: ['serve'], env });
  for (const port of Object.values(ports)) {
    const { call } = createClient(`http://127.0.0.1:${port}`);
    await waitUntil(async () => (await call('/livez').catch(() => undefined))?.status === 200, 60_000);
  }
});
afterAll(async () => {
  await cleanUp();
  await database.drop();
});

/** Sends the bytes and returns everything received until the connection closes. */
async function send({ to, bytes }: RawRequest): Promise<string> {
  const socket = connect(ports[to], '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  // The server may reset the connection while this side is still writing.
  socket.on('error', () => {});
  socket.write(bytes);
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

/** Returns the first response's status and error code. */
function summary(answer: string): string {
  const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1];
  if (status === undefined) return `nothing: ${answer.slice(0, 100)}`;
  if (/"indexed":\d/.test(answer)) return `${status} ${/"failed":\[\]/.test(answer) ? 'indexed' : 'failed'}`;
  const kind = /"code":"(\w+)"/.exec(answer) ?? /"type":"(\w+)"/.exec(answer);
  return Number(status) < 400 || kind === null ? status : `${status} ${kind[1]}`;
}

describe('A hostile HTTP request', () =>
  testBombs(REQUESTS, {
    send: async (request) => summary(await send(request)),
    processes: async () => ({ serve: assay.pid }),
    checkService: async () => {
      const image_url = 'https://storage-1.example.com/a.jpg';
      expect((await assay.call('/predict', { body: { image_url } })).status).toBe(422);
    },
    limits: { memoryMib: 300, cpuSeconds: 10 },
  }));
