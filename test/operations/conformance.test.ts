import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { conformCommand } from '../../src/commands/conform.ts';
import {
  type CheckResult,
  createProbe,
  runChecks,
  type ServiceName,
  serviceChecks,
  type Visit,
} from '../../src/conform/index.ts';
import { FAILURES as IMAGE_FAILURES } from '../../src/services/defectoscopy/failures.ts';
import { failure } from '../../src/services/passports/failures.ts';
import type { Job } from '../../src/services/shared/service.ts';
import { FAILURES as AUDIO_FAILURES } from '../../src/services/stt/failures.ts';
import { TaskFailure } from '../../src/tasks/task.ts';
import { startCatalog } from '../support/catalog.ts';
import {
  authenticateAs,
  changeRequestText,
  changeResponses,
  type Deviations,
  editErrors,
  editJson,
  editJsonAfter,
  type FaultyProxy,
  LOST,
  rejectLater,
  respondAfter,
  startFaultyProxy,
} from '../support/faulty-proxy.ts';
import { ADMIN_KEY, createExtraction, createFakeExtractionModel, createPdf } from '../support/passports.ts';
import { createFakeModel, type Product, RESULT, startProduct, TOKEN } from '../support/product.ts';
import { createFakeSpeechModel, createSilence, TRANSCRIPT } from '../support/speech/fake-model.ts';

let image: Buffer;
const document = Buffer.from(createPdf().bytes);
beforeAll(async () => {
  const create = { width: 60, height: 40, channels: 3, background: '#888' } as const;
  image = await sharp({ create }).jpeg().toBuffer();
});

let runCount = 0;
// State of the deviations that count requests or share a session.
let readCount = 0;
let sharedSession: string | undefined;
async function checkService(service: ServiceName, url: string, only = service as string, over: Partial<Visit> = {}) {
  const { signal } = new AbortController();
  const visit: Visit = {
    probe: createProbe(url, signal),
    token: TOKEN,
    apiKey: ADMIN_KEY,
    fileUrl: undefined,
    specimens: { image: async () => image, recording: async () => createSilence(), document: async () => document },
    webhookUrl: 'https://conform.invalid/hook',
    sameMachine: true,
    timeoutMs: 20_000,
    mayFlood: only.endsWith('.limit'),
    mayCleanUp: true,
    nonce: `visit${++runCount}`,
    signal,
    ...over,
  };
  const subject = serviceChecks.find(({ name }) => name === service)!;
  const results: CheckResult[] = [];
  for await (const result of runChecks(subject, visit, ({ id }) => `${id}.`.startsWith(`${only}.`)))
    results.push(result);
  return results;
}

const idsOf = (results: CheckResult[], outcome: CheckResult['outcome']) =>
  results.filter((result) => result.outcome === outcome).map(({ check }) => check.id);

interface Deployment {
  readonly url: string;
  stop(): Promise<void>;
}

/** Expects that a real deployment passes every check and that each deviation fails its check. */
function describeConformance<D extends Deployment>(
  service: ServiceName,
  options: {
    start: () => Promise<D>;
    work?: (deployment: D, proxy: FaultyProxy) => Promise<unknown>;
    skips: string[];
    deviations: Deviations;
    /** Responses that the specification allows, and the checks that they must pass. */
    variations?: Deviations;
  },
) {
  describe(`assay conform for ${service}`, () => {
    let deployment: D;
    let proxy: FaultyProxy;
    beforeAll(async () => {
      deployment = await options.start();
      proxy = await startFaultyProxy(deployment.url);
      await options.work?.(deployment, proxy);
    });
    afterEach(() => {
      proxy.deviation = {};
      sharedSession = undefined;
    });
    afterAll(async () => {
      await proxy.close();
      await deployment.stop();
    });

    it('passes every check for the product', async () => {
      const results = await checkService(service, proxy.url);
      expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
      expect(idsOf(results, 'skipped')).toEqual(options.skips);
    });

    it.each([
      ['that is missing', { status: 200, body: Buffer.from('{"ok":true,"data":{}}') }],
      ['with a server error', { status: 500 }],
    ])('reports every rejection %s', { tags: ['full'] }, async (_, change) => {
      proxy.deviation = { out: ({ status }) => (status >= 400 && status < 500 ? change : undefined) };
      const results = await checkService(service, proxy.url);
      expect(idsOf(results, 'passed').filter((id) => /refuses|malformed|access|unknown|delete.again/.test(id))).toEqual(
        [],
      );
    });

    it('reports a lost connection only where it is lost', { tags: ['full'] }, async () => {
      for (const lost of [1, 2, 5, 12]) {
        let count = 0;
        proxy.deviation = { out: () => (++count === lost ? { status: LOST } : undefined) };
        const results = await checkService(service, proxy.url);
        expect(idsOf(results, 'failed'), `request ${lost}`).toHaveLength(1);
        expect(idsOf(results, 'skipped'), `request ${lost}`).toEqual(options.skips);
      }
    });

    it.each(options.deviations)('reports when %s', { tags: ['full'] }, async (_, id, breach) => {
      proxy.deviation = breach;
      const results = await checkService(service, proxy.url, id.split('.').slice(0, 2).join('.'));
      expect(idsOf(results, 'failed')).toContain(id);
      for (const result of results) expect(result).not.toHaveProperty('silent');
    });

    it.each(options.variations ?? [])('accepts that %s', { tags: ['full'] }, async (_, id, variation) => {
      proxy.deviation = variation;
      expect(await checkService(service, proxy.url, id)).toMatchObject([{ check: { id }, outcome: 'passed' }]);
    });
  });
}

