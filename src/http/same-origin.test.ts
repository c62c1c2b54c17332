import { describe, expect, it } from 'vitest';
import { fromOwnPage } from './same-origin.ts';

const HOST = 'assay.example:8443';
const PUBLIC = ['https://assay.example.com'];
const own = (headers: Record<string, string>, host = HOST) => fromOwnPage({ headers, host, protocol: 'https' }, PUBLIC);

describe('what changes something by a cookie', () => {
  it.each<[string, Record<string, string>]>([
    ['a program, which says nothing of pages', {}],
    ['a page of the same origin, by what the browser says', { 'sec-fetch-site': 'same-origin' }],
    ['a person who typed the address', { 'sec-fetch-site': 'none' }],
    ['a page whose origin is ours', { origin: 'https://assay.example:8443' }],
    ['a page whose origin is the public one', { origin: 'https://assay.example.com' }],
    ['a page whose address is ours', { referer: 'https://assay.example:8443/reports?a=b' }],
    ['a page that says its origin in capitals', { origin: 'HTTPS://ASSAY.EXAMPLE:8443' }],
    [
      'a page of ours under its public name, for which the browser cannot speak',
      { 'sec-fetch-site': 'same-site', origin: 'https://assay.example.com' },
    ],
  ])('may come from %s', (_, headers) => {
    expect(own(headers)).toBe(true);
  });

  it.each<[string, Record<string, string>]>([
    ['another site', { origin: 'https://evil.example' }],
    ['another port of the same host', { origin: 'https://assay.example:9443' }],
    ['the same host without its port', { origin: 'https://assay.example' }],
    ['a name that begins like ours', { origin: 'https://assay.example:8443.evil.example' }],
    ['a name that ends like ours', { origin: 'https://evil-assay.example:8443' }],
    ['a page without an address', { origin: 'null' }],
    ['a page that hides its origin behind our address', { origin: 'null', referer: 'https://assay.example:8443/' }],
    ['another site whose address names us', { referer: 'https://evil.example/https://assay.example:8443/' }],
    ['our host by another scheme', { origin: 'http://assay.example:8443' }],
    ['our host by another scheme, by Referer', { referer: 'http://assay.example:8443/reports' }],
    ['the public name by another scheme', { origin: 'http://assay.example.com' }],
    ['a scheme that is no web', { origin: 'ftp://assay.example:8443' }],
    ['a scheme that ends like the web', { origin: 'xhttps://assay.example:8443' }],
    ['what only has a web address in it', { origin: 'x https://assay.example:8443' }],
    ['an origin that is no address', { origin: 'https://' }],
    ['an origin of nothing', { origin: '' }],
    ['another site, by what the browser says, and nothing more', { 'sec-fetch-site': 'cross-site' }],
    ['a neighbour, by what the browser says, and nothing more', { 'sec-fetch-site': 'same-site' }],
    ['what no browser says', { 'sec-fetch-site': 'x' }],
    ['what no browser says, with our origin', { 'sec-fetch-site': 'x', origin: 'https://assay.example:8443' }],
    ['another site that names our origin', { 'sec-fetch-site': 'cross-site', origin: 'https://assay.example:8443' }],
    [
      'another site that names the public origin',
      { 'sec-fetch-site': 'cross-site', origin: 'https://assay.example.com' },
    ],
    ['another site without an Origin', { 'sec-fetch-site': 'cross-site', referer: 'https://assay.example:8443/' }],
    ['a neighbour by another scheme', { 'sec-fetch-site': 'same-site', origin: 'http://assay.example:8443' }],
  ])('may not come from %s', (_, headers) => {
    expect(own(headers)).toBe(false);
  });

  it('knows the port that a scheme implies', () => {
    const at = (protocol: 'http' | 'https', host: string) => ({
      headers: { origin: 'http://a.example' },
      protocol,
      host,
    });
    expect(fromOwnPage(at('http', 'a.example'), [])).toBe(true);
    expect(fromOwnPage(at('http', 'a.example:80'), [])).toBe(true);
    expect(fromOwnPage(at('https', 'a.example'), [])).toBe(false);
    expect(fromOwnPage(at('http', 'a.example:8001'), [])).toBe(false);
  });

  it('knows its own host however it is written', () => {
    expect(own({ origin: 'https://assay.example:8443' }, 'ASSAY.example:8443')).toBe(true);
  });
});
