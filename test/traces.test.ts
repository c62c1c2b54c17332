import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLog } from '../src/base/log.ts';
import { testDatabase } from '../src/base/testing/database.ts';
import { step } from '../src/base/trace.ts';
import { openTraces } from '../src/base/trace-export.ts';
import { createWorkMetrics } from '../src/roles/metrics.ts';
import { work } from '../src/roles/work.ts';
import { createModelClient } from '../src/services/passports/llm/client.ts';
import { TaskFailure } from '../src/tasks/task.ts';
import { type Collector, startCollector } from './helpers/otlp-collector.ts';
import { createExtraction, startPassports } from './helpers/passports.ts';
import { createFakeModel, type Product, RESULT, startProduct, TOKEN } from './helpers/product.ts';
import { startReceiver } from './helpers/receiver.ts';
import { type Assay, cleanUp, createInstancePlace, startAssay } from './processes/assay.ts';
import { uploadPicture, waitForTask } from './processes/client.ts';
import { waitUntil } from './processes/until.ts';

vi.setConfig({ testTimeout: 120_000 });

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';

async function createCollector(status?: number): Promise<Collector> {
  const collector = await startCollector(status);
  onTestFinished(() => collector.close());
  return collector;
}

async function createProduct(env: Record<string, string>, model = createFakeModel()): Promise<Product> {
  const product = await startProduct({ env, model });
  onTestFinished(() => product.stop());
  return product;
}

async function createReceiver(...replies: number[]) {
  const receiver = await startReceiver((n) => replies[n] ?? 204);
  onTestFinished(() => receiver.close());
  return receiver;
}

/** Ignores the API package, which the metrics library loads itself. */
const isLoaded = () =>
  Object.keys(createRequire(import.meta.url).cache).some((file) => /@opentelemetry\/(?!api\/)/.test(file));

// Must be the first test, because loaded modules stay loaded.
it("Without OTEL_EXPORTER_OTLP_ENDPOINT, OpenTelemetry is not loaded and the caller's trace is forwarded", async () => {
  const hook = await createReceiver();
  const product = await createProduct({});
  const traceparent = `00-${TRACE}-${CALLER}-01`;
  const body = { image_url: 'https://storage-1.example.com/photo.jpg', webhook_url: hook.url };
  await product.call('/predict', { method: 'POST', body, headers: { traceparent } });
  const [request] = await hook.waitForRequests(1);
  expect(request!.headers['traceparent']).toBe(traceparent);
  expect(isLoaded()).toBe(false);
  await openTraces({
    ...{ endpoint: 'http://127.0.0.1:9', sampler: 'always_off', ratio: 1, resource: {}, log: product.context.log },
  });
  expect(isLoaded()).toBe(true);
});

