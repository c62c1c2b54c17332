import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Passports, startPassports } from '../support/passports.ts';

const LIMIT = 10;

let passports: Passports | undefined;
afterEach(() => passports?.stop());

/** A reverse proxy that appends the client address to X-Forwarded-For. */
async function startProxy(target: string): Promise<string> {
  const { hostname, port } = new URL(target);
  const proxy = createServer((incoming, outgoing) => {
    const forwarded = [incoming.headers['x-forwarded-for'], incoming.socket.remoteAddress].filter(Boolean).join(', ');
    const { method, url } = incoming;
    const headers = { ...incoming.headers, 'x-forwarded-for': forwarded };
    const onward = request({ hostname, port, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise((resolve) => proxy.close(() => resolve())));
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

function tryKey(url: string, from: string, forged?: string): Promise<number> {
  const headers = { 'content-type': 'application/json', ...(forged && { 'x-forwarded-for': forged }) };
  return new Promise((resolve, reject) => {
    const ask = request(
      `${url}/auth/token`,
      { method: 'POST', localAddress: from, headers, agent: false },
      (answer) => {
        answer.resume().once('end', () => resolve(answer.statusCode!));
      },
    );
    ask.once('error', reject);
    ask.end(JSON.stringify({ api_key: 'not-a-key-of-this-service' }));
  });
}

/** How many of 40 requests with different forged addresses pass the rate limit. */
async function countPassedOf40(url: string, from: string): Promise<number> {
  let passed = 0;
  for (let i = 0; i < 40; i++) if ((await tryKey(url, from, `203.0.113.${i + 1}`)) === 401) passed++;
  return passed;
}

// Only Linux accepts every address of 127.0.0.0/8 by default.
describe.runIf(process.platform === 'linux')('TRUST_PROXY', () => {
  it.each([
    ['a number of proxies', '1'],
    ['the address of the proxy', '127.0.0.1'],
    ['the network of the proxy', '127.0.0.1/32'],
  ])('as %s treats 40 forged X-Forwarded-For headers of one client as one client', async (_, trusted) => {
    passports = await startPassports({ TRUST_PROXY: trusted, PASSPORTS_TOKEN_LIMIT_PER_MINUTE: String(LIMIT) });
    const proxy = await startProxy(passports.url);
    expect(await countPassedOf40(proxy, '127.0.0.2')).toBe(LIMIT);
    expect(await tryKey(proxy, '127.0.0.3')).toBe(401);
  });

  it('left empty ignores the header, so that all clients behind a proxy share one limit', async () => {
    passports = await startPassports({ TRUST_PROXY: '', PASSPORTS_TOKEN_LIMIT_PER_MINUTE: String(LIMIT) });
    expect(await countPassedOf40(passports.url, '127.0.0.2')).toBe(LIMIT);
    const proxy = await startProxy(passports.url);
    for (let i = 0; i < LIMIT; i++) expect(await tryKey(proxy, `127.0.0.${i + 3}`)).toBe(401);
    expect(await tryKey(proxy, '127.0.0.20')).toBe(429);
  });
});
