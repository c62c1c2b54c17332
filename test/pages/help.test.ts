import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SearchData } from '../../src/ui/help/browser/search.ts';
import { type Product, startProduct, TOKEN } from '../support/product.ts';

const DOCS = new URL('../../docs/', import.meta.url);
const names = async () =>
  (await readdir(DOCS)).filter((name) => name.endsWith('.md')).map((name) => name.replace(/\.md$/, ''));
const pathOf = (name: string) => (name === 'index' ? '/help' : `/help/${name}`);

let product: Product;
beforeAll(async () => {
  const ports = { STT_PORT: '0', PASSPORTS_PORT: '0', CATALOG_PORT: '0' };
  const tokens = { STT_API_TOKENS: TOKEN, REPORTS_MODERATOR_TOKENS: TOKEN };
  product = await startProduct({ env: { SERVICES: 'defectoscopy,stt,passports,catalog', ...ports, ...tokens } });
});
afterAll(() => product.stop());

const get = (path: string, headers: Record<string, string> = {}, service = 'defectoscopy') =>
  fetch(new URL(path, product.addresses[service]), { headers, redirect: 'manual' });
const ids = (html: string) => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);
const hrefs = (html: string) => [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href]) => href!);
const article = (html: string) => /<article[\s\S]*<\/article>/.exec(html)![0];
const contents = (html: string) => /<details class="contents">[\s\S]*<\/details>/.exec(html)![0];
const title = (markdown: string) => /^# (.*)$/m.exec(markdown)![1]!;

