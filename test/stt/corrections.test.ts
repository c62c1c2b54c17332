import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Product, startProduct, TOKEN } from '../support/product.ts';
import { createFakeSpeechModel } from '../support/speech/fake-model.ts';
import { OTHER_TOKEN } from '../support/speech/openai-client.ts';

const WORDS = ['The', 'north', 'wall', 'shows', 'a', 'crack.', 'It', 'is', 'new.'];
const RESULT = {
  transcription: WORDS.join(' '),
  service: 'local',
  language: 'en',
  duration_seconds: 6,
  segments: [
    { start: 0.3, end: 2.1, text: 'The north wall shows a crack.' },
    { start: 3, end: 3.9, text: 'It is new.' },
  ],
  words: WORDS.map((text, i) => ({
    start: i < 6 ? 0.3 + i * 0.3 : 1.2 + i * 0.3,
    end: i < 6 ? 0.6 + i * 0.3 : 1.5 + i * 0.3,
    text,
  })),
};
const [FIRST, SECOND] = RESULT.segments as [(typeof RESULT.segments)[0], (typeof RESULT.segments)[0]];
const LEAK = { ...FIRST, text: 'The north wall shows a leak.' };

let product: Product;
beforeAll(async () => {
  product = await startProduct({ service: 'stt', env: { STT_API_TOKENS: `${TOKEN},${OTHER_TOKEN}` } });
  await product.startWorker(createFakeSpeechModel({ run: async () => ({ result: RESULT as never }) }));
});
afterAll(() => product.stop());

async function transcribe(): Promise<string> {
  const url = 'https://storage.example.com/calls/17.mp3';
  const { body } = await product.call('/transcribe/audio_url', { method: 'POST', body: { url } });
  const id = body.data.task_id as string;
  expect((await product.call(`/result/${id}`, { headers: { prefer: 'wait=10' } })).body.data.status).toBe('done');
  return id;
}
const read = (id: string, query = 'format=json', token = TOKEN) =>
  product.call(`/result/${id}/transcript?${query}`, { token });
const put = (id: string, segments: unknown, { version, token = TOKEN }: { version?: number; token?: string } = {}) =>
  product.call(`/result/${id}/transcript`, {
    ...{ method: 'PUT', body: { segments }, token },
    ...(version !== undefined && { headers: { 'if-match': `"${version}"` } }),
  });

