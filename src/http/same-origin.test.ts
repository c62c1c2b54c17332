import { describe, expect, it } from 'vitest';
import { isSameOrigin } from './same-origin.ts';

const HOST = 'assay.example:8443';
const PUBLIC = ['https://assay.example.com'];
const own = (headers: Record<string, string>, host = HOST) =>
  isSameOrigin({ headers, host, protocol: 'https' }, PUBLIC);

describe('the same-origin check', () => {
  it.each<[string, Record<string, string>]>([
    ['a program without browser headers', {}],
    ['a same-origin page by Sec-Fetch-Site', { 'sec-fetch-site': 'same-origin' }],
    ['a URL typed by the user', { 'sec-fetch-site': 'none' }],
    ['a page of our origin', { origin: 'https://assay.example:8443' }],
    ['a page of the public origin', { origin: 'https://assay.example.com' }],
    ['a page of our origin by Referer', { referer: 'https://assay.example:8443/reports?a=b' }],
    ['an origin in upper case', { origin: 'HTTPS://ASSAY.EXAMPLE:8443' }],
    ['a same-site page of the public origin', { 'sec-fetch-site': 'same-site', origin: 'https://assay.example.com' }],
  ])('accepts %s', (_, headers) => {
    expect(own(headers)).toBe(true);
  });

  it.each<[string, Record<string, string>]>([
    ['another site', { origin: 'https://evil.example' }],
    ['another port of the same host', { origin: 'https://assay.example:9443' }],
    ['the same host without its port', { origin: 'https://assay.example' }],
    ['a host that starts with ours', { origin: 'https://assay.example:8443.evil.example' }],
    ['a host that ends with ours', { origin: 'https://evil-assay.example:8443' }],
    ['an opaque origin', { origin: 'null' }],
    ['an opaque origin with our Referer', { origin: 'null', referer: 'https://assay.example:8443/' }],
    ['another site whose path contains our origin', { referer: 'https://evil.example/https://assay.example:8443/' }],
    ['our host with another scheme', { origin: 'http://assay.example:8443' }],
    ['our host with another scheme by Referer', { referer: 'http://assay.example:8443/reports' }],
    ['the public host with another scheme', { origin: 'http://assay.example.com' }],
    ['a non-web scheme', { origin: 'ftp://assay.example:8443' }],
    ['a scheme that ends with https', { origin: 'xhttps://assay.example:8443' }],
    ['text that contains our origin', { origin: 'x https://assay.example:8443' }],
    ['an origin without a host', { origin: 'https://' }],
    ['an empty origin', { origin: '' }],
    ['another site by Sec-Fetch-Site alone', { 'sec-fetch-site': 'cross-site' }],
    ['the same site by Sec-Fetch-Site alone', { 'sec-fetch-site': 'same-site' }],
    ['an unknown Sec-Fetch-Site', { 'sec-fetch-site': 'x' }],
    ['an unknown Sec-Fetch-Site with our origin', { 'sec-fetch-site': 'x', origin: 'https://assay.example:8443' }],
    ['another site with our origin', { 'sec-fetch-site': 'cross-site', origin: 'https://assay.example:8443' }],
    ['another site with the public origin', { 'sec-fetch-site': 'cross-site', origin: 'https://assay.example.com' }],
    ['another site without an Origin', { 'sec-fetch-site': 'cross-site', referer: 'https://assay.example:8443/' }],
    ['the same site with another scheme', { 'sec-fetch-site': 'same-site', origin: 'http://assay.example:8443' }],
  ])('rejects %s', (_, headers) => {
    expect(own(headers)).toBe(false);
  });

  it('uses the default port of the scheme', () => {
    const at = (protocol: 'http' | 'https', host: string) => ({
      headers: { origin: 'http://a.example' },
      protocol,
      host,
    });
    expect(isSameOrigin(at('http', 'a.example'), [])).toBe(true);
    expect(isSameOrigin(at('http', 'a.example:80'), [])).toBe(true);
    expect(isSameOrigin(at('https', 'a.example'), [])).toBe(false);
    expect(isSameOrigin(at('http', 'a.example:8001'), [])).toBe(false);
  });

  it('normalizes the host', () => {
    expect(own({ origin: 'https://assay.example:8443' }, 'ASSAY.example:8443')).toBe(true);
  });
});
