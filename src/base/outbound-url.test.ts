import { describe, expect, it } from 'vitest';
import { rejectionReasonOf } from '../../test/support/url-rejection-reason.ts';
import { parseAllowList } from './addresses.ts';
import { checkUrl, parseHost, type UrlPolicy, UrlRejected } from './outbound-url.ts';

const images: UrlPolicy = {
  kind: 'allowlist',
  hosts: ['storage.example.com', 'Fotos.Example.com:8443', 'bücher.example'],
  filesHost: 'files.assay.internal',
};
const audio: UrlPolicy = {
  kind: 'public',
  hosts: ['store:9000', 'cdn.example.com:8443'],
  filesHost: 'files.assay.internal',
};
const hooks: UrlPolicy = { kind: 'webhook', loopback: true };
const hooksWithoutLoopback: UrlPolicy = { kind: 'webhook', loopback: false };

/** The rejection reason, or the accepted URL. */
function checkedUrlOrReason(raw: string, policy: UrlPolicy): string {
  try {
    return checkUrl(raw, policy).href;
  } catch (error) {
    if (!(error instanceof UrlRejected)) throw error;
    expect(error.message).toMatch(/^The .*\.$/);
    return rejectionReasonOf(error);
  }
}

// Notations that parsers read differently: rejected under every policy.
const TRICKS = String.raw`
  https://127.1/ https://127.0.1/ https://0x7f.1/ https://0x7f000001/ https://2130706433/ https://017700000001/
  https://0177.0.0.1/ https://127.0.0.01/ https://0/ https://0.0.0.0/ https://127.0.0.1./ https://localhost./
  https://LOCALHOST/ https://LocalHost/ https://a.localhost/ https://[::]/ https://[0:0:0:0:0:0:0:1]/ https://[::0001]/
  https://[::ffff:127.0.0.1]/ https://[::ffff:7f00:1]/ https://[::127.0.0.1]/ https://[64:ff9b::7f00:1]/
  https://[2002:7f00:1::]/ https://[fe80::1]/ https://[fe80::1%25eth0]/ https://[fd00::1]/ https://[::1 https://::1/
  https://１２７.0.0.1/ https://127。0。0。1/ https://①②⑦.0.0.1/ https://ｌｏｃａｌｈｏｓｔ/ https://ⓛocalhost/
  https://exa%6dple.com/ https://%31%32%37.0.0.1/ https://127.0.0.1%2f.example.com/ https://example.com%00.evil.com/
  https://a@b.com/ https://a:b@storage.example.com/ https://@storage.example.com/ https://127.0.0.1:80@evil.com/
  https://storage.example.com@127.0.0.1/ https://storage.example.com:443@127.0.0.1/
  https://evil.com\@storage.example.com/ https:\\storage.example.com\x https://storage.example.com\.evil.com/
  https:storage.example.com/x https:/storage.example.com/x https:///storage.example.com/x //storage.example.com/x
  /x storage.example.com https:// https://? https://# https://:443/ https://storage.example.com:/
  https://storage.example.com:0/ https://storage.example.com:65536/ https://storage.example.com:0443/
  https://storage.example.com:443:443/ https://storage.example.com:+443/ https://storage.example.com:４４３/
  https://storage.example.com./ https://.storage.example.com/ https://storage..example.com/ https://1.2.3.4.5/
  https://example.com.0x7f/ https://exam­ple.com/ https://a_b!c.com/ https://[1.2.3.4]/ https://[v1.x]/
  ftp://storage.example.com/ file:///etc/passwd javascript:alert(1) data:,x gopher://storage.example.com/ blob:https://a.com/x
  ws://storage.example.com/ httpsx://storage.example.com/`
  .trim()
  .split(/\s+/);
const WHITE = ['\t', '\n', '\r', ' ', '\0', '\u0085', '\u00a0', '\u2028', '\ufeff', '\u007f', '\ud800'];

