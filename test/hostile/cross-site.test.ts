import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Db } from '../../src/base/db.ts';
import { needs } from '../../src/base/testing/require.ts';
import { type Catalog, MODERATOR, startCatalog } from '../helpers/catalog.ts';
import { ADMIN_KEY, type Passports, pdf, startPassports, USER_KEY } from '../helpers/passports.ts';
import { type Product, startProduct } from '../helpers/product.ts';

// A person is signed in to the product, and opens a page of somebody else in the same browser. Everything that a page can
// make a browser do without asking is tried at every address that changes something, as the descriptions list them.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let passports: Passports;
let catalog: Catalog;
let open: Product;
let evil: Server;
let browser: Browser | undefined;

beforeAll(async () => {
  [passports, catalog, open] = await Promise.all([
    startPassports({ PASSPORTS_TOKEN_LIMIT_PER_MINUTE: '0' }),
    startCatalog(),
    // Without tokens, on purpose: then only its being a page of ours speaks for a request.
    startProduct({ roles: [], env: { DEFECTOSCOPY_AUTH: 'disabled', DEFECTOSCOPY_API_TOKENS: undefined } }),
  ]);
  const script = await readFile(new URL('cross-site-page.mjs', import.meta.url));
  evil = createServer(({ url }, response) => {
    if (url === '/script') response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
    else
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<!doctype html><body><script src="/script"></script>');
  }).listen(0, '127.0.0.1');
  await once(evil, 'listening');
});
afterAll(async () => {
  await browser?.close();
  evil.closeAllConnections();
  evil.close();
  await Promise.all([passports.stop(), catalog.stop(), open.stop()]);
});

/** Where the product is and where the page of somebody else is: hosts, the ports differ always. */
const PLACES: readonly [product: string, page: string, what: string][] = [
  ['127.0.0.1', '127.0.0.1', 'another port of the same host, in a browser that says which site asks'],
  ['127.0.0.1', 'evil.test', 'another site, in a browser that says which site asks'],
  ['docs.victim.test', 'docs.victim.test', 'another port of the same host, in a browser that says only the origin'],
  ['docs.victim.test', 'evil.victim.test', 'a sister domain, to which cookies are the same site’s'],
];

interface Target {
  readonly method: string;
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** Everything in a database but for who was seen when, and how often somebody asked. */
async function everything(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' and tablename !~ '^(workers|rate_.*)$' order by 1",
  );
  const contents = rows.map(async ({ name }) => {
    const all = await db.query<{ row: any }>(`select to_jsonb(t) as row from ${name} t`);
    return all.rows.map(
      ({ row }) => `${name} ${JSON.stringify({ ...row, seen_at: null, asked_at: null, last_used_at: null })}`,
    );
  });
  return (await Promise.all(contents)).flat().sort();
}

/** Every operation of a description that may change something, on what is really there. */
async function targetsAt(url: string, there: Readonly<Record<string, string>>, more: readonly string[] = []) {
  const description = (await (await fetch(`${url}/openapi.json`)).json()) as any;
  const changing = Object.entries<any>(description.paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => ['post', 'put', 'patch', 'delete'].includes(method))
      .map((method) => ({ method: method.toUpperCase(), path })),
  );
  const all = [...changing, ...more.map((path) => ({ method: 'POST', path }))];
  return all.map(({ method, path }) => ({
    method,
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => there[name] ?? there['id'] ?? '1'),
  }));
}

/** What is sent with each: names that the forms of the product have, so that nothing fails for want of one. */
const FIELDS = {
  ...{ name: 'stolen', 'general:address': 'stolen', api_key: USER_KEY, token: MODERATOR, days: '0', dry_run: 'false' },
  ...{ kind: 'wrong', comment: 'stolen', decision: 'rejected', note: 'stolen', q: 'stolen', query: 'stolen' },
  ...{
    record_id: 'r1',
    title: 'stolen',
    reason: 'other',
    action_type: 'delete',
    status: 'accepted',
    image_url: 'https://files.assay.internal/x',
  },
};

it.for(PLACES)('nothing is changed at %s from %s: %s', async (place, test) => {
  const { product, attacker, context, person } = (await everyVisit(test)).get(place)!;
  const targets: Target[] = person.targets.map(({ method, url }) => ({ method, url, fields: FIELDS }));
  expect(targets.length).toBeGreaterThan(20);
  const dbs = [passports.house.db, catalog.house.db, open.house.db];
  const before = await Promise.all(dbs.map(everything));
  const cookies = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).sort();

  const attack = (name: string, on: readonly unknown[]) => attacker.evaluate(`attacks.${name}(${JSON.stringify(on)})`);
  for (const name of ['forms', 'formsOfNobody', 'fetches', 'beacons']) await attack(name, targets);
  expect(await attack('reads', person.readable)).toEqual([]);
  expect(await attack('frames', person.readable)).toEqual([]);
  await expectNoWindow(attacker, `${product.passports}/`);

  for (const [i, db] of dbs.entries()) expect(await everything(db)).toEqual(before[i]);
  expect((await context.cookies()).map(({ name, value }) => `${name}=${value}`).sort()).toEqual(cookies);
  // The person is signed in as before, and the product's own page may do what was tried.
  await person.stillWorks();
  await context.close();
});

