import { hash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startCatalog } from '../support/catalog.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { createClient, startPassports } from '../support/passports.ts';
import { type CommandResult, runAssay } from '../support/processes/run-assay.ts';
import { type Product, startProduct, TOKEN } from '../support/product.ts';

// These tests start real processes.
vi.setConfig({ testTimeout: 120_000 });

let folder: string;
let one: Product;
let other: Product;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-tokens-'));
  one = await startProduct({ roles: [] });
  // A second gateway that shares only the database.
  other = await startProduct({ roles: [], env: { DATABASE_URL: one.database.url } });
}, 120_000);
afterAll(async () => {
  await other.stop();
  await one.stop();
  await rm(folder, { recursive: true });
});

const tokens = (url: string, args: readonly string[], env: Record<string, string> = {}): Promise<CommandResult> =>
  runAssay(['tokens', ...args], { cwd: folder, env: { DATABASE_URL: url, APP_ENV: 'test', ...env } });

const create = async (url: string, ...args: string[]) => {
  const { code, out, err } = await tokens(url, ['create', ...args]);
  expect({ code, err }).toMatchObject({ code: 0 });
  return { token: out.trimEnd(), err };
};

const PHOTO = { image_url: 'https://storage-1.example.com/photo.jpg' };
const predict = async (product: Product, token: string) =>
  (await product.call('/predict', { method: 'POST', body: PHOTO, token })).status;
const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 10_000, interval: 50 });

describe('assay tokens create', () => {
  it('prints the token once; every gateway accepts it without a restart, and only its digest is stored', async () => {
    const { url, db } = one.database;
    const { token, err } = await create(url, '--service', 'defectoscopy', '--name', 'acme');
    expect(token).toMatch(/^assay_defectoscopy_[A-Za-z0-9_-]{43}$/);
    expect(err).toContain('only its digest is stored');
    for (const gateway of [one, other]) await eventually(async () => expect(await predict(gateway, token)).toBe(202));
    expect(await predict(one, TOKEN)).toBe(202);

    const { rows } = await db.query<{ row: string; digest: string }>(
      'select t::text as row, digest from access_tokens t',
    );
    expect(rows.map(({ digest }) => digest)).toEqual([hash('sha256', token, 'hex')]);
    expect(JSON.stringify(rows)).not.toContain(token.slice(-20));
    const { rows: tasks } = await db.query('select from tasks where principal = $1', [
      `token-${hash('sha256', token, 'hex').slice(0, 12)}`,
    ]);
    expect(tasks.length).toBeGreaterThan(0);
  });

  it('prints all properties with --json, including the expiry', async () => {
    const { url } = one.database;
    const args = ['--service', 'stt', '--name', 'brief', '--expires', '90d'];
    const { token: json } = await create(url, ...args, '--json');
    const created = JSON.parse(json);
    expect(created).toMatchObject({ service: 'stt', name: 'brief', role: 'client' });
    expect(created.principal).toBe(`token-${hash('sha256', created.token, 'hex').slice(0, 12)}`);
    expect(Date.parse(created.expires_at) - Date.now()).toBeGreaterThan(89 * 86_400_000);
  });

  it('rejects invalid input with one line', { tags: ['full'] }, async () => {
    await create(one.database.url, '--service', 'stt', '--name', 'taken');
    const cases: [args: string[], sentence: RegExp][] = [
      [['--service', 'stt', '--name', 'taken'], /already has a token named taken/],
      [['--service', 'stt', '--name', 'a b'], /--name must be/],
      [['--service', 'sst', '--name', 'a'], /Unknown service sst\. Services: defectoscopy, stt/],
      [['--service', 'catalog', '--name', 'a', '--role', 'king'], /reader or moderator, not king/],
      [['--service', 'stt', '--name', 'a', '--expires', 'soon'], /like 90d, 12h or 30m, not soon/],
      [['--service', 'stt', '--name', 'a', '--expires', '0d'], /not 0d/],
      [['--service', 'stt'], /--name <name>' not specified/],
    ];
    await Promise.all(
      cases.map(async ([args, message]) => {
        const { code, out, err } = await tokens(one.database.url, ['create', ...args]);
        expect({ code, out }).toEqual({ code: 2, out: '' });
        expect(err).toMatch(message);
        expect(err.trimEnd().split('\n')).toHaveLength(1);
      }),
    );
  });

  it('warns when authorization is disabled, which stays disabled', { tags: ['full'] }, async () => {
    const { url } = one.database;
    const open = await startProduct({
      roles: [],
      env: { DATABASE_URL: url, DEFECTOSCOPY_API_TOKENS: '', DEFECTOSCOPY_API_TOKEN: '' },
    });
    onTestFinished(() => open.stop());
    const args = ['create', '--service', 'defectoscopy', '--name', 'idle'];
    const { code, err } = await tokens(url, args, { DEFECTOSCOPY_API_TOKENS: '', DEFECTOSCOPY_API_TOKEN: '' });
    expect(code).toBe(0);
    expect(err).toContain('It has no effect at present: authorization is disabled');
    expect((await open.call('/predict', { method: 'POST', body: PHOTO, token: null })).status).toBe(202);
  });

  it('gives the tasks of all tokens with one --owner that owner, and rejects an invalid owner', async () => {
    const { url, db } = one.database;
    for (const name of ['upload-1', 'upload-2']) {
      const { token } = await create(url, '--service', 'defectoscopy', '--name', name, '--owner', 'clinic');
      await eventually(async () => expect(await predict(other, token)).toBe(202));
    }
    const { rows } = await db.query<{ n: number }>(
      `select count(distinct principal)::int as n from tasks where owner = 'clinic'`,
    );
    expect(rows).toEqual([{ n: 2 }]);
    expect((await tokens(url, ['list'])).out).toMatch(/upload-1 +defectoscopy +client +clinic /);
    const refused = await tokens(url, ['create', '--service', 'stt', '--name', 'x', '--owner', 'a b']);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('--owner must be 1 to 64 letters') });
  });
});

