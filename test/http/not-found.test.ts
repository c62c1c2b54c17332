import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Product, startProduct } from '../support/product.ts';

const SERVICES = ['defectoscopy', 'stt', 'passports', 'catalog'];

let product: Product;
beforeAll(async () => {
  const ports = Object.fromEntries(SERVICES.map((service) => [`${service.toUpperCase()}_PORT`, '0']));
  product = await startProduct({ roles: [], env: { ...ports, SERVICES: SERVICES.join(',') } });
}, 60_000);
afterAll(() => product.stop());

const ask = (service: string, path: string, headers: Record<string, string> = {}) =>
  fetch(product.addresses[service] + path, { headers });

it.each(SERVICES)('An unknown path of %s returns an HTML page to a browser', async (service) => {
  for (const [path, root] of [
    ['/nothing', './'],
    ['/nothing/at/all?q=1', '../../'],
    ['/a/b/c/d/e', '../../../../'],
  ] as const) {
    const answer = await ask(service, path, { accept: 'text/html,*/*;q=0.8', 'accept-language': 'ru' });
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    const html = await answer.text();
    expect(html).toContain('<html lang="ru">');
    expect(html).toContain('Страница не найдена.');
    expect(html).toContain(`<a href="${root}">`);
    const [, style] = /<link rel="stylesheet" href="([^"]+)"/.exec(html)!;
    const found = await fetch(new URL(style!, answer.url));
    expect(found.status).toBe(200);
  }
});

it.each(SERVICES)('An unknown path of %s returns the JSON error envelope to API clients', async (service) => {
  for (const headers of [{}, { accept: 'application/json' }, { accept: '*/*' }] as Record<string, string>[]) {
    const answer = await ask(service, '/nothing', headers);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
  }
});
