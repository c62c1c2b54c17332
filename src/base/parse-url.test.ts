import { expect, it } from 'vitest';
import { rejectionReasonOf } from '../../test/support/url-rejection-reason.ts';
import { checkUrl, UrlRejected } from './outbound-url.ts';
import { parseUrl } from './parse-url.ts';

it('parseUrl parses absolute and relative URLs and returns undefined for invalid text', () => {
  expect(parseUrl('https://example.com/ä')?.href).toBe('https://example.com/%C3%A4');
  expect(parseUrl('../b', new URL('https://example.com/a/c'))?.href).toBe('https://example.com/b');
  for (const text of ['', 'a', 'https://', 'https://[::1', 'https://a b/'])
    expect(parseUrl(text), text).toBeUndefined();
});

it('parseUrl returns the same results for Latin-1 letters after 100 000 calls', () => {
  const results = new Set<string>();
  // The bug of `URL.canParse` appears after about 2000 calls.
  for (let i = 0; i < 20_000; i++) {
    for (const host of ['bücher', 'façade', 'grÃ¼n', 'lâ\u0085¼', 'ｗide']) {
      let result: string;
      try {
        result = checkUrl(`https://${host}.example.com/ä`, { kind: 'public' }).hostname;
      } catch (error) {
        result = error instanceof UrlRejected ? rejectionReasonOf(error) : String(error);
      }
      results.add(`${host}: ${result}`);
    }
  }
  expect([...results]).toEqual([
    'bücher: xn--bcher-kva.example.com',
    'façade: xn--faade-zra.example.com',
    'grÃ¼n: host',
    'lâ\u0085¼: syntax',
    'ｗide: host',
  ]);
});