it('A service without tokens returns 503 until one is created, and again after its revocation', {
  tags: ['full'],
}, async () => {
  const bare = await startProduct({ roles: [], env: { DEFECTOSCOPY_API_TOKENS: undefined } });
  onTestFinished(() => bare.stop());
  const { url } = bare.database;
  const auth = async () => (await bare.call('/ready')).body.data.auth;
  expect(await predict(bare, 'anything')).toBe(503);
  expect(await auth()).toBe('unconfigured');

  const { token } = await create(url, '--service', 'defectoscopy', '--name', 'first');
  await eventually(async () => expect(await predict(bare, token)).toBe(202));
  expect(await predict(bare, 'anything')).toBe(401);
  expect(await auth()).toBe('enforced');

  await tokens(url, ['revoke', 'first']);
  await eventually(async () => expect(await predict(bare, token)).toBe(503));
});

describe('assay tokens revoke and list', () => {
  it('reject a revoked token on every gateway, while other tokens stay valid', async () => {
    const { url } = one.database;
    const { token } = await create(url, '--service', 'defectoscopy', '--name', 'leaver');
    const { token: otherToken } = await create(url, '--service', 'defectoscopy', '--name', 'stays');
    for (const gateway of [one, other]) await eventually(async () => expect(await predict(gateway, token)).toBe(202));

    expect(await tokens(url, ['revoke', 'leaver'])).toMatchObject({
      code: 0,
      out: 'Revoked leaver of defectoscopy; all listeners reject it within two seconds.\n',
    });
    for (const gateway of [one, other]) await eventually(async () => expect(await predict(gateway, token)).toBe(401));
    for (const gateway of [one, other]) expect(await predict(gateway, otherToken)).toBe(202);
  });

  it('reject an expired token and list it as such', { tags: ['full'] }, async () => {
    const { url, db } = one.database;
    const { token } = await create(url, '--service', 'defectoscopy', '--name', 'short', '--expires', '1h');
    await eventually(async () => expect(await predict(one, token)).toBe(202));
    await db.query(`update access_tokens set expires_at = now() where name = 'short'`);
    await eventually(async () => expect(await predict(one, token)).toBe(401));
    const { out } = await tokens(url, ['list', '--service', 'defectoscopy']);
    expect(out).toMatch(/^short +defectoscopy +client +- +token-[0-9a-f]{12} +\d{4}-\d\d-\d\d \d\d:\d\dZ +expired$/m);
  });

  it('list name, service and times, and never a token', async () => {
    const { url } = one.database;
    const { token } = await create(url, '--service', 'catalog', '--name', 'listed', '--role', 'moderator');
    const { out } = await tokens(url, []);
    expect(out).toMatch(/^NAME +SERVICE +ROLE +OWNER +IN LOGS +CREATED +EXPIRES$/m);
    expect(out).toMatch(/^listed +catalog +moderator +- +token-[0-9a-f]{12} +\d{4}-\S+ \S+ +never$/m);
    const json = JSON.parse((await tokens(url, ['list', '--json'])).out);
    const found = json.tokens.find(({ name }: { name: string }) => name === 'listed');
    expect(found).toMatchObject({ service: 'catalog', role: 'moderator', created_at: expect.stringMatching(/Z$/) });
    expect(out + JSON.stringify(json)).not.toContain(token.slice(-20));
    expect(out + JSON.stringify(json)).not.toContain(hash('sha256', token, 'hex').slice(0, 20));
  });

  it('report unknown and ambiguous names in one line', { tags: ['full'] }, async () => {
    const { url } = one.database;
    expect(await tokens(url, ['revoke', 'nobody'])).toMatchObject({
      code: 2,
      err: 'No token named nobody was issued; see `node scripts/assay.mjs tokens list`.\n',
    });
    for (const service of ['stt', 'passports']) await create(url, '--service', service, '--name', 'both');
    const rejected = await tokens(url, ['revoke', 'both']);
    expect(rejected).toMatchObject({
      code: 2,
      err: 'Several services have a token named both: passports, stt. Specify one with --service.\n',
    });
    expect(await tokens(url, ['revoke', 'both', '--service', 'stt'])).toMatchObject({ code: 0 });
    expect(await tokens(url, ['revoke', 'both'])).toMatchObject({ code: 0, out: expect.stringContaining('passports') });
  });
});