describe('checkUrl rejects', () => {
  it.each(TRICKS)('%s', (raw) => {
    for (const policy of [images, audio, hooks, hooksWithoutLoopback])
      expect(checkedUrlOrReason(raw, policy)).not.toMatch(/^http/);
  });
  it.each(TRICKS.filter((raw) => raw.startsWith('https')))('%s with http', (raw) => {
    expect(checkedUrlOrReason(raw.replace('https', 'http'), hooks)).not.toMatch(/^http/);
  });
  it('white space and control characters at any position', () => {
    for (const white of WHITE) {
      for (const raw of [
        `${white}https://storage.example.com/`,
        `https://storage${white}.example.com/`,
        `ht${white}tps://storage.example.com/`,
        `https://storage.example.com/a${white}`,
      ]) {
        for (const policy of [images, audio, hooks]) expect(checkedUrlOrReason(raw, policy)).toBe('syntax');
      }
    }
  });
  it('URLs longer than 2048 characters', () => {
    const url = `https://storage.example.com/${'a'.repeat(2048 - 28)}`;
    expect(checkedUrlOrReason(url, images)).toBe(url);
    expect(checkedUrlOrReason(`${url}a`, images)).toBe('too_long');
    expect(checkedUrlOrReason(`https://${'a'.repeat(60)}.${'b'.repeat(200)}.com/`, hooks)).toBe('host');
  });
});

describe('checkUrl for image_url (exact host match after lower-casing and IDNA)', () => {
  it.each([
    ['https://storage.example.com/a/b?c=d', 'https://storage.example.com/a/b?c=d'],
    ['HTTPS://Storage.Example.COM/a', 'https://storage.example.com/a'],
    ['https://storage.example.com:443/a', 'https://storage.example.com/a'],
    ['https://fotos.example.com:8443/a', 'https://fotos.example.com:8443/a'],
    ['https://BÜCHER.example/ä', 'https://xn--bcher-kva.example/%C3%A4'],
    ['https://xn--bcher-kva.example/a', 'https://xn--bcher-kva.example/a'],
    ['https://files.assay.internal/01ABC', 'https://files.assay.internal/01ABC'],
  ])('accepts %s', (raw, href) => expect(checkedUrlOrReason(raw, images)).toBe(href));

  it.each([
    ['http://storage.example.com/a', 'scheme'],
    ['https://storage.example.com:444/a', 'not_listed'],
    ['https://fotos.example.com/a', 'not_listed'],
    ['https://a.storage.example.com/', 'not_listed'],
    ['https://storage.example.com.evil.com/', 'not_listed'],
    ['https://evilstorage.example.com/', 'not_listed'],
    ['https://localhost/', 'not_listed'],
    ['https://files.assay.internal:8443/x', 'not_listed'],
    ['https://storage.example.com/a#b', 'fragment'],
    ['https://storage.example.com/a#', 'fragment'],
    ['https://u@storage.example.com/', 'userinfo'],
  ])('rejects %s with %s', (raw, reason) => expect(checkedUrlOrReason(raw, images)).toBe(reason));
});

