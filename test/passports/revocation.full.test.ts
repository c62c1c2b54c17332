import { hash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseApiKeys } from '../../src/services/passports/auth/api-keys.ts';
import { createTokens } from '../../src/services/passports/auth/tokens.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import {
  ADMIN_KEY,
  type Client,
  createPdf,
  type Passports,
  SECRET,
  startPassports,
  USER_KEY,
} from '../support/passports.ts';
import { startTcpProxy, type TcpProxy } from '../support/processes/tcp-proxy.ts';

const DAY_MS = 86_400_000;

async function startIsolated(env: Record<string, string | undefined> = {}): Promise<Passports> {
  const passports = await startPassports(env);
  onTestFinished(() => passports.stop());
  return passports;
}

async function startBehindRelay(): Promise<{ passports: Passports; relay: TcpProxy; database: TestDatabase }> {
  const database = await testDatabase();
  const { hostname: host, port } = new URL(database.url);
  const relay = await startTcpProxy({ host, port: Number(port) });
  const passports = await startPassports({ DATABASE_URL: relay.proxiedUrl(database.url) });
  onTestFinished(async () => {
    await relay.restore();
    await passports.stop();
    await relay.close();
    await database.drop();
  });
  return { passports, relay, database };
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

async function waitForEnd(stream: { text: Promise<string> }): Promise<string> {
  const late = new Promise<never>((_, reject) => setTimeout(() => reject(new Error('the stream is still open')), 5000));
  return Promise.race([stream.text, late]);
}

async function signInBrowser(passports: Passports): Promise<Client> {
  const browser = passports.client();
  expect((await browser.post('/login', { form: { api_key: USER_KEY } })).status).toBe(303);
  return browser;
}

describe('Tokens while the database does not respond', () => {
  it('return 503 on every route except /health/deep, whether revoked or not', async () => {
    const { passports, relay } = await startBehindRelay();
    const client = await passports.signIn();
    const revoked = await passports.signIn();
    await revoked.post('/logout');
    expect((await revoked.get('/api/tasks')).status).toBe(401);
    relay.hang();
    // HEAD of the stream queries the database only for the token check.
    const answers = await Promise.all(
      [client, revoked].map(({ token }) =>
        fetch(`${passports.url}/api/tasks/stream`, { method: 'HEAD', headers: bearer(token) }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([503, 503]);
    const tasks = await revoked.get('/api/tasks');
    expect([tasks.status, tasks.body.error.code]).toEqual([503, 'DATABASE_UNAVAILABLE']);
    expect(tasks.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    const health = await client.get('/health/deep');
    expect([health.status, health.body.error.code]).toEqual([503, 'DATABASE_UNAVAILABLE']);
    expect(health.body.data).toMatchObject({ database: 'error' });
    expect((await passports.client().get('/health/deep')).status).toBe(401);
  }, 60_000);
});

describe('Event streams', () => {
  it('end when their browser signs out, while those of other sessions and tokens stay open', async () => {
    const passports = await startIsolated();
    const browser = await signInBrowser(passports);
    const other = await signInBrowser(passports);
    const program = await passports.signIn();
    const stream = await openStream(passports.url, cookiesOf(browser));
    const others = await Promise.all([
      openStream(passports.url, cookiesOf(other)),
      openStream(passports.url, bearer(program.token)),
    ]);
    expect((await browser.post('/logout')).status).toBe(303);
    expect(await waitForEnd(stream)).toMatch(/event: end\ndata: \{\}\n\n$/);
    expect(others.map(({ isOpen }) => isOpen())).toEqual([true, true]);
  });

  it('end when their anonymous session signs out', async () => {
    const passports = await startIsolated();
    const browser = passports.client();
    await browser.upload(createPdf());
    const stream = await openStream(passports.url, cookiesOf(browser));
    await browser.post('/logout');
    expect(await waitForEnd(stream)).toMatch(/event: end\n/);
  });

  it('end when their token is revoked, also on another gateway', async () => {
    const passports = await startIsolated();
    const other = await startIsolated({ DATABASE_URL: passports.database.url });
    const program = await passports.signIn();
    const streams = await Promise.all([passports, other].map(({ url }) => openStream(url, bearer(program.token))));
    await program.post('/logout');
    for (const stream of streams) expect(await waitForEnd(stream)).toMatch(/event: end\n/);
  });

  it('end when their token expires', async () => {
    const passports = await startIsolated();
    const [admin] = parseApiKeys(`admin:${ADMIN_KEY}`);
    const tokens = createTokens({ keys: [], secret: SECRET, lifetimeHours: 24 });
    // Valid for 2 more of the 30 seconds of clock tolerance.
    const { token } = await tokens.issue(admin!, new Date(Date.now() - DAY_MS - 28_000));
    const lasting = await passports.signIn();
    const stream = await openStream(passports.url, bearer(token));
    const other = await openStream(passports.url, bearer(lasting.token));
    const began = performance.now();
    expect(await waitForEnd(stream)).toMatch(/event: end\n/);
    expect(performance.now() - began).toBeGreaterThan(500);
    expect(other.isOpen()).toBe(true);
    expect((await passports.client({ token }).get('/api/tasks')).status).toBe(401);
  });

  it('end when their session expires', async () => {
    const passports = await startIsolated();
    const browser = passports.client();
    await browser.upload(createPdf());
    const stream = await openStream(passports.url, cookiesOf(browser));
    const digest = hash('sha256', browser.cookies.get('bti_session_id')!, 'hex');
    await passports.database.db.query(
      `update passport_sessions set seen_at = now() - interval '32 days' where digest = $1`,
      [digest],
    );
    expect(await waitForEnd(stream)).toMatch(/event: end\n/);
  });
});
