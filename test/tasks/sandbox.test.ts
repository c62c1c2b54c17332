import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { insertToken } from '../../src/http/access-tokens.ts';
import { sandbox as photos } from '../../src/services/defectoscopy/sandbox.ts';
import { sandbox as documents } from '../../src/services/passports/sandbox.ts';
import type { Sandbox, SandboxInput } from '../../src/services/shared/sandbox/sandbox.ts';
import { sandbox as recordings } from '../../src/services/stt/sandbox.ts';
import { batchTexts } from '../../src/ui/browser/batch-texts.ts';
import { type CallInit, type HttpResponse, type Product, startProduct, TOKEN } from '../support/product.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const CREDENTIAL = 'assay_sandbox_credential';
const EVENTUALLY = { timeout: 20_000, interval: 50 };

let product: Product;
let receiver: Receiver;
beforeAll(async () => {
  product = await startProduct({
    env: {
      ...{ SERVICES: 'defectoscopy,stt,passports', STT_PORT: '0', PASSPORTS_PORT: '0' },
      ...{ STT_API_TOKENS: TOKEN, STT_WEBHOOK_ALLOW_LOOPBACK: 'true' },
      ...{ PASSPORTS_JWT_SECRET: 'a secret of more than thirty-two bytes', PASSPORTS_API_KEYS: `real:${TOKEN}-real` },
      PASSPORTS_TOKEN_LIMIT_PER_MINUTE: '0',
    },
  });
  receiver = await startReceiver();
  const digest = hash('sha256', CREDENTIAL, 'hex');
  for (const service of Object.keys(product.addresses))
    await insertToken(product.database.db, { service, name: 'ci', role: 'sandbox', digest });
  const known = () => expect(product.gateway.issued.of('passports').tokens).toHaveLength(1);
  await vi.waitFor(known, EVENTUALLY);
}, 120_000);
afterAll(async () => {
  await receiver.close();
  await product.stop();
});