describe('Help', () => {
  it('shows every document without a token and lists all of them in its contents', async () => {
    for (const name of await names()) {
      const response = await get(pathOf(name));
      expect(response.status, name).toBe(200);
      const html = await response.text();
      const heading = title(await readFile(new URL(`${name}.md`, DOCS), 'utf8'));
      expect(article(html), name).toContain(`>${heading}</h1>`);
      expect(html, name).toContain(`<title>${heading} · Assay</title>`);
      const linked = hrefs(contents(html)).map((href) => new URL(href, `http://host${pathOf(name)}`).pathname);
      for (const other of await names()) expect(linked, `${name} → ${other}`).toContain(pathOf(other));
    }
  });

  it('is the same on every service', async () => {
    const here = article(await (await get('/help/api')).text());
    for (const service of ['stt', 'passports', 'catalog']) {
      expect(article(await (await get('/help/api', {}, service)).text()), service).toBe(here);
    }
  });

  it('has no broken links or anchors and no duplicate ids', async () => {
    const seen = new Map<string, { status: number; ids: string[] }>();
    const fetchPage = async (path: string) => {
      const cached = seen.get(path);
      if (cached) return cached;
      const response = await get(path, { accept: 'text/html' });
      const found = { status: response.status, ids: ids(await response.text()) };
      seen.set(path, found);
      return found;
    };
    let links = 0;
    for (const name of await names()) {
      const html = await (await get(pathOf(name))).text();
      expect(new Set(ids(html)).size, name).toBe(ids(html).length);
      for (const href of hrefs(html)) {
        const url = new URL(href, product.url + pathOf(name));
        if (url.origin !== product.url) continue;
        const { status, ids: there } = await fetchPage(url.pathname);
        expect(status, `${name} → ${href}`).toBe(200);
        if (url.hash !== '') expect(there, `${name} → ${href}`).toContain(decodeURIComponent(url.hash.slice(1)));
        links++;
      }
    }
    expect(links).toBeGreaterThan(100);
  });

  it('converts links between documents and renders links to other files as plain text', async () => {
    let [made, left] = [0, 0];
    for (const name of await names()) {
      const markdown = await readFile(new URL(`${name}.md`, DOCS), 'utf8');
      const html = article(await (await get(pathOf(name))).text());
      const targets = hrefs(html).map((href) => new URL(href, `http://host${pathOf(name)}`));
      for (const [, text, target = ''] of markdown.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)) {
        const [, document, anchor = ''] = /^([a-z0-9-]+)\.md(#.*)?$/.exec(target) ?? [];
        const found = targets.some(({ pathname, hash }) => pathname === pathOf(document ?? '') && hash === anchor);
        if (document !== undefined) expect(found, `${name}: ${target}`).toBe(true);
        if (document === undefined && /^[^#h]/.test(target)) {
          expect(html, `${name}: ${target}`).not.toContain(target);
          expect(html).toContain(text!.replaceAll('`', '').split(/[<&]/)[0]);
          left++;
        }
        made += Number(found);
      }
    }
    expect(made).toBeGreaterThan(20);
    expect(left).toBeGreaterThan(3);
  });

  it('has every document and anchor that README.md and ARCHITECTURE.md link to', async () => {
    for (const file of ['README.md', 'ARCHITECTURE.md']) {
      const markdown = await readFile(new URL(`../${file}`, DOCS), 'utf8');
      for (const [, name = '', anchor] of markdown.matchAll(/\]\(docs\/([a-z0-9-]+)\.md(?:#([^)]+))?\)/g)) {
        const html = await (await get(pathOf(name))).text();
        if (anchor !== undefined) expect(ids(html), `${file} → ${name}#${anchor}`).toContain(anchor);
      }
    }
    const readme = await readFile(new URL('../README.md', DOCS), 'utf8');
    const linked = [...readme.matchAll(/\]\(docs\/([a-z0-9-]+)\.md\)/g)].map(([, name]) => name);
    for (const name of await names()) expect(linked).toContain(name);
  });

  it('links each page to the previous and next one in the order of the start page', async () => {
    const passed: string[] = [];
    for (let path: string | undefined = '/help'; path !== undefined; ) {
      passed.push(path);
      const html = await (await get(path)).text();
      const [, back] = /<a href="([^"]*)" rel="prev"/.exec(html) ?? [];
      expect(back && new URL(back, product.url + path).pathname).toBe(passed.at(-2));
      const [, on]: (string | undefined)[] = /<a href="([^"]*)" rel="next"/.exec(html) ?? [];
      path = on && new URL(on, product.url + path).pathname;
    }
    expect(passed.slice(0, 3)).toEqual(['/help', '/help/installation', '/help/api']);
    expect([...passed].sort()).toEqual((await names()).map(pathOf).sort());
  });

  it('uses no inline scripts or styles and no resources of other hosts', async () => {
    for (const name of await names()) {
      const response = await get(pathOf(name));
      expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'; script-src 'self';/);
      const html = await response.text();
      for (const [tag] of html.matchAll(/<script[^>]*>/g)) expect(tag, name).toMatch(/ src="|type="application\/json"/);
      const markup = html.replace(/>[^<]*</g, '><');
      expect(markup, name).not.toMatch(/<style|\sstyle=|\son\w+=|<iframe|<img[^>]*src="(?!(\.\.\/)?assets\/)/);
      expect(html, name).not.toMatch(/(src|<link[^>]*href)="https?:/);
    }
  });

  it("shows its navigation in the user's language around English documents", async () => {
    const english = await get('/help/installation');
    expect(english.headers.get('content-language')).toBe('en');
    const russian = await get('/help/installation', { 'accept-language': 'ru' });
    expect(russian.headers.get('content-language')).toBe('ru, en');
    expect(russian.headers.get('vary')).toContain('Accept-Language');
    const html = await russian.text();
    expect(html).toContain('<html lang="ru">');
    expect(html).toContain('<article class="document" lang="en">');
    expect(html).toContain('Документация доступна только на английском языке.');
  });

  it('returns 304 for a matching If-None-Match', async () => {
    for (const path of ['/help', '/help/api', '/help/passages.json']) {
      const etag = (await get(path)).headers.get('etag')!;
      const again = await get(path, { 'if-none-match': etag });
      expect([again.status, await again.text()], path).toEqual([304, '']);
      expect((await get(path, { 'if-none-match': 'W/"another"' })).status, path).toBe(200);
    }
  });

  it('returns 404 for an unknown page, as HTML to browsers and as JSON to API clients', async () => {
    for (const path of ['/help/nothing', '/help/..%2fpackage.json', '/help/decisions%2f0001-one-table', '/help/API']) {
      const response = await get(path, { accept: 'text/html' });
      expect([response.status, response.headers.get('etag')], path).toEqual([404, null]);
      const html = await response.text();
      expect(html).toContain('Page not found');
      expect(hrefs(html)).toContain('../help/installation');
    }
    const rejected = await get('/help/nothing');
    expect([rejected.status, ((await rejected.json()) as { error: unknown }).error]).toEqual([
      404,
      expect.objectContaining({ code: 'NOT_FOUND', message: 'This help page does not exist.' }),
    ]);
  });

  it('redirects alternative paths to one canonical address per page', async () => {
    for (const path of ['/help/index', '/help/']) {
      const response = await get(path);
      expect([response.status, response.headers.get('location')], path).toEqual([308, '../help']);
    }
  });

  it('has a search index with every heading of every document', async () => {
    const { passages } = (await (await get('/help/passages.json')).json()) as SearchData;
    for (const name of await names()) {
      const html = article(await (await get(pathOf(name))).text());
      const found = passages.filter(({ address }) => `/${address.split('#')[0]}` === pathOf(name));
      expect(found.map(({ address }) => address.split('#')[1])).toEqual(ids(html));
    }
    const { text } = passages.find(({ address }) => address === 'help/installation#on-one-machine')!;
    expect(text).toContain('npm start runs everything: an embedded PostgreSQL under ./data');
  });

  it('is linked in the header of every page and absent from the API reference', async () => {
    for (const [service, path] of [
      ['defectoscopy', '/'],
      ['stt', '/'],
      ['passports', '/'],
      ['catalog', '/login'],
      ['defectoscopy', '/overview'],
    ] as const) {
      const html = await (await get(path, { accept: 'text/html' }, service)).text();
      expect(hrefs(html), `${service} ${path}`).toContain('help');
    }
    const { paths } = (await product.call('/openapi.json')).body;
    expect(Object.keys(paths).filter((path) => path.includes('help'))).toEqual([]);
  });
});