const isMissing = ({ input }: Job) => JSON.stringify(input).includes('.conform-');

describeConformance('defectoscopy', {
  start: () => startProduct({ env: { DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0' } }),
  // A task finishes after its state has been polled once more.
  work: (product, proxy) =>
    product.startWorker(
      createFakeModel({
        async run(job) {
          await proxy.waitForLaterRequest(job.signal);
          if (isMissing(job)) throw new TaskFailure(IMAGE_FAILURES.notFound);
          return { result: RESULT };
        },
      }),
    ),
  skips: ['defectoscopy.health.not-ready', 'defectoscopy.access.unconfigured', 'defectoscopy.limit'],
  deviations: [
    [
      'a task is accepted with 200',
      'defectoscopy.predict.status',
      changeResponses('POST /predict', 202, { status: 200 }),
    ],
    [
      'status_url is absolute',
      'defectoscopy.predict.status-url',
      editJson('POST /predict', ({ data }) =>
        Object.assign(data, { status_url: `https://api.example.com${data.status_url}` }),
      ),
    ],
    [
      'the estimate is text',
      'defectoscopy.predict.estimate',
      editJson('POST /predict', ({ data }) => Object.assign(data, { estimated_wait_seconds: '90' })),
    ],
    [
      'a task is processing before it is queued',
      'defectoscopy.predict.queued',
      editJson('POST /predict', ({ data }) => Object.assign(data, { status: 'processing' })),
    ],
    [
      'every task has the same id',
      'defectoscopy.predict.another-task',
      editJson('POST /predict', ({ data }) => Object.assign(data, { task_id: 'the-task' })),
    ],
    ['a second task is rejected', 'defectoscopy.predict.another-task', rejectLater('POST /predict')],
    [
      'a delivery is delivered before it is sent',
      'defectoscopy.webhook.pending',
      editJson('GET /result/', ({ data }) => data.message && Object.assign(data.webhook ?? {}, { state: 'delivered' })),
    ],
    [
      'a delivery is delivered before its response',
      'defectoscopy.webhook.pending',
      editJson('GET /result/', ({ data }) => data.result && Object.assign(data.webhook ?? {}, { state: 'delivered' })),
    ],
    [
      'webhooks to localhost are rejected',
      'defectoscopy.webhook-url.http-localhost',
      changeRequestText('POST /predict', (text) => text.replace('http://localhost:', 'http://local:')),
    ],
    [
      'a task in progress has a result that is null',
      'defectoscopy.result.in-progress.no-result',
      editJson('GET /result/', ({ data }) => data.message && Object.assign(data, { result: null })),
    ],
    [
      'a final state changes between polls',
      'defectoscopy.result.final',
      editJson('GET /result/', ({ data }) => data.result && Object.assign(data, { processing_time_ms: ++readCount })),
    ],
    [
      'a callback has a wrong event',
      'defectoscopy.webhook.header.event',
      { callback: { 'x-service-event': 'defectoscopy.done' } },
    ],
    [
      'a callback has a wrong task id',
      'defectoscopy.webhook.header.task-id',
      { callback: { 'x-service-task-id': 'another' } },
    ],
    [
      'a callback has a form content type',
      'defectoscopy.webhook.header.type',
      { callback: { 'content-type': 'application/x-www-form-urlencoded' } },
    ],
    [
      'a callback has no delivery id',
      'defectoscopy.webhook.header.delivery-id',
      { callback: { 'x-service-delivery-id': '' } },
    ],
    ['ok is missing', 'defectoscopy.predict.envelope', editJson('POST /predict', (body) => delete body.ok)],
    [
      'http image URLs are accepted',
      'defectoscopy.predict.refuses.image-http',
      changeRequestText('POST /predict', (text) => text.replace('http://files', 'https://files')),
    ],
    [
      'images from any host are accepted',
      'defectoscopy.predict.refuses.image-host',
      changeRequestText('POST /predict', (text) => text.replace('conform.invalid', 'files.assay.internal')),
    ],
    [
      'any priority is accepted',
      'defectoscopy.predict.refuses.priority-word',
      changeRequestText('POST /predict', (text) => text.replace('urgent', 'batch')),
    ],
    [
      'a bad request is 400',
      'defectoscopy.predict.refuses.no-image',
      changeResponses('POST /predict', 422, { status: 400 }),
    ],
    [
      'the error code of a bad request is in lower case',
      'defectoscopy.predict.refuses.body-list',
      editErrors('POST /predict', ({ error }) => Object.assign(error, { code: 'validation_error' })),
    ],
    [
      'http webhooks to any host are accepted',
      'defectoscopy.webhook-url.refuses.http',
      changeRequestText('POST /predict', (text) => text.replace('http://conform.invalid', 'https://conform.invalid')),
    ],
    [
      'http webhooks to [::1] are rejected',
      'defectoscopy.webhook-url.http-ipv6',
      changeRequestText('POST /predict', (text) => text.replace('[::1]', '[::2]')),
    ],
    [
      'a queued task is answered with 200',
      'defectoscopy.result.in-progress.status',
      changeResponses('GET /result/', 202, { status: 200 }),
    ],
    [
      'a task in progress has no message',
      'defectoscopy.result.in-progress.message',
      editJson('GET /result/', ({ data }) => delete data.message),
    ],
    [
      'completed_at is a number',
      'defectoscopy.result.done.completed-at',
      editJson(
        'GET /result/',
        ({ data }) => data.completed_at && Object.assign(data, { completed_at: Number(data.completed_at) }),
      ),
    ],
    [
      'completed_at is in milliseconds',
      'defectoscopy.result.done.completed-at',
      editJson(
        'GET /result/',
        ({ data }) => data.completed_at && Object.assign(data, { completed_at: `${data.completed_at}000` }),
      ),
    ],
    [
      'a defect has no confidence',
      'defectoscopy.result.done.result',
      editJson('GET /result/', ({ data }) => delete data.result?.defects[0].conf),
    ],
    [
      'a defect is not in the class list',
      'defectoscopy.result.done.names',
      editJson('GET /result/', ({ data }) => data.result && Object.assign(data.result.defects[0], { name: 'hole' })),
    ],
    [
      'the absent error of a task is null',
      'defectoscopy.result.done.nothing-else',
      editJson('GET /result/', ({ data }) => data.result && Object.assign(data, { error: null })),
    ],
    [
      'the absent webhook of a task is null',
      'defectoscopy.result.no-webhook',
      editJson('GET /result/', ({ data }) => !data.webhook && Object.assign(data, { webhook: null })),
    ],
    [
      'a failed task is answered with 500',
      'defectoscopy.result.failed.status',
      {
        out: ({ body }, { path }) =>
          path.startsWith('/result/') && body.includes('"failed"') ? { status: 500 } : undefined,
      },
    ],
    [
      'an unknown task has a wrong error code',
      'defectoscopy.result.unknown',
      editErrors('GET /result/', ({ error }) => Object.assign(error, { code: 'NOT_FOUND' })),
    ],
    [
      'the next attempt of a webhook is null',
      'defectoscopy.webhook.fields',
      editJson('GET /result/', ({ data }) => data.webhook && Object.assign(data.webhook, { next_attempt_at: null })),
    ],
    [
      'a delivered webhook has no delivery time',
      'defectoscopy.webhook.delivered',
      editJson('GET /result/', ({ data }) => delete data.webhook?.delivered_at),
    ],
    [
      'the callback differs from the poll',
      'defectoscopy.webhook.body',
      editJson('GET /result/', ({ data }) => data.result && Object.assign(data.result, { surface: 'brick_wall' })),
    ],
    [
      'the delivery id differs between callback and poll',
      'defectoscopy.webhook.header.delivery-id',
      editJson('GET /result/', ({ data }) => data.webhook && Object.assign(data.webhook, { delivery_id: 'other' })),
    ],
    [
      'the surfaces are readable without a token',
      'defectoscopy.access.no-token.classes-surfaces',
      authenticateAs('GET /classes/surfaces', TOKEN),
    ],
    ['any token can create tasks', 'defectoscopy.access.wrong-token.predict', authenticateAs('POST /predict', TOKEN)],
    [
      'a wrong token is answered with 403',
      'defectoscopy.access.wrong-token.result',
      changeResponses('GET /result/', 401, { status: 403 }),
    ],
    [
      'health requires a token',
      'defectoscopy.health.status',
      { out: (_, { path, headers }) => (path === '/health' && !headers.authorization ? { status: 401 } : undefined) },
    ],
    [
      'the video memory is a string',
      'defectoscopy.health.body',
      editJson('GET /health', ({ data }) => Object.assign(data.gpu, { vram_total_mb: '0 MB' })),
    ],
    [
      'a model that is not ready has a wrong error code',
      'defectoscopy.health.not-ready',
      changeResponses('GET /health', 200, {
        status: 503,
        body: Buffer.from('{"ok":false,"error":{"code":"COLD","message":"x"}}'),
      }),
    ],
    [
      'the classes are objects',
      'defectoscopy.classes.defects',
      editJson('GET /classes/defects', (body) =>
        Object.assign(body, { data: body.data.map((name: string) => ({ name })) }),
      ),
    ],
    ['/redoc is missing', 'defectoscopy.reference.redoc', changeResponses('GET /redoc', 200, { status: 404 })],
    [
      'the metrics are JSON',
      'defectoscopy.reference.metrics',
      changeResponses('GET /metrics', 200, { body: Buffer.from('{"tasks":1}') }),
    ],
  ],
});

describeConformance('stt', {
  start: () => startProduct({ service: 'stt', env: { STT_RATE_LIMIT_PER_MINUTE: '0' } }),
  work: (product, proxy) =>
    product.startWorker(
      createFakeSpeechModel({
        concurrency: 4,
        async run(job) {
          await proxy.waitForLaterRequest(job.signal);
          if (isMissing(job)) throw new TaskFailure(AUDIO_FAILURES.notFound);
          return { result: TRANSCRIPT as never };
        },
      }),
    ),
  skips: ['stt.access.unconfigured', 'stt.limit'],
  deviations: [
    ['a task is accepted with 201', 'stt.accept.status', changeResponses('POST /transcribe', 202, { status: 201 })],
    [
      'the accepted response has a text content type',
      'stt.accept.envelope',
      {
        out: ({ headers }, { method }) =>
          method === 'POST' ? { headers: { ...headers, 'content-type': 'text/plain' } } : undefined,
      },
    ],
    [
      'the id of a task has another name',
      'stt.accept.task-id',
      editJson('POST /transcribe', ({ data }) => {
        data.id = data.task_id;
        delete data.task_id;
      }),
    ],
    [
      'metadata is not echoed at once',
      'stt.accept.metadata',
      editJson('POST /transcribe', ({ data }) => delete data.metadata),
    ],
    [
      'metadata is echoed as text',
      'stt.result.metadata',
      editJson(
        'GET /result/',
        ({ data }) => data.metadata && Object.assign(data, { metadata: JSON.stringify(data.metadata) }),
      ),
    ],
    [
      'metadata that was not sent is null',
      'stt.accept.no-metadata',
      editJson('POST /transcribe', ({ data }) => Object.assign(data, { metadata: data.metadata ?? null })),
    ],
    [
      'every task has a webhook',
      'stt.accept.no-webhook',
      editJson('POST /transcribe', ({ data }) =>
        Object.assign(data, { webhook: { configured: true, status: 'pending' } }),
      ),
    ],
    [
      'a final state changes between polls',
      'stt.result.again',
      editJson('GET /result/', ({ data }) => data.result && Object.assign(data, { processing_time_ms: ++readCount })),
    ],
    [
      'a webhook is active right after acceptance',
      'stt.accept.webhook',
      editJson('POST /transcribe', ({ data }) => data.webhook && Object.assign(data.webhook, { status: 'active' })),
    ],
    [
      'a webhook has `state` where it should have `status`',
      'stt.result.webhook',
      editJson('GET /result/', ({ data }) => {
        if (data.webhook) Object.assign(data, { webhook: { configured: true, state: data.webhook.status } });
      }),
    ],
    [
      'http recording URLs are accepted',
      'stt.accept.refuses.url-http',
      changeRequestText('POST /transcribe', (text) => text.replace('http://', 'https://')),
    ],
    [
      'a list is accepted as metadata',
      'stt.accept.refuses.metadata-list',
      changeRequestText('POST /transcribe', (text) => text.replace('[1]', '{"0":1}')),
    ],
    [
      'a bad request has a wrong error code',
      'stt.accept.refuses.webhook-no-url',
      editErrors('POST /transcribe', ({ error }) => Object.assign(error, { code: 'INVALID_REQUEST' })),
    ],
    [
      'a transcription is null',
      'stt.result.transcription',
      editJson('GET /result/', ({ data }) => data.result && Object.assign(data.result, { transcription: null })),
    ],
    [
      'the result has no service',
      'stt.result.service',
      editJson('GET /result/', ({ data }) => delete data.result?.service),
    ],
    [
      'an optional field is null',
      'stt.result.final',
      editJson('GET /result/', ({ data }) => data.result && Object.assign(data, { failed_at: null })),
    ],
    [
      'an unknown task returns an empty success',
      'stt.result.unknown',
      changeResponses('GET /result/', 404, { status: 200, body: Buffer.from('{"ok":true,"data":{}}') }),
    ],
    ['any token can read results', 'stt.access.wrong-token.result', authenticateAs('GET /result/', TOKEN)],
    [
      'a missing token returns FORBIDDEN',
      'stt.access.no-token.transcribe',
      editErrors('POST /transcribe', ({ error }) => Object.assign(error, { code: 'FORBIDDEN' })),
    ],
    [
      'the OpenAPI document is missing',
      'stt.reference.openapi',
      changeResponses('GET /openapi.json', 200, { status: 404 }),
    ],
  ],
});

describeConformance('passports', {
  start: () =>
    startProduct({
      service: 'passports',
      env: { PASSPORTS_API_KEYS: `admin:${ADMIN_KEY}`, PASSPORTS_TOKEN_LIMIT_PER_MINUTE: '0' },
    }),
  work: (product, proxy) =>
    product.startWorker({
      ...createFakeExtractionModel(),
      async run({ input, signal }: Job) {
        await proxy.waitForLaterRequest(signal);
        const file = await product.context.files.get((input as { file_key: string }).file_key);
        // The checks upload an empty page.
        if (file?.includes('/Resources << >>')) throw new TaskFailure(failure('NO_FIELDS_FOUND'));
        return { result: createExtraction() as never };
      },
    }),
  skips: [],
  deviations: [
    [
      'the lifetime of a token is text',
      'passports.token.body',
      editJson('POST /auth/token', (body) => Object.assign(body, { expires_in: '24h' })),
    ],
    [
      'a body without a key has the error envelope',
      'passports.token.malformed.no-key',
      changeResponses('POST /auth/token', 422, {
        body: Buffer.from('{"ok":false,"error":{"code":"BAD","message":"x"}}'),
      }),
    ],
    [
      'a wrong key has no code',
      'passports.token.wrong-key',
      editErrors('POST /auth/token', ({ error }) => delete error?.code),
    ],
    [
      'documents can be deleted without a token',
      'passports.access.no-token.delete',
      changeResponses('DELETE /task/', 401, { status: 200, body: Buffer.alloc(0) }),
    ],
    [
      'a forged token can read the deep health',
      'passports.access.wrong-token.health',
      changeResponses('GET /health/deep', 401, { status: 200, body: Buffer.from('{"ok":true}') }),
    ],
    [
      'the session cookie has a wrong name',
      'passports.session.cookie',
      {
        out: ({ headers }) => ({
          headers: {
            ...headers,
            ...(headers['set-cookie'] && { 'set-cookie': headers['set-cookie'].map((one) => one.replace('bti_', '')) }),
          },
        }),
      },
    ],
    [
      'an upload is answered with a page',
      'passports.upload.json',
      changeResponses('POST /upload', 202, { body: Buffer.from('<html>') }),
    ],
    [
      'all clients share one session',
      'passports.session.others',
      {
        in: ({ headers }) => {
          sharedSession = headers.cookie ?? sharedSession;
          return sharedSession === undefined ? undefined : { headers: { ...headers, cookie: sharedSession } };
        },
      },
    ],
    [
      'every session lists the documents of the first one',
      'passports.session.others',
      {
        in: ({ headers, path }) => {
          sharedSession ??= headers.cookie;
          return path === '/api/tasks' && headers.cookie
            ? { headers: { ...headers, cookie: sharedSession } }
            : undefined;
        },
      },
    ],
    [
      'another session has no list',
      'passports.session.others',
      {
        out: (_, { headers, path }) => {
          sharedSession ??= headers.cookie;
          return path === '/api/tasks' && headers.cookie !== sharedSession ? { status: 500 } : undefined;
        },
      },
    ],
    [
      'an unknown document is reported without a token',
      'passports.access.no-token.delete',
      changeResponses('DELETE /task/', 401, {
        status: 404,
        body: Buffer.from('{"error":{"code":"TASK_NOT_FOUND","message":"x"}}'),
      }),
    ],
    ['a list has no total', 'passports.list.body', editJson('GET /api/tasks', (body) => delete body.total)],
    [
      'created_at is a number',
      'passports.list.body',
      editJson('GET /api/tasks', ({ items }) =>
        items.map((item: any) => Object.assign(item, { created_at: Date.parse(item.created_at) })),
      ),
    ],
    ['a list is reversed', 'passports.list.sorted', editJson('GET /api/tasks', ({ items }) => items.reverse())],
    [
      'more than 200 documents per page are accepted',
      'passports.list.refuses.limit-201',
      { in: ({ path }) => ({ path: path.replace('limit=201', 'limit=200') }) },
    ],
    [
      'page 0 is accepted',
      'passports.list.refuses.page-0',
      { in: ({ path }) => ({ path: path.replace('page=0', 'page=1') }) },
    ],
    [
      'the filter is ignored',
      'passports.list.filter.failed',
      { in: ({ path }) => ({ path: path.replace(/status=[A-Z]+/, '') }) },
    ],
    [
      'a known file is not served from the cache',
      'passports.repeated.cached',
      editJson('GET /api/tasks', ({ items }) => items.map((item: any) => Object.assign(item, { cached: false }))),
    ],
    [
      'a state has an unspecified name',
      'passports.status.state',
      editJson('GET /api/task/', (body) => Object.assign(body, { status: `X_${body.status}` })),
    ],
    [
      'numbers with a point are ignored',
      'passports.update.decimal-point',
      changeRequestText('POST /task/', (text) => (/=[\d]+\.\d+$/.test(text) ? '' : text)),
    ],
    [
      'a decimal comma is lost',
      'passports.update.decimal-comma',
      changeRequestText('POST /task/', (text) => text.replace('%2C', '')),
    ],
    [
      'an empty value is not stored as empty',
      'passports.update.empty',
      changeRequestText('POST /task/', (text) => (text.endsWith('=') ? `${text}0` : text)),
    ],
    [
      'an update returns another status than ok',
      'passports.update.json',
      editJson('POST /task/', (body) => Object.assign(body, { status: 'updated' })),
    ],
    [
      'an update of a form is answered with 302',
      'passports.update.redirect',
      changeResponses('POST /task/', 303, { status: 302 }),
    ],
    [
      'an edited document becomes PENDING',
      'passports.update.state',
      editJsonAfter('POST /task/', 'GET /api/task/', (body) => Object.assign(body, { status: 'PENDING' })),
    ],
    [
      'a failed document can be edited',
      'passports.update.not-success',
      changeResponses('POST /task/', 409, { status: 200, body: Buffer.from('{"status":"ok"}') }),
    ],
    [
      'a rename has a JSON mode',
      'passports.rename.no-json',
      {
        out: ({ status }, { path, headers }) =>
          path.endsWith('/rename') && status === 303 && headers.accept === 'application/json'
            ? { status: 200, body: Buffer.from('{"status":"ok"}') }
            : undefined,
      },
    ],
    [
      'a name of 256 characters is accepted',
      'passports.rename.refuses.long',
      changeRequestText('POST /task/', (text) => text.replace('x'.repeat(256), 'x'.repeat(255))),
    ],
    [
      'a rename redirects to another page',
      'passports.rename.redirect',
      { out: ({ headers, status }) => (status === 303 ? { headers: { ...headers, location: '/tasks' } } : undefined) },
    ],
    [
      'a completed document can be retried',
      'passports.retry.conflict',
      changeResponses('POST /api/task/', 409, { status: 200, body: Buffer.from('{"status":"PENDING"}') }),
    ],
    [
      'a rejected retry changes the state',
      'passports.retry.unchanged',
      editJsonAfter('POST /api/task/', 'GET /api/task/', (body) => Object.assign(body, { status: 'PENDING' })),
    ],
    [
      'the response to a retry has no state',
      'passports.retry.pending',
      changeResponses('POST /api/task/', 200, { body: Buffer.from('{}') }),
    ],
    [
      'an Excel file has an unspecified name',
      'passports.export.excel.name-plain',
      {
        out: ({ headers }) => ({
          headers: {
            ...headers,
            ...(headers['content-disposition'] && { 'content-disposition': 'attachment; filename="export.xlsx"' }),
          },
        }),
      },
    ],
    [
      'a report is an HTML page',
      'passports.export.pdf.file',
      changeResponses('GET /export/', 200, { body: Buffer.from('<html>') }),
    ],
    [
      'an empty list of images becomes a PDF',
      'passports.create-pdf.refuses.empty',
      changeResponses('POST /api/v1/create-pdf', 400, {
        status: 202,
        body: Buffer.from('{"task_id":null,"status":"PENDING"}'),
      }),
    ],
    [
      'an assembled PDF has a numeric id',
      'passports.create-pdf.body',
      editJson('POST /api/v1/create-pdf', (body) => Object.assign(body, { task_id: 17 })),
    ],
    [
      'a cleanup accepts any number of days',
      'passports.cleanup.refuses.days-366',
      { in: ({ path }) => ({ path: path.replace('days=366', 'days=365') }) },
    ],
    [
      'a cleanup returns no counts',
      'passports.cleanup.body',
      editJson('POST /admin/cleanup', (body) => delete body.deleted_tasks),
    ],
    [
      'the deep health has an unspecified LLM status',
      'passports.health.body',
      editJson('GET /health/deep', ({ data }) => Object.assign(data, { llm_status: 'off' })),
    ],
    [
      'a deletion is answered with a body',
      'passports.delete.status',
      changeResponses('DELETE /task/', 200, { body: Buffer.from('{"status":"ok"}') }),
    ],
    [
      'a deletion is answered with 204',
      'passports.delete.status',
      changeResponses('DELETE /task/', 200, { status: 204 }),
    ],
    [
      'the list fails after a deletion',
      'passports.delete.gone',
      respondAfter('DELETE /task/', 'GET /api/tasks', { status: 500 }),
    ],
    [
      'the deletion of an unknown document fails with the error envelope',
      'passports.delete.unknown',
      changeResponses('DELETE /task/', 404, { status: 500 }),
    ],
    [
      'the state of a deleted document fails',
      'passports.delete.gone',
      respondAfter('DELETE /task/', 'GET /api/task/', { status: 502, body: Buffer.from('<html>') }),
    ],
    [
      'a deleted document has a result',
      'passports.delete.gone',
      {
        out: ({ status }, { path }) =>
          path.endsWith('/result') && status === 404 ? { status: 200, body: Buffer.from('{}') } : undefined,
      },
    ],
    [
      'an invalid UUID in the path returns 404',
      'passports.path.delete-task',
      changeResponses('DELETE /task/', 422, {
        status: 404,
        body: Buffer.from('{"error":{"code":"TASK_NOT_FOUND","message":"x"}}'),
      }),
    ],
  ],
  variations: [
    [
      'a missing token has the error code of an unknown document',
      'passports.access.no-token.delete',
      changeResponses('DELETE /task/', 401, {
        body: Buffer.from('{"error":{"code":"TASK_NOT_FOUND","message":"x"}}'),
      }),
    ],
    [
      'the result of a deleted document has the status NOT_FOUND',
      'passports.delete.gone',
      {
        out: ({ status }, { path }) =>
          path.endsWith('/result') && status === 404
            ? { status: 200, body: Buffer.from('{"status":"NOT_FOUND"}') }
            : undefined,
      },
    ],
    [
      'uploads of images need a token',
      'passports.session.others',
      {
        // The product creates no session with a token.
        in: ({ path, headers: { authorization: _, ...headers } }) =>
          path === '/api/v1/upload-images' ? { headers } : undefined,
        out: (_, { path, headers }) =>
          path === '/api/v1/upload-images' && !headers.authorization ? { status: 401, headers: {} } : undefined,
      },
    ],
  ],
});

describeConformance('reports', {
  start: () => startCatalog({ REPORTS_MODERATOR_TOKENS: TOKEN }),
  skips: [],
  deviations: [
    [
      'a malformed report has the error envelope',
      'reports.create.malformed.list',
      changeResponses('POST /reports', 422, { body: Buffer.from('{"ok":false,"error":{"code":"BAD","message":"x"}}') }),
    ],
    [
      'any record_id is accepted',
      'reports.create.malformed.record-id',
      changeRequestText('POST /reports', (text) => text.replace('"record_id":{}', '"record_id":"object"')),
    ],
    [
      'a report with action delete is rejected',
      'reports.create.success',
      changeRequestText('POST /reports', (text) => text.replace('"delete"', '"erase"')),
    ],
    [
      'a validation error of a decision has no location',
      'reports.patch.malformed.status',
      editErrors('PATCH /reports/', ({ detail }) => detail?.map((fault: any) => delete fault.loc)),
    ],
    ['decisions are rejected', 'reports.patch.success', changeResponses('PATCH /reports/', 200, { status: 405 })],
  ],
});

describe('assay conform --check-rate-limit checks the rate limit', () => {
  it.each([
    ['defectoscopy', {}, 'passed'],
    ['defectoscopy', changeResponses('GET /result/', 429, { status: 503 }), 'failed'],
    ['stt', {}, 'passed'],
    ['stt', { out: ({ headers: { 'retry-after': _, ...headers } }) => ({ headers }) }, 'failed'],
  ] satisfies [ServiceName, FaultyProxy['deviation'], string][])(
    'of %s (%#)',
    { tags: ['full'] },
    async (service, breach, outcome) => {
      const product = await startProduct({
        service,
        env: { [`${service.toUpperCase()}_RATE_LIMIT_PER_MINUTE`]: '60' },
      });
      const proxy = await startFaultyProxy(product.url);
      proxy.deviation = breach;
      expect(await checkService(service, proxy.url, `${service}.limit`)).toMatchObject([{ outcome }]);
      await proxy.close();
      await product.stop();
    },
  );
});

describe('assay conform for a deployment without tokens', () => {
  it.each(['defectoscopy', 'stt'] as const)('requires that %s returns 503', { tags: ['full'] }, async (service) => {
    const product = await startProduct({ service, env: { [`${service.toUpperCase()}_API_TOKENS`]: undefined } });
    const proxy = await startFaultyProxy(product.url);
    const results = await checkService(service, proxy.url);
    expect(idsOf(results, 'failed')).toEqual([]);
    expect(idsOf(results, 'passed')).toContain(`${service}.access.unconfigured`);
    proxy.deviation = changeResponses('POST /', 503, { status: 200 });
    expect(idsOf(await checkService(service, proxy.url), 'failed')).toContain(`${service}.access.unconfigured`);
    await proxy.close();
    await product.stop();
  });
});

describe('assay conform for a server that is not Assay', () => {
  it.each([
    ['an empty object', 200, '{}'],
    ['null', 200, 'null'],
    ['lists of null', 202, '{"ok":true,"data":[null],"items":[null],"detail":[]}'],
    [
      'a task id that is not a string',
      202,
      '{"ok":true,"data":{"task_id":{},"status":[],"webhook":7},"items":[{"id":{}}],"token":7}',
    ],
    [
      'a task that is always completed',
      200,
      '{"ok":true,"data":{"task_id":"x","status":"done"},"items":[{"id":"x"}],"token":"x"}',
    ],
    ['an HTML page', 500, '<html>'],
    ['a redirect to itself', 302, ''],
    ['a redirect to an invalid URL', 303, '{"ok":true,"data":{"url":"no address"}}', 'http://['],
    ['an invalid file URL', 201, '{"ok":true,"data":{"url":"no address"}}'],
    ['an empty response', 204, ''],
  ])(
    'completes every check when every response is %s',
    { tags: ['full'] },
    async (_, status, body, location = '/docs') => {
      const server = createServer((_request, response) => {
        response.writeHead(status, { 'content-type': 'application/json', location }).end(body);
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      for (const { name, checks } of serviceChecks) {
        const fileUrl = status === 201 ? undefined : 'https://storage.example.com/file';
        const results = await checkService(name, url, name, { timeoutMs: 1, sameMachine: false, fileUrl });
        expect(results).toHaveLength(checks.length);
        expect(idsOf(results, 'failed').length, name).toBeGreaterThan(0);
      }
      server.closeAllConnections();
      server.close();
    },
  );
});

describe('Conformance checks', () => {
  it('have unique ids and cite the specification', () => {
    const checks = serviceChecks.flatMap((subject) => subject.checks);
    expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
    expect(checks.length).toBeGreaterThan(200);
    for (const { name, checks } of serviceChecks) {
      for (const { id, cites } of checks) {
        expect(id).toMatch(new RegExp(`^${name}(\\.[a-z0-9-]+)+$`));
        expect(cites).toEqual([expect.stringMatching(/^\d(\.\d)?$/), expect.stringMatching(/^.{8,}$/)]);
      }
    }
  });
});

describe('The assay conform command', () => {
  const { signal } = new AbortController();
  async function runCommand(url: string, options: Parameters<typeof conformCommand>[1] = {}) {
    const lines: string[] = [];
    const holds = await conformCommand(url, options, { signal, say: (line) => lines.push(line) });
    return { holds, text: lines.join('\n') };
  }
  let product: Product;
  let proxy: FaultyProxy;
  beforeAll(async () => {
    product = await startProduct({ env: { FILES_HOST: undefined } });
    proxy = await startFaultyProxy(product.url);
  });
  afterAll(async () => {
    await proxy.close();
    await product.stop();
  });

  it('detects the service and prints one line per check with the reason for each skipped one', async () => {
    const { holds, text } = await runCommand(`${product.url}/`, { token: TOKEN });
    expect(holds).toBe(true);
    expect(text).toMatch(/^defectoscopy at http:/);
    expect(text).toContain('✓ defectoscopy.reference.docs  /docs is a page that needs no token');
    expect(text).toContain('– defectoscopy.health.body  skipped: the model is not ready');
    expect(text).toContain(
      '– defectoscopy.predict.status  skipped: --image-url is missing, and the deployment has no file storage (POST /files returned 404)',
    );
    expect(text).toMatch(/\n\d+ passed, 0 failed, \d+ skipped, of \d+ checks$/);
    const image = { imageUrl: 'https://storage-1.example.com/photo.jpg' };
    const some = await runCommand(product.url, { token: TOKEN, ...image, only: ['defectoscopy.predict'] });
    expect(some.text).toContain('✓ defectoscopy.predict.status  a task is accepted with 202');
    expect(some.text).not.toContain('skipped: ');
  });

  it('prints the citation, the request, the expected and the actual response of a failure, without the token', async () => {
    proxy.deviation = changeResponses('GET /result/', 404, { status: 410 });
    const only = { token: TOKEN, only: ['defectoscopy.result.unknown'] };
    const { holds, text } = await runCommand(proxy.url, only);
    expect(holds).toBe(false);
    const [head, citation, requestLine, expected, responseLine] = text.split('\n').slice(2);
    expect(head).toBe('✗ defectoscopy.result.unknown  an unknown task_id returns 404 TASK_NOT_FOUND');
    expect(citation).toBe('    section 7  “unknown `task_id`, or result removed after its TTL”');
    expect(requestLine).toMatch(/^ {4}request {4}GET \/result\/conform-no-such-task-\w+ \(with the token\)$/);
    expect(expected).toBe('    expected   status 404');
    expect(responseLine).toMatch(/^ {4}response {3}410 \{"ok":false,"error":\{"code":"TASK_NOT_FOUND"/);
    expect(text).not.toContain(TOKEN);
    const json = JSON.parse((await runCommand(proxy.url, { ...only, json: true })).text);
    expect(json).toMatchObject({
      service: 'defectoscopy',
      url: proxy.url,
      checks: [{ section: '7', outcome: 'failed' }],
    });
    proxy.deviation = {};
  });

  it('redacts a token in a response that it prints', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{ "token": "eyJhbGciOi.secret" }');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { text } = await runCommand(url, { service: 'passports', apiKey: 'key', only: ['passports.token'] });
    expect(text).toContain('response   200 { "token": "…" }');
    expect(text).not.toContain('secret');
  });

  it('prints one message when it cannot run the checks', async () => {
    const nothing = createServer((_, response) => response.writeHead(404).end('no'));
    nothing.listen(0, '127.0.0.1');
    await once(nothing, 'listening');
    const elsewhere = `http://127.0.0.1:${(nothing.address() as AddressInfo).port}`;
    const messageOf = async (url: string, options = {}) => {
      const error = await runCommand(url, options).catch((thrown: Error) => thrown);
      expect(error).toMatchObject({ name: 'OperatorError' });
      return (error as Error).message;
    };
    expect(await messageOf('localhost:8001')).toBe('localhost:8001 is not an http or https URL.');
    expect(await messageOf(elsewhere)).toContain('could not be detected; specify it with --service.');
    expect(await messageOf(elsewhere, { service: 'search' })).toBe(
      'Unknown service search. Services: defectoscopy, stt, passports, catalog.',
    );
    expect(await messageOf(product.url, { token: 'expired' })).toBe(
      'The deployment rejects the token: 401 UNAUTHORIZED.',
    );
    expect(await messageOf(product.url, { token: 'ключ' })).toMatch(/^The token contains .* copy it again/);
    expect(await messageOf(product.url, { only: ['defectoscopy.nothing'] })).toContain('Unknown check');
    expect(await messageOf(product.url, { timeout: 'long' })).toContain('--timeout must be a number of seconds');
    expect(await messageOf(product.url, { imageUrl: 'http://a/b.jpg' })).toBe('http://a/b.jpg is not an https URL.');
    nothing.close();
    await once(nothing, 'close');
    expect(await messageOf(elsewhere)).toContain(`No response from ${elsewhere} (GET /openapi.json: `);
  });
});
