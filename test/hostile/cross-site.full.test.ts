import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Db } from '../../src/base/db.ts';
import { type Catalog, MODERATOR, startCatalog } from '../support/catalog.ts';
import { ADMIN_KEY, createPdf, type Passports, startPassports, USER_KEY } from '../support/passports.ts';
import { type Product, startProduct } from '../support/product.ts';
import { requireTool } from '../support/require.ts';

// A signed-in user opens the attacker's page in the same browser. The page attacks every state-changing operation that the
// OpenAPI documents list.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let passports: Passports;
let catalog: Catalog;
let open: Product;
let attackerServer: Server;
let browser: Browser | undefined;

beforeAll(async () => {
  [passports, catalog, open] = await Promise.all([
    startPassports({ PASSPORTS_TOKEN_LIMIT_PER_MINUTE: '0' }),
    startCatalog(),
    // Without authentication, only the origin check protects a request.
    startProduct({ roles: [], env: { DEFECTOSCOPY_AUTH: 'disabled', DEFECTOSCOPY_API_TOKENS: undefined } }),
  ]);
  const script = await readFile(new URL('cross-site-page.mjs', import.meta.url));
  attackerServer = createServer(({ url }, response) => {
    if (url === '/script') response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
    else
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<!doctype html><body><script src="/script"></script>');
  }).listen(0, '127.0.0.1');
  await once(attackerServer, 'listening');
});
afterAll(async () => {
  await browser?.close();
  attackerServer.closeAllConnections();
  attackerServer.close();
  await Promise.all([passports.stop(), catalog.stop(), open.stop()]);
});

/** Hosts of the product and of the attacker's page; the ports always differ. */
const PLACES: readonly [product: string, page: string, what: string][] = [
  ['127.0.0.1', '127.0.0.1', 'another port of the same host, with Sec-Fetch-Site'],
  ['127.0.0.1', 'evil.test', 'another site, with Sec-Fetch-Site'],
  ['docs.victim.test', 'docs.victim.test', 'another port of the same host, with Origin only'],
  ['docs.victim.test', 'evil.victim.test', 'a sibling subdomain of the same site'],
];

interface Target {
  readonly method: string;
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
}

async function allRows(db: Db): Promise<string[]> {
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

/** The state-changing operations of an OpenAPI document, with the ids of existing objects. */
async function targetsAt(url: string, ids: Readonly<Record<string, string>>, more: readonly string[] = []) {
  const description = (await (await fetch(`${url}/openapi.json`)).json()) as any;
  const changing = Object.entries<any>(description.paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => ['post', 'put', 'patch', 'delete'].includes(method))
      .map((method) => ({ method: method.toUpperCase(), path })),
  );
  const all = [...changing, ...more.map((path) => ({ method: 'POST', path }))];
  return all.map(({ method, path }) => ({
    method,
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? ids['id'] ?? '1'),
  }));
}

/** Sent with every request: covers the required fields of all forms. */
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

it.for(PLACES)('The product at %s is not changed or read by a page at %s (%s)', async (place, test) => {
  const { product, attacker, context, user } = (await openVisits(test)).get(place)!;
  const targets: Target[] = user.targets.map(({ method, url }) => ({ method, url, fields: FIELDS }));
  expect(targets.length).toBeGreaterThan(20);
  const dbs = [passports.context.db, catalog.context.db, open.context.db];
  const before = await Promise.all(dbs.map(allRows));
  const cookies = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).sort();

  const attack = (name: string, on: readonly unknown[]) => attacker.evaluate(`attacks.${name}(${JSON.stringify(on)})`);
  for (const name of ['forms', 'sandboxedForms', 'fetches', 'beacons']) await attack(name, targets);
  expect(await attack('crossSiteReads', user.readable)).toEqual([]);
  expect(await attack('frames', user.readable)).toEqual([]);
  await expectNoWindow(attacker, `${product.passports}/`);

  for (const [i, db] of dbs.entries()) expect(await allRows(db)).toEqual(before[i]);
  expect((await context.cookies()).map(({ name, value }) => `${name}=${value}`).sort()).toEqual(cookies);
  await user.stillWorks();
  await context.close();
});

let openedVisits: Promise<Map<unknown, Awaited<ReturnType<typeof openVisit>>>> | undefined;
/** All users sign in before the first attack, which uses up the rate limit of the address. */
function openVisits(test: Parameters<typeof requireTool>[1]) {
  const executablePath = requireTool('chromium', test);
  openedVisits ??= (async () => {
    browser = await chromium.launch({
      executablePath,
      args: [
        ...['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
        '--host-resolver-rules=MAP *.test 127.0.0.1',
      ],
    });
    const made = new Map();
    for (const place of PLACES) made.set(place, await openVisit(browser, place));
    return made;
  })();
  return openedVisits;
}

async function openVisit(browser: Browser, [host, page]: (typeof PLACES)[number]) {
  const context = await browser.newContext();
  const at = (url: string) => url.replace('127.0.0.1', host);
  const product = { passports: at(passports.url), catalog: at(catalog.url), open: at(open.url) };
  const attacker = await context.newPage();
  await attacker.goto(`http://${page}:${(attackerServer.address() as AddressInfo).port}/`);
  return { context, product, attacker, user: await signIn(context, product) };
}

/** Signs in to both services; `readable` lists pages for signed-in users only. */
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
  }, `${createPdf().bytes}`);
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
  // 200: the open report of an earlier user.
  expect([200, 201], report.text).toContain(report.status);
  const moderatorTab = await context.newPage();
  await moderatorTab.goto(`${product.catalog}/login`);
  await moderatorTab.fill('input[name=token]', MODERATOR);
  await moderatorTab.click('form button[type=submit]');
  await moderatorTab.waitForURL((url) => !url.pathname.endsWith('/login'), { timeout: 60_000 });

  const at = async (name: 'passports' | 'catalog' | 'open', ids: Record<string, string>, more?: string[]) => {
    const own = { passports: passports.url, catalog: catalog.url, open: open.url }[name];
    return (await targetsAt(own, ids, more)).map(({ method, path }) => ({ method, url: product[name] + path }));
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
      expect((await moderatorTab.goto(`${product.catalog}/reports`))?.status()).toBeLessThan(400);
    },
  };
}

/** Checks that a window opened by the attacker's page is unreadable and loses its opener. */
async function expectNoWindow(attacker: Page, url: string): Promise<void> {
  const opened = attacker.context().waitForEvent('page');
  await attacker.evaluate(`globalThis.held = window.open(${JSON.stringify(url)}); null`);
  const popup = await opened;
  await popup.waitForURL(url);
  await expect(attacker.evaluate('held.document.title')).rejects.toThrow(/SecurityError|Blocked a frame|null/);
  // Browsers apply `Cross-Origin-Opener-Policy` only over https or on loopback.
  if (new URL(url).hostname === '127.0.0.1') {
    expect(await popup.evaluate('window.opener')).toBe(null);
    await expect.poll(() => attacker.evaluate('held.closed')).toBe(true);
  }
  await popup.close();
}
