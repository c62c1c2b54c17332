import { expect, it } from 'vitest';
import { checkUrl, UrlRefused } from './outbound-url.ts';
import { parsedUrl } from './parsed-url.ts';

it('parsedUrl parses absolute and relative URLs and returns undefined for invalid text', () => {
  expect(parsedUrl('https://example.com/ä')?.href).toBe('https://example.com/%C3%A4');
  expect(parsedUrl('../b', new URL('https://example.com/a/c'))?.href).toBe('https://example.com/b');
  for (const text of ['', 'a', 'https://', 'https://[::1', 'https://a b/'])
    expect(parsedUrl(text), text).toBeUndefined();
});

it('parsedUrl returns the same results for Latin-1 letters after 100 000 calls', () => {
  const said = new Set<string>();
  // The bug of `URL.canParse` appears after about 2000 calls.
  for (let i = 0; i < 20_000; i++) {
    for (const host of ['bücher', 'façade', 'grÃ¼n', 'lâ\u0085¼', 'ｗide']) {
      let verdict: string;
      try {
        verdict = checkUrl(`https://${host}.example.com/ä`, { kind: 'public' }).hostname;
      } catch (error) {
        verdict = error instanceof UrlRefused ? error.reason : String(error);
      }
      said.add(`${host}: ${verdict}`);
    }
  }
  expect([...said]).toEqual([
    'bücher: xn--bcher-kva.example.com',
    'façade: xn--faade-zra.example.com',
    'grÃ¼n: host',
    'lâ\u0085¼: syntax',
    'ｗide: host',
  ]);
});