describe('PUT /result/{task_id}/transcript', () => {
  it('stores a corrected transcript beside the result of the task', async () => {
    const id = await transcribe();
    expect((await read(id)).body.data).toEqual(RESULT);
    const { status, body } = await put(id, [LEAK, SECOND], { version: 0 });
    const changed = { changed_at: expect.stringMatching(/^\d+$/), changed_by: expect.stringMatching(/^token-/) };
    expect([status, body.data]).toEqual([200, { version: 1, ...changed }]);
    const { data } = (await read(id)).body;
    expect(data).toMatchObject({
      transcription: 'The north wall shows a leak. It is new.',
      segments: [LEAK, SECOND],
      correction: body.data,
    });
    expect(data.words.map(({ text }: { text: string }) => text)).toEqual(['It', 'is', 'new.']);
    expect((await read(id, 'format=json&edition=original')).body.data).toEqual(RESULT);
    expect((await product.call(`/result/${id}`)).body.data.result).toEqual(RESULT);
  });

  it('exports the corrected text, or the original one', async () => {
    const id = await transcribe();
    await put(id, [LEAK, SECOND]);
    const text = async (query: string) => (await read(id, query)).text;
    expect(await text('format=txt')).toBe('The north wall shows a leak. It is new.\n');
    expect(await text('format=txt&edition=original')).toBe(`${RESULT.transcription}\n`);
    expect(await text('format=srt')).toContain('The north wall shows a leak.');
    expect(await text('format=vtt')).toContain('The north wall shows a leak.');
  });

  it('keeps the words of split and merged segments', async () => {
    const id = await transcribe();
    const split = [
      { ...FIRST, end: 1.2, text: 'The north wall' },
      { ...FIRST, start: 1.2, text: 'shows a crack.' },
      SECOND,
    ];
    await put(id, split);
    expect((await read(id)).body.data.words).toEqual(RESULT.words);
    const merged = [{ ...FIRST, end: SECOND.end, text: RESULT.transcription }];
    await put(id, merged);
    expect((await read(id)).body.data).toMatchObject({ words: RESULT.words, segments: merged });
  });

  it('stores which words were confirmed', async () => {
    const id = await transcribe();
    const confirmed = [2, 0];
    expect((await put(id, [{ ...FIRST, confirmed }, SECOND])).body.data.version).toBe(1);
    const sorted = { ...FIRST, confirmed: [0, 2] };
    expect((await read(id)).body.data).toMatchObject({ segments: [sorted, SECOND], words: RESULT.words });
    expect((await put(id, [{ ...sorted, confirmed: [...confirmed, ...confirmed] }, SECOND])).body.data.version).toBe(1);
    const { edits } = (await product.call(`/result/${id}/transcript/history`)).body.data;
    expect(edits).toMatchObject([{ removed: [FIRST], inserted: [sorted] }]);
  });

  it('rejects the second of two editors with the current version', async () => {
    const id = await transcribe();
    expect((await put(id, [LEAK, SECOND], { version: 0 })).status).toBe(200);
    const { status, body } = await put(id, [FIRST], { version: 0, token: OTHER_TOKEN });
    expect([status, body.error]).toMatchObject([412, { code: 'VERSION_CONFLICT', details: { version: 1 } }]);
    expect((await read(id)).body.data.segments).toEqual([LEAK, SECOND]);
    expect((await put(id, [FIRST], { version: 1, token: OTHER_TOKEN })).body.data.version).toBe(2);
  });

  it('accepts exactly one of several concurrent corrections of a version', async () => {
    const id = await transcribe();
    const statuses = await Promise.all(
      [0, 1, 2, 3, 4].map(async (i) => (await put(id, [{ ...FIRST, text: `Text ${i}.` }], { version: 0 })).status),
    );
    expect(statuses.sort()).toEqual([200, 412, 412, 412, 412]);
    expect((await product.call(`/result/${id}/transcript/history`)).body.data.edits).toHaveLength(1);
  });

  it('keeps a history of who changed what, without repetitions', async () => {
    const id = await transcribe();
    await put(id, [LEAK, SECOND]);
    await put(id, [LEAK, SECOND]);
    await put(id, [LEAK], { token: OTHER_TOKEN });
    const { edits } = (await product.call(`/result/${id}/transcript/history`)).body.data;
    expect(edits).toMatchObject([
      { version: 1, position: 0, removed: [FIRST], inserted: [LEAK] },
      { version: 2, position: 1, removed: [SECOND], inserted: [] },
    ]);
    expect(edits[0].changed_by).not.toBe(edits[1].changed_by);
  });

  it('returns the latest changes of 1 MiB in total, and at least the last one', async () => {
    const id = await transcribe();
    const long = (letter: string, parts: number) =>
      Array.from({ length: parts }, () => ({ ...FIRST, text: letter.repeat(60_000) }));
    const versions = async (query = '') => {
      const { body } = await product.call(`/result/${id}/transcript/history${query}`);
      return body.data.edits.map(({ version }: { version: number }) => version);
    };
    await put(id, [LEAK, SECOND]);
    await put(id, [FIRST, SECOND]);
    expect(await versions()).toEqual([1, 2]);
    expect(await versions('?limit=1')).toEqual([2]);
    expect((await product.call(`/result/${id}/transcript/history?limit=0`)).status).toBe(422);
    await put(id, long('a', 10));
    expect(await versions()).toEqual([1, 2, 3]);
    await put(id, long('b', 10));
    expect(await versions()).toEqual([4]);
    await put(id, [FIRST, SECOND]);
    expect(await versions()).toEqual([5]);
  });

  it('is an event, and its corrections are deleted with the task', async () => {
    const { next } = (await product.call('/events?after=latest')).body.data;
    const id = await transcribe();
    await put(id, [LEAK, SECOND]);
    const { events } = (await product.call(`/events?after=${next}`)).body.data;
    expect(events.map(({ type, task_id }: { type: string; task_id: string }) => [type, task_id])).toEqual([
      ['stt.result.terminal', id],
      ['stt.result.corrected', id],
    ]);
    await product.database.db.query('delete from tasks where id = $1', [id]);
    for (const table of ['transcripts', 'transcript_edits']) {
      expect((await product.database.db.query(`select from ${table} where task_id = $1`, [id])).rowCount).toBe(0);
    }
    expect((await read(id)).status).toBe(404);
    expect((await put(id, [])).status).toBe(404);
  });

  it('accepts a transcript of an hour', async () => {
    const id = await transcribe();
    const segments = Array.from({ length: 720 }, (_, i) => ({
      start: i / 200,
      end: (i + 1) / 200,
      text: `Text ${i}.`,
    }));
    await put(id, segments);
    expect((await read(id)).body.data.segments).toHaveLength(720);
  });

  it('and its history are 404 for other tokens with TASK_VISIBILITY=token', async () => {
    const env = { STT_API_TOKENS: `${TOKEN},${OTHER_TOKEN}`, TASK_VISIBILITY: 'token' };
    const own = await startProduct({ service: 'stt', env });
    onTestFinished(() => own.stop());
    await own.startWorker(createFakeSpeechModel({ run: async () => ({ result: RESULT as never }) }));
    const body = { url: 'https://storage.example.com/calls/17.mp3' };
    const id = (await own.call('/transcribe/audio_url', { method: 'POST', body })).body.data.task_id as string;
    await own.waitForResult(id);
    const path = `/result/${id}/transcript`;
    const change = { method: 'PUT', body: { segments: [LEAK, SECOND] } };
    for (const token of [OTHER_TOKEN, TOKEN]) {
      const requests = [own.call(path, { token }), own.call(`${path}/history`, { token })];
      const statuses = [...(await Promise.all(requests)), await own.call(path, { ...change, token })];
      const status = token === TOKEN ? 200 : 404;
      expect(statuses.map((each) => each.status)).toEqual([status, status, status]);
    }
    expect((await own.call(`${path}/history`)).body.data.edits).toHaveLength(1);
  });

  it.each<[string, unknown, RegExp]>([
    ['more than 10 000 segments', Array.from({ length: 10_001 }, () => FIRST), /10000 items/],
    ['a long segment', [{ ...FIRST, text: 'щ'.repeat(33_000) }], /^segments\.0: longer than 65536 bytes/],
    [
      'a long text',
      Array.from({ length: 20 }, () => ({ ...FIRST, text: 'x'.repeat(60_000) })),
      /^segments: longer than 1048576 bytes/,
    ],
    ['an end before the start', [{ ...FIRST, end: 0.1 }], /^segments\.0: `end` is before/],
    ['unordered segments', [SECOND, FIRST], /^segments\.1: starts before the previous segment/],
    ['a segment after the recording', [FIRST, { ...SECOND, end: 7 }], /^segments\.1: ends after the recording \(6 s\)/],
    ['a negative time', [{ ...FIRST, start: -1 }], /start/],
    ['control characters', [{ ...FIRST, text: 'a\u0000b' }], /^segments\.0: contains control characters/],
    [
      'a confirmed word that does not exist',
      [{ ...FIRST, confirmed: [9] }],
      /^segments\.0: `confirmed`: word 9 is not in the segment/,
    ],
    [
      'a confirmed word of another segment',
      [FIRST, { ...SECOND, confirmed: [6, 5] }],
      /^segments\.1: `confirmed`: word 5 is not in the segment/,
    ],
    ['more confirmed words than words', [{ ...FIRST, confirmed: Array(10).fill(0) }], /`confirmed`: more than 9 words/],
    ['a time as a confirmed word', [{ ...FIRST, confirmed: [1.234] }], /confirmed/],
    ['a missing text', [{ start: 0, end: 1 }], /text/],
    ['a text', 'text', /segments/],
  ])('rejects %s', async (_, segments, message) => {
    const id = await transcribe();
    const { status, body } = await put(id, segments);
    expect([status, body.error.code]).toEqual([422, 'VALIDATION_ERROR']);
    expect(body.error.message).toMatch(message);
    expect((await read(id)).body.data).toEqual(RESULT);
  });
});