describe('parseHost', () => {
  it.each([
    ['Storage.Example.com', 'storage.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['minio:9000', 'minio:9000'],
    ['storage.example.com:443', 'storage.example.com'],
    ['10.0.0.5', '10.0.0.5'],
    ['[FD00::1]:9000', '[fd00::1]:9000'],
  ])('reads %s as %s', (text, host) => expect(parseHost(text, { ports: true })).toBe(host));

  it.each([
    'https://a.example',
    'a.example/',
    'a.example/b',
    'a.example?b',
    'a.example#',
    '*.a.example',
    'u@a.example',
  ])('rejects %s', (text) =>
    expect(() => parseHost(text, { ports: true })).toThrow(/ is not a host: write it like .*\.$/),
  );
  it.each(['a.example.', 'a b', '', 'a.example:', 'a.example:0', '127.1', '::1'])('rejects %j', (text) =>
    expect(() => parseHost(text, { ports: true })).toThrow('is not a host'),
  );
  it('accepts a port only if ports are allowed', () => {
    for (const text of ['a.example:443', 'a.example:9000', '[fd00::1]:9000']) {
      expect(() => parseHost(text)).toThrow('is not a host');
    }
    expect(parseHost('[fd00::1]')).toBe('[fd00::1]');
  });
});

describe('checkUrl for audio URLs (any public host name with https)', () => {
  it.each([
    'https://cdn.example.org/a.ogg',
    'https://store:9000/a',
    'https://cdn.example.com:8443/a',
    'https://files.assay.internal/01ABC',
    'https://a_b.example.org/',
    'https://cdn.example.org/a#t=1',
  ])('accepts %s', (raw) => expect(checkedUrlOrReason(raw, audio)).toBe(raw));
  it.each([
    ['http://cdn.example.org/a.ogg', 'scheme'],
    ['https://cdn.example.org:8443/a', 'port'],
    ['https://8.8.8.8/a', 'host'],
    ['https://[2606:4700:4700::1111]/a', 'host'],
    ['https://localhost/a', 'not_public'],
    ['https://store/a', 'not_public'],
    ['https://printer.local/a', 'not_public'],
    ['https://metadata.google.internal/a', 'not_public'],
    ['https://x.localhost/a', 'not_public'],
  ])('rejects %s with %s', (raw, reason) => expect(checkedUrlOrReason(raw, audio)).toBe(reason));

  it('accepts a private name on the allow list', () => {
    const policy: UrlPolicy = { kind: 'public', allowList: parseAllowList({ hosts: ['nas.local'] }) };
    expect(checkedUrlOrReason('https://nas.local/a', policy)).toBe('https://nas.local/a');
    expect(checkedUrlOrReason('https://other.local/a', policy)).toBe('not_public');
  });
});

describe('checkUrl for webhooks with http (only localhost, 127.0.0.1 and [::1])', () => {
  const loopbacks = ['localhost', '127.0.0.1', '[::1]'];

  it.each(loopbacks.flatMap((host) => [`http://${host}:8080/hook`, `https://${host}:8443/hook`, `http://${host}/`]))(
    'accepts %s only if loopback is allowed',
    (raw) => {
      expect(checkedUrlOrReason(raw, hooks)).toBe(raw);
      expect(checkedUrlOrReason(raw, hooksWithoutLoopback)).toBe(raw.startsWith('https') ? 'not_public' : 'scheme');
    },
  );
  it.each([
    'http://example.com/',
    'http://8.8.8.8/',
    'http://LOCALHOST/',
    'http://localhost.example.com/',
    'http://127.0.0.2/',
    'http://[0::1]/',
  ])('rejects %s', (raw) => expect(checkedUrlOrReason(raw, hooks)).toBe('scheme'));
});

describe('checkUrl for webhook_url', () => {
  it.each([
    'https://hooks.example.com/x?y=1',
    'https://hooks.example.com:8443/',
    'https://8.8.8.8/',
    'https://[2606:4700:4700::1111]:9443/',
    'https://[::ffff:808:808]/',
  ])('accepts %s', (raw) => expect(checkedUrlOrReason(raw, hooks)).toBe(raw));
  it.each([
    ['https://10.0.0.5/', 'not_public'],
    // Public, but not in canonical notation.
    ['https://134744072/', 'host'],
    ['https://8.8.2056/', 'host'],
    ['https://０x8.8.8.8/', 'host'],
    ['https://ｈooks.example.com/', 'host'],
    ['https://hooks.example。com/', 'host'],
    ['https://169.254.169.254/', 'not_public'],
    ['https://127.0.0.2/', 'not_public'],
    ['https://[fd00::1]/', 'not_public'],
    ['https://intranet/', 'not_public'],
    ['https://db.internal/', 'not_public'],
    ['https://hooks.example.com:25/', 'port'],
    ['https://hooks.example.com:22/', 'port'],
    ['http://localhost:6379/', 'port'],
    ['http://127.0.0.1:5432/', 'port'],
  ])('rejects %s with %s', (raw, reason) => expect(checkedUrlOrReason(raw, hooks)).toBe(reason));

  it('accepts a private network only on the allow list', () => {
    const policy: UrlPolicy = {
      kind: 'webhook',
      loopback: false,
      allowList: parseAllowList({ cidrs: ['10.0.0.0/24'], hosts: ['n8n'] }),
    };
    expect(checkedUrlOrReason('https://10.0.0.5/', policy)).toBe('https://10.0.0.5/');
    expect(checkedUrlOrReason('https://10.0.1.5/', policy)).toBe('not_public');
    expect(checkedUrlOrReason('https://n8n/hook', policy)).toBe('https://n8n/hook');
    expect(checkedUrlOrReason('http://n8n/hook', policy)).toBe('scheme');
  });
});

describe('checkUrl for an origin of the operator', () => {
  const operator: UrlPolicy = { kind: 'operator', origin: 'http://10.0.0.7:8000' };

  it('accepts it with any scheme, port and network', () => {
    expect(checkUrl('http://10.0.0.7:8000/v1/audio', operator).pathname).toBe('/v1/audio');
  });

  it.each(['https://10.0.0.7:8000/', 'http://10.0.0.7/', 'http://10.0.0.8:8000/', 'http://user@10.0.0.7:8000/'])(
    'rejects the other URL %s',
    (url) => expect(() => checkUrl(url, operator)).toThrow(UrlRejected),
  );
});
