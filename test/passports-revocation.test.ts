import { hash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type TestDatabase, testDatabase } from '../src/base/testing/database.ts';
import { apiKeysFrom } from '../src/services/passports/auth/api-keys.ts';
import { openTokens } from '../src/services/passports/auth/tokens.ts';
import { ADMIN_KEY, type Client, type Passports, pdf, SECRET, startPassports, USER_KEY } from './helpers/passports.ts';
import { type Relay, startRelay } from './processes/relay.ts';

const DAY_MS = 86_400_000;

async function started(env: Record<string, string | undefined> = {}): Promise<Passports> {
  const house = await startPassports(env);
  onTestFinished(() => house.stop());
  return house;
}

async function startedBehindRelay(): Promise<{ house: Passports; relay: Relay; database: TestDatabase }> {
  const database = await testDatabase();
  const { hostname: host, port } = new URL(database.url);
  const relay = await startRelay({ host, port: Number(port) });
  const house = await startPassports({ DATABASE_URL: relay.in(database.url) });
  onTestFinished(async () => {
    await relay.mend();
    await house.stop();
    await relay.close();
    await database.drop();
  });
  return { house, relay, database };
}

async function openStream(url: string, headers: Record<string, string>) {
  const response = await fetch(`${url}/api/tasks/stream`, { headers: { accept: 'text/event-stream', ...headers } });
  expect(response.status).toBe(200);
  let isOpen = true;
  const text = response.text().finally(() => {
    isOpen = false;
  });
  return { text, isOpen: () => isOpen };
}

const cookiesOf = ({ cookies }: Client) => ({
  cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
});
const bearer = (token: string | undefined) => ({ authorization: `Bearer ${token}` });

async function ended(stream: { text: Promise<string> }): Promise<string> {
  const late = new Promise<never>((_, reject) => setTimeout(() => reject(new Error('the stream is still open')), 5000));
  return Promise.race([stream.text, late]);
}

async function signedInBrowser(house: Passports): Promise<Client> {
  const browser = house.client();
  expect((await browser.post('/login', { form: { api_key: USER_KEY } })).status).toBe(303);
  return browser;
}

describe('Tokens while the database does not respond', () => {
  it('return 503 on every route except /health/deep, whether revoked or not', async () => {
    const { house, relay } = await startedBehindRelay();
    const client = await house.signedIn();
    const revoked = await house.signedIn();
    await revoked.post('/logout');
    expect((await revoked.get('/api/tasks')).status).toBe(401);
    relay.hang();
    // HEAD of the stream queries the database only for the token check.
    const answers = await Promise.all(
      [client, revoked].map(({ token }) =>
        fetch(`${house.url}/api/tasks/stream`, { method: 'HEAD', headers: bearer(token) }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([503, 503]);
    const tasks = await revoked.get('/api/tasks');
    expect([tasks.status, tasks.body.error.code]).toEqual([503, 'DATABASE_UNAVAILABLE']);
    expect(tasks.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    const health = await client.get('/health/deep');
    expect([health.status, health.body.error.code]).toEqual([503, 'DATABASE_UNAVAILABLE']);
    expect(health.body.data).toMatchObject({ database: 'error' });
    expect((await house.client().get('/health/deep')).status).toBe(401);
  }, 60_000);
});

describe('Event streams', () => {
  it('end when their browser signs out, while those of other sessions and tokens stay open', async () => {
    const house = await started();
    const browser = await signedInBrowser(house);
    const other = await signedInBrowser(house);
    const program = await house.signedIn();
    const stream = await openStream(house.url, cookiesOf(browser));
    const others = await Promise.all([
      openStream(house.url, cookiesOf(other)),
      openStream(house.url, bearer(program.token)),
    ]);
    expect((await browser.post('/logout')).status).toBe(303);
    expect(await ended(stream)).toMatch(/event: end\ndata: \{\}\n\n$/);
    expect(others.map(({ isOpen }) => isOpen())).toEqual([true, true]);
  });

  it('end when their anonymous session signs out', async () => {
    const house = await started();
    const browser = house.client();
    await browser.upload(pdf());
    const stream = await openStream(house.url, cookiesOf(browser));
    await browser.post('/logout');
    expect(await ended(stream)).toMatch(/event: end\n/);
  });

  it('end when their token is revoked, also on another gateway', async () => {
    const house = await started();
    const other = await started({ DATABASE_URL: house.database.url });
    const program = await house.signedIn();
    const streams = await Promise.all([house, other].map(({ url }) => openStream(url, bearer(program.token))));
    await program.post('/logout');
    for (const stream of streams) expect(await ended(stream)).toMatch(/event: end\n/);
  });

  it('end when their token expires', async () => {
    const house = await started();
    const [admin] = apiKeysFrom(`admin:${ADMIN_KEY}`);
    const tokens = openTokens({ keys: [], secret: SECRET, lifetimeHours: 24 });
    // Valid for 2 more of the 30 seconds of clock tolerance.
    const { token } = await tokens.issue(admin!, new Date(Date.now() - DAY_MS - 28_000));
    const lasting = await house.signedIn();
    const stream = await openStream(house.url, bearer(token));
    const other = await openStream(house.url, bearer(lasting.token));
    const began = performance.now();
    expect(await ended(stream)).toMatch(/event: end\n/);
    expect(performance.now() - began).toBeGreaterThan(500);
    expect(other.isOpen()).toBe(true);
    expect((await house.client({ token }).get('/api/tasks')).status).toBe(401);
  });

  it('end when their session expires', async () => {
    const house = await started();
    const browser = house.client();
    await browser.upload(pdf());
    const stream = await openStream(house.url, cookiesOf(browser));
    const digest = hash('sha256', browser.cookies.get('bti_session_id')!, 'hex');
    await house.database.db.query(
      `update passport_sessions set seen_at = now() - interval '32 days' where digest = $1`,
      [digest],
    );
    expect(await ended(stream)).toMatch(/event: end\n/);
  });
});
