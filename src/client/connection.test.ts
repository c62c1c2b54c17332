import { expect, it, onTestFinished, vi } from 'vitest';
import { createFakeClock } from '../../test/support/client.ts';
import { Assay, type AssayOptions, NetworkProblem } from './index.ts';

function createClient(
  respond: (path: string) => Promise<Response>,
  credentials: { token?: string; apiKey?: string } = {},
) {
  const paths: string[] = [];
  const url = 'http://other.example.com';
  const fetch: AssayOptions['fetch'] = (input) => {
    const { pathname } = new URL(String(input));
    paths.push(pathname);
    return respond(pathname);
  };
  const { defectoscopy, passports } = new Assay({
    defectoscopy: { url, ...credentials },
    passports: { url, ...credentials },
    fetch,
  });
  return { paths, defectoscopy, passports };
}

it('the client throws UNEXPECTED_ANSWER for a response of another server without a retry', async () => {
  for (const body of ['{}', '[]', 'null', '"ok"', '{"data":null}', '{"data":7}', '<html>']) {
    const { paths, defectoscopy } = createClient(async () => new Response(body));
    await expect(defectoscopy.result('a'), body).rejects.toMatchObject({ code: 'UNEXPECTED_ANSWER' });
    await expect(defectoscopy.wait({ task_id: 'a', estimated_wait_seconds: 0 }), body).rejects.toMatchObject({
      code: 'UNEXPECTED_ANSWER',
    });
    expect(paths).toHaveLength(2);
  }
  const { paths, defectoscopy } = createClient(async () => Response.json({ detail: 'Not Found' }, { status: 404 }));
  await expect(defectoscopy.result('a')).rejects.toMatchObject({ name: 'NotFound', status: 404 });
  expect(paths).toHaveLength(1);
});

it('the client throws TypeError for a credential that HTTP headers cannot carry', async () => {
  const { paths, defectoscopy } = createClient(async () => Response.json({}), { token: 'ключ' });
  await expect(defectoscopy.result('a')).rejects.toThrow(TypeError);
  expect(paths).toEqual([]);
});

it('the client does not follow redirects', async () => {
  const { paths, defectoscopy } = createClient(
    async () => new Response(null, { status: 307, headers: { location: 'https://elsewhere.example.com/' } }),
    { token: 'secret' },
  );
  await expect(defectoscopy.result('a')).rejects.toMatchObject({ status: 307 });
  expect(paths).toHaveLength(1);
});

it('the client aborts one call that waits for the token exchange and keeps the others', async () => {
  let exchange = (_: Response) => {};
  const { paths, passports } = createClient(
    (path) =>
      path === '/auth/token'
        ? new Promise((resolve) => {
            exchange = resolve;
          })
        : Promise.resolve(Response.json({ items: [] })),
    { apiKey: 'key' },
  );
  const stop = new AbortController();
  const reason = new Error('cancelled');
  const [aborted, kept] = [passports.list({ signal: stop.signal }), passports.list()];
  stop.abort(reason);
  await expect(aborted).rejects.toBe(reason);
  exchange(Response.json({ token: 't', expires_in: 60 }));
  expect(await kept).toEqual({ items: [] });
  expect(paths).toEqual(['/auth/token', '/api/tasks']);
});

it('the client ends requests at their time limit and with their signal, without a warning of many listeners', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const caller = new AbortController();
  const { signal } = caller;
  const client = (timeoutSeconds: number) =>
    new Assay({
      defectoscopy: { url: 'http://other.example.com' },
      timeoutSeconds,
      retries: 0,
      fetch: (_, init) =>
        new Promise((_, reject) => {
          init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error));
        }),
    }).defectoscopy;
  const short = Array.from({ length: 12 }, () => client(0.1).result('a', { signal }));
  const long = Array.from({ length: 12 }, () => client(60).result('a', { signal }));
  for (const request of short) await expect(request).rejects.toMatchObject({ code: 'TIMEOUT' });
  caller.abort(new Error('stopped'));
  for (const request of long) await expect(request).rejects.toThrow('stopped');
  expect(warnings).toEqual([]);
});