let visits: Promise<Map<unknown, Awaited<ReturnType<typeof visited>>>> | undefined;
/** Everybody signs in first: what is tried then uses up how often one address may. */
function everyVisit(test: Parameters<typeof needs>[1]) {
  const executablePath = needs('chromium', test);
  visits ??= (async () => {
    browser = await chromium.launch({
      executablePath,
      args: [
        ...['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
        '--host-resolver-rules=MAP *.test 127.0.0.1',
      ],
    });
    const made = new Map();
    for (const place of PLACES) made.set(place, await visited(browser, place));
    return made;
  })();
  return visits;
}

/** A browser of its own memory, where a person is signed in and has a page of somebody else open. */
async function visited(browser: Browser, [host, page]: (typeof PLACES)[number]) {
  const context = await browser.newContext();
  const at = (url: string) => url.replace('127.0.0.1', host);
  const product = { passports: at(passports.url), catalog: at(catalog.url), open: at(open.url) };
  const attacker = await context.newPage();
  await attacker.goto(`http://${page}:${(evil.address() as AddressInfo).port}/`);
  return { context, product, attacker, person: await signIn(context, product) };
}

/** Signs in to both services with their own pages; `readable`: what only who is signed in should see. */
async function signIn(context: BrowserContext, product: Record<'passports' | 'catalog' | 'open', string>) {
  const tab = await context.newPage();
  await tab.goto(`${product.passports}/login`);
  await tab.fill('input[name=api_key]', ADMIN_KEY);
  await tab.click('form button[type=submit]');
  await tab.waitForURL(`${product.passports}/`, { timeout: 60_000 });
  const id = await tab.evaluate(async (text) => {
    const data = new FormData();
    data.append('files', new Blob([text], { type: 'application/pdf' }), 'a.pdf');
    const answer = await fetch('/upload', { method: 'POST', body: data, headers: { accept: 'application/json' } });
    return ((await answer.json()) as any).items[0].id as string;
  }, `${pdf().bytes}`);
  await passports.succeed(id);
  const photo = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .jpeg()
    .toBuffer();
  const image = await tab.evaluate(async (base64) => {
    const data = new FormData();
    const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
    data.append('files', new Blob([bytes], { type: 'image/jpeg' }), 'a.jpg');
    const answer = await fetch('/api/v1/upload-images', { method: 'POST', body: data });
    return ((await answer.json()) as any).image_ids[0] as string;
  }, photo.toString('base64'));

  await catalog.seed([{ recordId: 'r1', title: 'A wall', text: 'cracked', attributes: {} } as never]);
  const report = await catalog.reader.post('/reports', { json: { record_id: 'r1', action_type: 'delete' } });
  // The one that is open already, from the second person on.
  expect([200, 201], report.text).toContain(report.status);
  const clerk = await context.newPage();
  await clerk.goto(`${product.catalog}/login`);
  await clerk.fill('input[name=token]', MODERATOR);
  await clerk.click('form button[type=submit]');
  await clerk.waitForURL((url) => !url.pathname.endsWith('/login'), { timeout: 60_000 });

  const at = async (name: 'passports' | 'catalog' | 'open', there: Record<string, string>, more?: string[]) => {
    const own = { passports: passports.url, catalog: catalog.url, open: open.url }[name];
    return (await targetsAt(own, there, more)).map(({ method, path }) => ({ method, url: product[name] + path }));
  };
  const targets = [
    ...(await at('passports', { id, task_id: id, image_id: image, page: '1' }, ['/login', '/logout'])),
    ...(await at('catalog', { id: report.body.id, record_id: 'r1' }, ['/login', '/logout'])),
    ...(await at('open', { task_id: '01J00000000000000000000000' })),
  ];
  const readable = [
    `${product.passports}/api/tasks`,
    `${product.passports}/`,
    `${product.passports}/task/${id}`,
    `${product.catalog}/`,
  ];
  return {
    targets,
    readable,
    async stillWorks() {
      const renamed = await tab.evaluate(async (task) => {
        const body = new URLSearchParams({ name: 'my own name' });
        return (await fetch(`/task/${task}/rename`, { method: 'POST', body, redirect: 'follow' })).status;
      }, id);
      expect(renamed).toBe(200);
      expect((await clerk.goto(`${product.catalog}/reports`))?.status()).toBeLessThan(400);
    },
  };
}

/** A window that their page opens on ours tells them nothing, and is not theirs to hold where the browser knows how. */
async function expectNoWindow(attacker: Page, url: string): Promise<void> {
  const opened = attacker.context().waitForEvent('page');
  await attacker.evaluate(`globalThis.held = window.open(${JSON.stringify(url)}); null`);
  const popup = await opened;
  await popup.waitForURL(url);
  await expect(attacker.evaluate('held.document.title')).rejects.toThrow(/SecurityError|Blocked a frame|null/);
  // Browsers keep `Cross-Origin-Opener-Policy` for what came by https, or from this machine.
  if (new URL(url).hostname === '127.0.0.1') {
    expect(await popup.evaluate('window.opener')).toBe(null);
    await expect.poll(() => attacker.evaluate('held.closed')).toBe(true);
  }
  await popup.close();
}