describe('Tracing with OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  it("exports one trace from POST to the callback as a child of the caller's trace and forwards it to the receiver", async () => {
    const collector = await createCollector();
    const hook = await createReceiver();
    const run = () => step('infer', async () => ({ result: RESULT }));
    const product = await createProduct({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, createFakeModel({ run }));
    const { body } = await product.call('/predict', {
      method: 'POST',
      headers: { traceparent: `00-${TRACE}-${CALLER}-01`, 'x-request-id': 'order-17' },
      body: { image_url: 'https://storage-1.example.com/photo.jpg', webhook_url: hook.url, priority: 'batch' },
    });
    const [request] = await hook.waitForRequests(1);
    const { task_id } = body.data;

    const posted = await collector.span('POST /predict', TRACE);
    const sent = await collector.span('send defectoscopy', TRACE);
    const processed = await collector.span('process defectoscopy', TRACE);
    const inferred = await collector.span('infer', TRACE);
    const delivered = await collector.span('POST webhook', TRACE);
    expect(posted).toMatchObject({
      kind: 'server',
      parentSpanId: CALLER,
      failed: false,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/predict',
        'http.response.status_code': 202,
        'assay.request.id': 'order-17',
      },
      resource: { 'service.name': 'assay', 'assay.role': 'test', 'service.instance.id': product.context.id },
    });
    expect(sent).toMatchObject({
      kind: 'producer',
      parentSpanId: posted.spanId,
      attributes: { 'messaging.message.id': task_id, 'assay.task.id': task_id, 'assay.task.priority': 'batch' },
    });
    expect(sent.seconds).toBeLessThanOrEqual(posted.seconds);
    expect(processed).toMatchObject({
      kind: 'consumer',
      parentSpanId: sent.spanId,
      failed: false,
      attributes: { 'assay.task.id': task_id, 'assay.task.attempt': 1, 'assay.attempt.outcome': 'done' },
    });
    expect(processed.attributes['assay.task.wait_seconds']).toBeGreaterThanOrEqual(0);
    expect(inferred).toMatchObject({ kind: 'internal', parentSpanId: processed.spanId });
    expect(delivered).toMatchObject({
      kind: 'client',
      parentSpanId: sent.spanId,
      attributes: { 'assay.task.id': task_id, 'http.response.status_code': 204, 'assay.delivery.outcome': 'delivered' },
    });
    expect(request!.headers['traceparent']).toBe(`00-${TRACE}-${delivered.spanId}-01`);
  });

  it('exports a span with the error code for every attempt of a task and a callback', async () => {
    const collector = await createCollector();
    const hook = await createReceiver(503);
    let runs = 0;
    const run = async () => {
      const transient = ++runs === 1;
      throw new TaskFailure({ code: transient ? 'IMAGE_FETCH_FAILED' : 'IMAGE_CORRUPT', message: '' }, { transient });
    };
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, WEBHOOK_RETRY_SCHEDULE: '0,0' };
    const product = await createProduct(env, createFakeModel({ run }));
    const id = await product.predict({ webhook_url: hook.url });
    await hook.waitForRequests(2);
    await product.stop();
    const summarize = ({ attributes, failed }: ReturnType<Collector['spans']>[number]) => [
      attributes['assay.task.attempt'] ?? attributes['http.request.resend_count'] ?? 0,
      attributes['assay.attempt.outcome'] ?? attributes['assay.delivery.outcome'],
      failed && attributes['error.type'],
    ];
    const traceSpans = collector.spans().filter(({ attributes }) => attributes['assay.task.id'] === id);
    expect(traceSpans.filter(({ kind }) => kind === 'consumer').map(summarize)).toEqual([
      [1, 'again', 'IMAGE_FETCH_FAILED'],
      [2, 'failed', 'IMAGE_CORRUPT'],
    ]);
    expect(traceSpans.filter(({ kind }) => kind === 'client').map(summarize)).toEqual([
      [0, 'pending', '503'],
      [1, 'delivered', false],
    ]);
    expect(new Set(traceSpans.map(({ traceId }) => traceId)).size).toBe(1);
  });

  it('ignores an invalid traceparent and starts a new trace', async () => {
    const collector = await createCollector();
    const product = await createProduct({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    const malformed = [
      'any text at all',
      `00-${'0'.repeat(32)}-${CALLER}-01`,
      `00-${TRACE}-${'0'.repeat(16)}-01`,
      `ff-${TRACE}-${CALLER}-01`,
      `00-${TRACE}-${CALLER}`,
      `00-${TRACE}-${CALLER}-01, 00-${TRACE}-${CALLER}-01`,
    ];
    for (const traceparent of malformed) {
      expect((await product.call('/livez', { headers: { traceparent } })).status).toBe(200);
    }
    await product.stop();
    const spans = collector.spans().filter(({ name }) => name === 'GET /livez');
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(malformed.length);
    for (const { traceId, parentSpanId } of spans)
      expect([traceId === TRACE, parentSpanId]).toEqual([false, undefined]);
  });

  it('does not export a trace that the caller has not sampled, and forwards this decision', async () => {
    const collector = await createCollector();
    const hook = await createReceiver();
    const product = await createProduct({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    const { body } = await product.call('/predict', {
      method: 'POST',
      headers: { traceparent: `00-${TRACE}-${CALLER}-00` },
      body: { image_url: 'https://storage-1.example.com/photo.jpg', webhook_url: hook.url },
    });
    const [request] = await hook.waitForRequests(1);
    expect(request!.headers['traceparent']).toMatch(new RegExp(`^00-${TRACE}-(?!${CALLER})[0-9a-f]{16}-00$`));
    await product.waitForResult(body.data.task_id);
    await product.stop();
    expect(collector.spans().filter(({ traceId }) => traceId === TRACE)).toEqual([]);
    expect(collector.spans()).not.toEqual([]);
  });

  it.each([
    // Exported of 200 traces each: new, sampled by the caller, not sampled by the caller.
    ['parentbased_always_on', 1, [200, 200, 0]],
    ['parentbased_always_off', 1, [0, 200, 0]],
    ['parentbased_traceidratio', 0, [0, 200, 0]],
    ['always_on', 0, [200, 200, 200]],
    ['always_off', 1, [0, 0, 0]],
    ['traceidratio', 1, [200, 200, 200]],
    ['traceidratio', 0, [0, 0, 0]],
  ] as const)('applies OTEL_TRACES_SAMPLER=%s with the argument %s', async (sampler, ratio, shares) => {
    const collector = await createCollector();
    const log = createLog('silent', 'test');
    const traces = await openTraces({ endpoint: collector.url, sampler, ratio, resource: {}, log });
    const parents = [undefined, `00-${TRACE}-${CALLER}-01`, `00-${TRACE}-${CALLER}-00`];
    for (const [i, parent] of parents.entries()) {
      for (let n = 0; n < 200; n++) traces.begin(`kind ${i}`, { parent }).end();
    }
    await traces.close();
    const countExported = (i: number) => collector.spans().filter(({ name }) => name === `kind ${i}`).length;
    expect(parents.map((_, i) => countExported(i))).toEqual(shares);
  });

  it('includes documents and language model requests in the trace of their upload', async () => {
    const collector = await createCollector();
    const language = createServer((request, response) => {
      request.resume().on('end', () => {
        const usage = { prompt_tokens: 70, completion_tokens: 5 };
        const choices = [{ message: { role: 'assistant', content: 'SECRET-ANSWER' } }];
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ choices, usage }));
      });
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void language.close());
    const passports = await startPassports({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: 'bti' });
    onTestFinished(() => passports.stop());
    const baseUrl = `http://127.0.0.1:${(language.address() as AddressInfo).port}/v1`;
    const server = createModelClient({ baseUrl, model: 'small-1', apiKey: 'SECRET-KEY' });
    const { context } = passports;
    const stop = new AbortController();
    const registry = new Registry();
    const run = async ({ signal }: { signal: AbortSignal }) => {
      await server.complete([{ role: 'user', content: 'SECRET-QUESTION' }], 'text', {}, signal);
      return { result: createExtraction() as never };
    };
    const working = work({
      ...{ id: 'reader', service: 'passports', tasks: context.tasks, workers: context.workers, log: context.log },
      load: async () => createFakeModel({ run }),
      ...{ maxAttempts: 1, workMetrics: createWorkMetrics('passports', registry), metrics: async () => [] },
      ...{ traces: context.traces, signal: stop.signal },
    });
    const client = await passports.signIn();
    const [id] = await client.upload({ name: 'SECRET-NAME.pdf', bytes: '%PDF-1.4 SECRET-BYTES' });

    const sent = await collector.span('send passports');
    const uploaded = await collector.span('POST /upload', sent.traceId);
    const processed = await collector.span('process passports', sent.traceId);
    const chat = await collector.span('chat small-1', sent.traceId);
    stop.abort();
    await working;
    expect(sent).toMatchObject({ parentSpanId: uploaded.spanId, attributes: { 'messaging.batch.message_count': 1 } });
    expect(processed).toMatchObject({ parentSpanId: sent.spanId, attributes: { 'assay.task.id': id } });
    expect(processed.resource['service.name']).toBe('bti');
    expect(chat).toMatchObject({
      kind: 'client',
      parentSpanId: processed.spanId,
      attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': 70 },
    });
    const everything = collector.requests.map(({ text }) => text).join('\n');
    expect(everything).not.toContain('SECRET');
    expect(everything).not.toContain(client.token);
  });

  it('exports no token, secret, client-supplied URL or client address', async () => {
    const collector = await createCollector();
    const hook = await createReceiver(500);
    const secret = `whsec_${Buffer.from('CANARY-SIGNING-SECRET-OF-WEBHOOK').toString('base64')}`;
    const product = await createProduct({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'X-Collector-Key=CANARY%20KEY,x-other=2',
      DEFECTOSCOPY_WEBHOOK_SECRETS: `${await principal()}:${secret}`,
      WEBHOOK_RETRY_SCHEDULE: '0,0',
    });
    const id = await product.predict({
      image_url: 'https://storage-1.example.com/CANARY-path/photo.jpg?X-Amz-Signature=CANARY-query',
      webhook_url: `${hook.url}/CANARY-hook?token=CANARY-token`,
    });
    await hook.waitForRequests(2);
    await product.call('/predict?CANARY-asked=1', { method: 'POST', token: 'CANARY-wrong-token', body: {} });
    await product.call('/CANARY-nowhere?x=CANARY-there');
    await product.call(`/result/${id}`, { headers: { cookie: 'session=CANARY-cookie', 'user-agent': 'CANARY-agent' } });
    await product.stop();
    const { requests } = collector;
    expect(new Set(requests.map(({ path }) => path))).toEqual(new Set(['/v1/traces']));
    expect(requests[0]!.headers).toMatchObject({ 'x-collector-key': 'CANARY KEY', 'x-other': '2' });
    const text = requests.map((request) => request.text).join('\n');
    expect(text).toContain(id);
    for (const hidden of ['CANARY', TOKEN, secret, await principal(), 'storage-1', '127.0.0.1']) {
      expect(text).not.toContain(hidden);
    }
  });

  it.each([
    ['is unreachable', undefined],
    ['returns 401', 401],
  ])('completes all tasks and logs one line when the collector %s', async (_, status) => {
    const collector = await startCollector(status);
    if (status === undefined) await collector.close();
    else onTestFinished(() => collector.close());
    const product = await createProduct({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, LOG_LEVEL: 'info' });
    const warn = vi.spyOn(product.context.log, 'warn').mockImplementation(() => {});
    const ids = await Promise.all(Array.from({ length: 20 }, () => product.predict()));
    for (const id of ids) expect(await product.waitForResult(id)).toMatchObject({ status: 'done' });
    await product.stop();
    const warnings = warn.mock.calls.filter(([, text]) => /traces/.test(String(text)));
    expect(warnings).toHaveLength(1);
  });
});