it('the client with onRateLimit waits for the rate limit without end, and polls on', async () => {
  const waits: number[] = [];
  const clock = createFakeClock();
  let left = 12;
  const fetch = async () => {
    const error = { code: 'RATE_LIMIT_EXCEEDED', message: 'Not now.' };
    if (left-- > 0) return Response.json({ ok: false, error }, { status: 429, headers: { 'retry-after': '90' } });
    return Response.json({ ok: true, data: { task_id: 'a', status: 'done' } });
  };
  const onRateLimit = (seconds: number) => void waits.push(seconds);
  const options = { defectoscopy: { url: 'http://other.example.com' }, fetch, clock, onRateLimit } as const;
  const { defectoscopy } = new Assay({ ...options, polling: 'local', retries: 0 });
  await defectoscopy.result('a');
  left = 12;
  await defectoscopy.wait('a');
  expect(waits).toEqual(Array.from({ length: 24 }, () => 90));
  expect(clock.slept).toEqual(waits);
});

it('the client with onOutage reports a call that is repeated, with one idempotency key, until it succeeds or is given up', async () => {
  const keys: unknown[] = [];
  const outages: unknown[] = [];
  const fetch: AssayOptions['fetch'] = async (_, init) => {
    keys.push(new Headers(init?.headers).get('idempotency-key'));
    if (keys.length !== 3) throw new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } });
    return Response.json({ ok: true, data: { task_id: 'a' } });
  };
  const onOutage: AssayOptions['onOutage'] = (error, hasEnded) => void outages.push([error?.name, hasEnded]);
  const options = { defectoscopy: { url: 'http://other.example.com' }, fetch, clock: createFakeClock(), onOutage };
  const { defectoscopy } = new Assay(options);
  const predict = () => defectoscopy.predict('https://storage.example.com/a.jpg');
  await predict();
  expect([keys.length, new Set(keys).size, outages.splice(0)]).toEqual([
    ...[3, 1],
    [
      ['NetworkProblem', false],
      [undefined, true],
    ],
  ]);
  await expect(predict()).rejects.toThrow(NetworkProblem);
  expect([keys.length, new Set(keys).size, outages]).toEqual([
    ...[7, 2],
    [
      ['NetworkProblem', false],
      ['NetworkProblem', true],
    ],
  ]);
});

it('the client does not repeat the exchange of a key that the server is not configured for', async () => {
  const error = { code: 'AUTH_UNCONFIGURED', message: 'No API keys are configured.' };
  const headers = { 'retry-after': '60' };
  const { passports, paths } = createClient(async () => Response.json({ ok: false, error }, { status: 503, headers }), {
    apiKey: 'any',
  });
  await expect(passports.result('a')).rejects.toThrow(error.message);
  expect(paths).toEqual(['/auth/token']);
});

it.each([
  ['the result', { token: 'any' }, '/api/task/a/result'],
  ['the token', { apiKey: 'any' }, '/auth/token'],
])(
  'the time limit of passports.wait ends repeated requests for %s that the rate limit rejects',
  async (_, credential, limited) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const paths: string[] = [];
    const fetch: AssayOptions['fetch'] = async (input) => {
      const { pathname } = new URL(String(input));
      paths.push(pathname);
      if (pathname === '/api/task/a/status') return Response.json({ status: 'SUCCESS' });
      return Response.json({}, { status: 429, headers: { 'retry-after': '1' } });
    };
    const passports = { url: 'http://other.example.com', ...credential };
    const client = new Assay({ passports, fetch, polling: 'local', onRateLimit: () => {} });
    const startedMs = Date.now();
    let waitedSeconds: number | undefined;
    const waiting = client.passports.wait('a', { timeoutSeconds: 10 }).catch((error: unknown) => {
      waitedSeconds = (Date.now() - startedMs) / 1000;
      throw error;
    });
    const message = 'Task a did not finish within 10 seconds; it continues.';
    const ended = expect(waiting).rejects.toMatchObject({ name: 'Timeout', message });
    await vi.advanceTimersByTimeAsync(60_000);
    await ended;
    expect(waitedSeconds).toBeGreaterThanOrEqual(10);
    expect(waitedSeconds).toBeLessThanOrEqual(15);
    expect(paths.filter((path) => path === limited).length).toBeGreaterThan(1);
  },
);
