import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Product, TOKEN } from '../support/product.ts';
import { createOpenAi, newRecording, OTHER_TOKEN, startOpenAi } from '../support/speech/openai-client.ts';

const URL = 'https://storage.example.com/calls/17.mp3';
let product: Product;
let work: Awaited<ReturnType<typeof startOpenAi>>['work'];
let countOf: Awaited<ReturnType<typeof startOpenAi>>['countOf'];

beforeAll(async () => {
  ({ product, work, countOf } = await startOpenAi());
});
afterAll(() => product.stop());

const put = (terms: unknown, token = TOKEN) => product.call('/vocabulary', { method: 'PUT', body: { terms }, token });
const accept = (body: object) => product.call('/transcribe/audio_url', { method: 'POST', body: { url: URL, ...body } });

describe('GET and PUT /vocabulary', () => {
  it('stores the terms of a token, which other tokens cannot read', async () => {
    expect((await product.call('/vocabulary')).body).toEqual({ ok: true, data: { terms: [], version: '0' } });
    const { status, body } = await put(['shotcrete', { term: 'nginx', spoken: ['engine x'] }, ' shotcrete ']);
    const terms = [{ term: 'shotcrete' }, { term: 'nginx', spoken: ['engine x'] }];
    const data = { terms, version: expect.stringMatching(/^\w{16}$/), changed_at: expect.stringMatching(/^\d+$/) };
    expect([status, body]).toEqual([200, { ok: true, data }]);
    expect((await product.call('/vocabulary')).body).toEqual(body);
    expect((await product.call('/vocabulary', { token: OTHER_TOKEN })).body.data.terms).toEqual([]);
    expect((await product.call('/vocabulary', { token: 'wrong' })).status).toBe(401);
  });

  it('rejects a change of other terms than those of If-Match', async () => {
    const version = async () => (await product.call('/vocabulary')).body.data.version;
    const putIf = (ifMatch: string, terms: unknown, token = TOKEN) =>
      product.call('/vocabulary', { method: 'PUT', body: { terms }, token, headers: { 'if-match': ifMatch } });
    const before = await version();
    const [first, second] = await Promise.all([putIf(`"${before}"`, ['one']), putIf(`"${before}"`, ['two'])]);
    expect([first.status, second.status].sort()).toEqual([200, 412]);
    const rejected = first.status === 412 ? first : second;
    expect(rejected.body.error.code).toBe('VERSION_CONFLICT');
    // Repeated after a lost response.
    const stored = first.status === 200 ? 'one' : 'two';
    expect((await putIf(`"${before}"`, [stored])).status).toBe(200);
    expect((await product.call('/vocabulary')).body.data.terms).toEqual([{ term: stored }]);
    expect((await putIf(`W/"${await version()}"`, ['three'])).status).toBe(200);
    expect((await putIf('*', ['four'])).status).toBe(200);
    expect((await putIf('"none"', ['five'], OTHER_TOKEN)).status).toBe(412);
    expect((await putIf('"0"', [], OTHER_TOKEN)).status).toBe(200);
  });

  it('accepts 1000 terms and rejects more', async () => {
    const terms = Array.from({ length: 1000 }, (_, i) => `${1000 + i} ${'щ'.repeat(95)}`);
    expect((await put(terms)).status).toBe(200);
    expect((await put([...terms, 'one more'])).body).toMatchObject({
      error: { code: 'VALIDATION_ERROR', message: expect.stringMatching(/`terms` must .*1000 items/) },
    });
    expect((await product.call('/vocabulary')).body.data.terms).toHaveLength(1000);
  });

  it.each<[string, unknown]>([
    ['a term of 10 000 characters', ['x'.repeat(10_000)]],
    ['an empty term', ['']],
    ['a number', [7]],
    ['an object without a term', [{ spoken: ['x'] }]],
    ['six spoken forms', [{ term: 'x', spoken: ['a', 'b', 'c', 'd', 'e', 'f'] }]],
    ['a text', 'shotcrete'],
  ])('rejects %s', async (_, terms) => {
    const { status, body } = await put(terms);
    expect([status, body.error.code]).toEqual([422, 'VALIDATION_ERROR']);
  });
});

describe('The vocabulary of a recording', () => {
  it('has the terms of the request before those of the token', async () => {
    const { inputs } = await work();
    await put(['lintel', 'soffit']);
    const { body, status } = await accept({ vocabulary: [{ term: 'soffit', spoken: ['sof it'] }] });
    expect(status).toBe(202);
    await product.call(`/result/${body.data.task_id}`, { headers: { prefer: 'wait=10' } });
    expect(inputs.at(-1)).toMatchObject({
      vocabulary: [{ term: 'soffit', spoken: ['sof it'] }, { term: 'lintel' }],
    });
  });

  it('is rejected with 422 beyond its limits', async () => {
    const tooMany = Array.from({ length: 1001 }, (_, i) => `t${i}`);
    expect((await accept({ vocabulary: tooMany })).status).toBe(422);
    const { status, body } = await accept({ vocabulary: ['x'.repeat(10_000)] });
    expect([status, body.error.message]).toEqual([422, 'vocabulary.0: longer than 100 characters (10000).']);
  });

  it('is part of the content of an OpenAI-compatible request without a key', async () => {
    const openai = createOpenAi(product.url, TOKEN);
    const file = await newRecording();
    const transcribe = () => openai.audio.transcriptions.create({ file, model: 'whisper-1' });
    const { inputs } = await work();
    await put(['corbel']);
    await transcribe();
    const before = await countOf('tasks');
    await transcribe();
    expect(await countOf('tasks')).toBe(before);
    await put(['corbel', 'quoin']);
    await transcribe();
    expect(await countOf('tasks')).toBe(before + 1);
    expect(inputs.at(-1)).toMatchObject({ vocabulary: [{ term: 'corbel' }, { term: 'quoin' }] });
  });
});
