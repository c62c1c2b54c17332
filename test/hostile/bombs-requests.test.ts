import { connect } from 'node:net';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { type TestDatabase, testDatabase } from '../../src/base/testing/database.ts';
import { type Assay, cleanUp, freePort, newPlace, startAssay } from '../processes/assay.ts';
import { clientOf, TOKEN } from '../processes/client.ts';
import { until } from '../processes/until.ts';
import { tryBombs } from './bombs.ts';
import { REQUESTS, type Said } from './bombs-requests.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

// The real gateway, a process of its own with all its listeners.
let database: TestDatabase;
let assay: Assay;
let ports: Record<Said['to'], number>;
beforeAll(async () => {
  database = await testDatabase();
  const place = await newPlace();
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
    const { call } = clientOf(`http://127.0.0.1:${port}`);
    await until(async () => (await call('/livez').catch(() => undefined))?.status === 200, 60_000);
  }
});
afterAll(async () => {
  await cleanUp();
  await database.drop();
});

/** All that is answered until the connection ends. */
async function answerTo({ to, bytes }: Said): Promise<string> {
  const socket = connect(ports[to], '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  // Whoever is refused may be cut off while it still speaks.
  socket.on('error', () => {});
  socket.write(bytes);
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

/** The first answer's status, and what its body says is wrong. */
function summary(answer: string): string {
  const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1];
  if (status === undefined) return `nothing: ${answer.slice(0, 100)}`;
  if (/"indexed":\d/.test(answer)) return `${status} ${/"failed":\[\]/.test(answer) ? 'indexed' : 'failed'}`;
  const kind = /"code":"(\w+)"/.exec(answer) ?? /"type":"(\w+)"/.exec(answer);
  return Number(status) < 400 || kind === null ? status : `${status} ${kind[1]}`;
}

tryBombs(REQUESTS, {
  ending: async (said) => summary(await answerTo(said)),
  processes: async () => ({ serve: assay.pid }),
  honest: async () => {
    const image_url = 'https://storage-1.example.com/a.jpg';
    expect((await assay.call('/predict', { body: { image_url } })).status).toBe(422);
  },
  most: { mebibytes: 300, seconds: 10 },
});