const call = async (service: string, path: string, { token = CREDENTIAL, body, ...init }: CallInit = {}) => {
  const isForm = body instanceof FormData;
  const response = await fetch(product.addresses[service] + path, {
    method: body === undefined ? 'GET' : 'POST',
    ...init,
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${token}`,
      ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
      ...init.headers,
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text && JSON.parse(text) } as HttpResponse;
};

const url = (name: string) => `https://sandbox.invalid/${name}`;
const create: Record<string, (name: string, token?: string) => Promise<HttpResponse>> = {
  defectoscopy: (name, token = CREDENTIAL) =>
    call('defectoscopy', '/predict', { token, body: { image_url: url(name), webhook_url: receiver.url } }),
  stt: (name, token = CREDENTIAL) =>
    call('stt', '/transcribe/audio_url', { token, body: { url: url(name), webhook: { url: receiver.url } } }),
  async passports(name, token) {
    const body = new FormData();
    body.append('files', new Blob(['%PDF-1.7']), `${name}.pdf`);
    return call('passports', '/upload', { token: token ?? (await passportsToken(CREDENTIAL)), body });
  },
};

async function passportsToken(key: string): Promise<string> {
  const { body } = await call('passports', '/auth/token', { token: 'none', body: { api_key: key } });
  return body.token;
}

const idOf = ({ body }: HttpResponse): string => body.data?.task_id ?? body.items[0].id;

/** The response with the final state. */
async function endOf(service: string, id: string): Promise<HttpResponse> {
  const token = service === 'passports' ? await passportsToken(CREDENTIAL) : CREDENTIAL;
  const path = service === 'passports' ? `/api/task/${id}/result` : `/result/${id}`;
  const read = () => call(service, path, { token });
  await vi.waitFor(async () => expect((await read()).status).not.toBe(202), EVENTUALLY);
  return read();
}

const SERVICES: [string, Sandbox][] = [
  ['defectoscopy', photos],
  ['stt', recordings],
  ['passports', documents],
];
const inputsOf = (sandbox: Sandbox, is: (input: SandboxInput) => boolean) =>
  [...sandbox.inputs].filter(([, input]) => is(input)).map(([name]) => name);

describe.each(SERVICES)('The sandbox of %s', (service, sandbox) => {
  it('ends each task as its input says', async () => {
    const names = inputsOf(sandbox, ({ response, callback }) => !response && !callback);
    const ends = await Promise.all(
      names.map(async (name) => {
        const accepted = await create[service]!(name);
        expect(accepted.status, name).toBe(202);
        const { status, body } = await endOf(service, idOf(accepted));
        const { error_code, error_type, status: state } = body.data ?? body;
        return [name, status === 200 ? (error_code ?? error_type ?? state ?? body.status) : body.error.code];
      }),
    );
    const expected = names.map((name) => {
      const { failure, isDeleted } = sandbox.inputs.get(name)!;
      const done = service === 'passports' ? 'SUCCESS' : 'done';
      return [name, isDeleted ? 'TASK_NOT_FOUND' : (failure?.code ?? done)];
    });
    expect(ends).toEqual(expected);
  });

  it('answers the request of an input that names an error response', async () => {
    for (const name of inputsOf(sandbox, ({ response, once }) => response !== undefined && !once)) {
      const { status, headers, body } = await create[service]!(name);
      expect(body.error?.code ?? body.detail?.[0].type, name).toBe(body.detail ? 'value_error' : name);
      expect(status, name).toBeGreaterThanOrEqual(400);
      if ([429, 503].includes(status)) expect(Number(headers.get('retry-after')), name).toBeGreaterThan(0);
    }
    for (const name of inputsOf(sandbox, ({ once }) => once === true)) {
      const statuses = [];
      for (let i = 0; i < 4; i++) statuses.push((await create[service]!(name)).status);
      const rejected = name.startsWith('RATE') ? 429 : 503;
      expect(statuses).toEqual([rejected, 202, rejected, 202]);
    }
  });

  it('rejects real work with an explanation', async () => {
    const { status, text } = await create[service]!('HOLIDAY_PHOTO');
    expect(status).toBe(422);
    expect(text).toContain('this credential is for the sandbox');
  });

  it('has no names for other credentials', async () => {
    const token = service === 'passports' ? await passportsToken(`${TOKEN}-real`) : TOKEN;
    const accepted = await create[service]!('SUCCESS', token);
    // Photos only come from listed hosts; other tasks wait for a worker.
    if (service === 'defectoscopy') return expect(accepted.body.error.code).toBe('VALIDATION_ERROR');
    expect(accepted.status).toBe(202);
    const { rows } = await product.database.db.query('select service, input from tasks where id = $1', [
      idOf(accepted),
    ]);
    expect(rows).toEqual([{ service, input: expect.not.objectContaining({ sandbox: expect.anything() }) }]);
  });
});

/** The paths of photos and recordings are the same. */
describe.each(SERVICES.slice(0, 2))('The sandbox of %s', (service, sandbox) => {
  const deliveryOf = async (id: string) => {
    const { body } = await call(service, `/deliveries?task_id=${id}`);
    return body.data.deliveries[0];
  };
  const ended = (state: string) => async (id: string) => {
    await vi.waitFor(async () => expect((await deliveryOf(id)).state).toBe(state), EVENTUALLY);
    return deliveryOf(id);
  };

  it('fails attempts at the callback as the input says, then sends it', { tags: ['full'] }, async () => {
    const names = inputsOf(
      sandbox,
      ({ callback }) => callback?.attempts === 1 && callback.reason !== 'blocked_address',
    );
    const runInput = async (name: string) => {
      const id = idOf(await create[service]!(name));
      const { attempt_log } = await ended('delivered')(id);
      const { reason, status } = sandbox.inputs.get(name)!.callback!;
      expect(attempt_log, name).toMatchObject([
        { attempt: 1, error: reason, ...(status && { response_status_code: status }) },
        { attempt: 2, response_status_code: 204 },
      ]);
      const sent = receiver.received.filter(({ headers }) => headers['x-service-task-id'] === id);
      expect(sent.map(({ headers }) => headers['x-service-delivery-attempt'])).toEqual(['2']);
    };
    await Promise.all(names.filter((name) => name !== 'CALLBACK_GONE').map(runInput));
  });

  it.each([
    ['CALLBACK_GONE', ['gone']],
    ['CALLBACK_BLOCKED_ADDRESS', ['blocked_address']],
    ['CALLBACK_FAILED', ['http_status', 'http_status', 'http_status']],
  ])('%s ends the delivery, and a redelivery is sent', async (name, errors) => {
    const id = idOf(await create[service]!(name));
    const { attempt_log } = await ended('failed')(id);
    expect(attempt_log.map(({ error }: { error: string }) => error)).toEqual(errors);
    expect((await call(service, '/deliveries/redeliver', { body: { task_id: id } })).status).toBe(202);
    await ended('delivered')(id);
  });

  it('repeats attempts as the input says', async () => {
    const reasonsOf = async (name: string) => {
      const id = idOf(await create[service]!(name));
      await endOf(service, id);
      const { body } = await call(service, `/result/${id}/timeline`);
      return body.data.timeline.flatMap(({ reason }: { reason?: string }) => reason ?? []);
    };
    expect(await reasonsOf('RETRIED')).toEqual([sandbox.transientCode, sandbox.transientCode]);
    expect(await reasonsOf('WORKER_REPLACED')).toEqual(['WORKER_LOST']);
  });

  it('reports progress, cancels, and lists events, apart from other credentials', async () => {
    const id = idOf(await create[service]!('SLOW'));
    const read = (token?: string) => call(service, `/result/${id}`, token === undefined ? {} : { token });
    await vi.waitFor(async () => expect((await read()).body.data.status).toBe('processing'), EVENTUALLY);
    expect((await read(TOKEN)).status).toBe(404);
    const { body, status } = await call(service, `/result/${id}/cancel`, { method: 'POST' });
    expect([status, body.data.error_code]).toEqual([200, 'CANCELLED']);
    const eventsOf = async (token: string) => (await call(service, '/events?limit=1000', { token })).body.data.events;
    expect(await eventsOf(CREDENTIAL)).toContainEqual(
      expect.objectContaining({ task_id: id, service, type: `${service}.result.terminal` }),
    );
    expect(await eventsOf(TOKEN)).toEqual([]);
  });

  it('names the first valid cursor of the credential when events have expired', { tags: ['full'] }, async () => {
    const rejection = await create[service]!('EVENTS_EXPIRED');
    const { earliest } = rejection.body.error.details;
    const ofCursor = await call(service, `/events?after=${earliest}`);
    expect([rejection.status, ofCursor.status]).toEqual([410, 200]);
    expect(ofCursor.body.data).toEqual((await call(service, '/events')).body.data);
  });

  it('accepts files by name and stores none', async () => {
    const upload = (name: string) => {
      const body = new FormData();
      body.append('file', new Blob(['any bytes']), name);
      return call(service, '/files', { body });
    };
    const { status, body } = await upload('WORKER_LOST.bin');
    expect([status, body.data.url]).toEqual([201, url('WORKER_LOST')]);
    expect((await upload('PAYLOAD_TOO_LARGE.bin')).body.error.code).toBe('PAYLOAD_TOO_LARGE');
    expect((await product.database.db.query('select from files')).rowCount).toBe(0);
  });
});

describe('The sandbox', () => {
  it('has no batches and hides those of other credentials', async () => {
    const submit = async (token: string) => {
      const headers = { 'content-type': 'application/x-ndjson', authorization: `Bearer ${token}` };
      const body = JSON.stringify({ image_url: 'https://storage-1.example.com/1.jpg' });
      return fetch(`${product.addresses['defectoscopy']}/batches`, { method: 'POST', headers, body });
    };
    const refused = await submit(CREDENTIAL);
    const { error } = (await refused.json()) as { error: { details: { code: string } } };
    expect([refused.status, error.details]).toEqual([422, { code: 'SANDBOX_HAS_NO_BATCHES' }]);
    expect(batchTexts.ru.errors[error.details.code]).toBe('В песочнице нет пакетов.');
    const { data } = (await (await submit(TOKEN)).json()) as { data: { batch_id: string } };
    const path = `/batches/${data.batch_id}`;
    expect((await call('defectoscopy', path, { token: TOKEN })).status).toBe(200);
    for (const [method, suffix] of [
      ['GET', ''],
      ['GET', '/items'],
      ['GET', '/results'],
      ['POST', '/cancel'],
      ['POST', '/retry'],
    ] as const)
      expect((await call('defectoscopy', path + suffix, { method })).body.error.code).toBe('BATCH_NOT_FOUND');
  });
});

describe('The sandbox of stt', () => {
  const transcribe = (name: string) => {
    const body = new FormData();
    body.append('file', new Blob(['any bytes']), `${name}.mp3`);
    body.append('model', 'whisper-1');
    return call('stt', '/v1/audio/transcriptions', { body });
  };

  it('answers clients of OpenAI', async () => {
    expect((await transcribe('SUCCESS')).body).toMatchObject({ text: expect.stringContaining('crack') });
    expect((await transcribe('AUDIO_CORRUPT')).body.error.code).toBe('audio_corrupt');
    expect((await transcribe('RATE_LIMIT_EXCEEDED')).status).toBe(429);
    expect((await transcribe('my voice')).status).toBe(400);
  });
});