it('Each process exports its spans before it exits, and its log contains the trace ids', async () => {
  const collector = await createCollector();
  const hook = await createReceiver();
  const database = await testDatabase();
  onTestFinished(() => database.drop());
  onTestFinished(cleanUp);
  const env = {
    DATABASE_URL: database.url,
    FILES_HOST: 'files.assay.internal',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    LOG_LEVEL: 'debug',
  };
  const place = await createInstancePlace();
  const roles = [['serve'], ['work', '--service', 'defectoscopy'], ['deliver']];
  const processes = roles.map((args) => startAssay(place, { args, env }));
  const [assay] = processes as [Assay];
  const isUp = () =>
    assay.call('/livez').then(
      ({ status }) => status === 200,
      () => false,
    );
  await waitUntil(isUp, 60_000);
  const traceparent = `00-${TRACE}-${CALLER}-01`;
  const image_url = await uploadPicture(assay, 1);
  const body = { image_url, webhook_url: hook.url };
  const { task_id } = (await assay.call('/predict', { body, headers: { traceparent } })).body.data;
  expect(await waitForTask(assay, task_id)).toMatchObject({ status: 'done' });
  await hook.waitForRequests(1);
  const missingInput = { image_url: image_url.replace(/[^/]+$/, 'gone.jpg') };
  const failed = (await assay.call('/predict', { body: missingInput, headers: { traceparent } })).body.data.task_id;
  expect(await waitForTask(assay, failed)).toMatchObject({ status: 'failed' });
  for (const each of processes) each.kill('SIGTERM');
  for (const { ended } of processes) expect(await ended).toMatchObject({ code: 0 });

  const taskSpans = collector.spans().filter(({ traceId }) => traceId === TRACE);
  const from = (role: string) =>
    taskSpans.filter(({ resource }) => resource['assay.role'] === role).map(({ name }) => name);
  expect(from('serve').sort()).toEqual([...Array(2).fill('POST /predict'), ...Array(2).fill('send defectoscopy')]);
  expect(from('work')).toEqual(expect.arrayContaining(['process defectoscopy', 'download', 'decode', 'infer']));
  expect(from('deliver')).toEqual(['POST webhook']);
  const lines = processes.flatMap(({ output }) => output.err.split('\n').filter((line) => line.startsWith('{')));
  const named = lines.map((line) => JSON.parse(line)).filter(({ trace_id }) => trace_id === TRACE);
  expect(named).toContainEqual(expect.objectContaining({ role: 'serve', msg: 'answered', route: '/predict' }));
  expect(named).toContainEqual(expect.objectContaining({ role: 'work', task: failed, msg: 'an attempt failed' }));
});

async function principal(): Promise<string> {
  const { parseTokenSettings } = await import('../src/http/bearer.ts');
  const tokens = parseTokenSettings({ list: TOKEN });
  return tokens.state === 'enforced' ? tokens.entries[0]!.principal : '';
}