describe('An API key of passports', () => {
  it('is exchanged for tokens; its revocation ends them and their event streams immediately', async () => {
    const passports = await startPassports({ PASSPORTS_API_KEYS: '' });
    onTestFinished(() => passports.stop());
    const { url } = passports.database;
    const client = passports.client();
    const exchange = (key: string) => client.post('/auth/token', { json: { api_key: key } });
    expect((await exchange('some-key-123')).status).toBe(503);

    const { token: key } = await create(url, '--service', 'passports', '--name', 'clerk');
    await eventually(async () => expect((await exchange(key)).status).toBe(200));
    const clerk = createClient(passports.url, (await exchange(key)).body.token);
    expect((await clerk.get('/api/tasks')).status).toBe(200);
    expect((await clerk.get('/export/all/excel')).status).toBe(403);

    const stream = await fetch(`${passports.url}/api/tasks/stream`, {
      headers: { authorization: `Bearer ${clerk.token}` },
    });
    const streamText = stream.text();
    expect(await tokens(url, ['revoke', 'clerk'])).toMatchObject({ code: 0 });
    await eventually(async () => expect((await clerk.get('/api/tasks')).status).toBe(401));
    expect(await streamText).toMatch(/event: end\n/);
    expect((await exchange(key)).status).toBe(503);
  });
});

describe('A token of the catalog', () => {
  it('is for readers by default, and its revocation signs its browsers out', { tags: ['full'] }, async () => {
    const catalog = await startCatalog();
    onTestFinished(() => catalog.stop());
    const { url } = catalog.database;
    const { token: reads } = await create(url, '--service', 'catalog', '--name', 'reads');
    const { token: decides } = await create(url, '--service', 'catalog', '--name', 'decides', '--role', 'moderator');
    const queue = async (token: string) => (await createClient(catalog.url, token).get('/admin/reports')).status;
    await eventually(async () => expect(await queue(decides)).toBe(200));
    expect(await queue(reads)).toBe(403);

    const browser = catalog.client();
    const signedIn = await browser.post('/login', {
      form: { token: decides },
      headers: { accept: 'application/json' },
    });
    expect(signedIn.body).toEqual({ status: 'ok', role: 'moderator' });
    expect((await browser.get('/admin/reports')).status).toBe(200);
    await tokens(url, ['revoke', 'decides']);
    await eventually(async () => expect((await browser.get('/admin/reports')).status).toBe(401));
    expect((await createClient(catalog.url, reads).get('/search')).status).toBe(200);
  });
});

it('assay tokens uses the database of the service and ignores tokens of other services there, as in a copied database', {
  tags: ['full'],
}, async () => {
  const [shared, speech] = await Promise.all([testDatabase(), testDatabase()]);
  onTestFinished(async () => {
    await Promise.all([shared.drop(), speech.drop()]);
  });
  await create(speech.url, '--service', 'catalog', '--name', 'copy');
  const env = { STT_DATABASE_URL: speech.url };
  const run = async (...args: string[]) => (await tokens(shared.url, args, env)).out;
  await run('create', '--service', 'stt', '--name', 'voice');
  await run('create', '--service', 'catalog', '--name', 'reader');
  const namesIn = async ({ db }: TestDatabase) =>
    (await db.query<{ name: string }>('select name from access_tokens order by name')).rows.map(({ name }) => name);
  expect([await namesIn(shared), await namesIn(speech)]).toEqual([['reader'], ['copy', 'voice']]);
  const listed = JSON.parse(await run('list', '--json')).tokens as { name: string }[];
  expect(listed.map(({ name }) => name).sort()).toEqual(['reader', 'voice']);
  const outage = { DATABASE_URL: 'postgres://127.0.0.1:1/nowhere' };
  const revoked = await tokens(shared.url, ['revoke', 'voice', '--service', 'stt'], { ...env, ...outage });
  expect(revoked.out).toContain('Revoked voice of stt');
  expect(await namesIn(speech)).toEqual(['copy']);
  expect(await run('revoke', 'reader')).toContain('Revoked reader of catalog');
});
