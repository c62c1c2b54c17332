import { describe, expect, it } from 'vitest';
import { FetchFailed } from '../../base/fetch-failed.ts';
import type { Files } from '../../base/files.ts';
import type { GuardedFetch } from '../../base/guarded-fetch.ts';
import { FAILURES, type Failure } from '../../tasks/task.ts';
import type { EndedTask } from '../records.ts';
import type { SharedSettings } from '../service.ts';
import { photoRecords } from './records.ts';
import { readOwn } from './settings.ts';

const shared = { filesHost: 'files.assay.internal', holes: [] } as unknown as SharedSettings;
const maker = photoRecords(readOwn({ DEFECTOSCOPY_ALLOWED_IMAGE_HOSTS: 'storage.example.com' }), shared);
const { signal } = new AbortController();

const INPUT = {
  image_url: 'https://storage.example.com/photos/%D0%A1%D1%82%D0%B5%D0%BD%D0%B0%2017.jpg?X-Signature=secret',
};
const RESULT = {
  surface: 'concrete_wall',
  masters: [
    { name: 'cracking', conf: 0.9 },
    { name: 'sound', conf: 0.1 },
  ],
  defects: [{ name: 'crack', conf: 0.9 }],
  model_version: '1.0.0',
};
const task = ({ input = INPUT, result = RESULT, ...over }: { input?: object; result?: object }): EndedTask =>
  ({
    id: 't1',
    service: 'defectoscopy',
    principal: 'p',
    status: 'done',
    inputText: JSON.stringify(input),
    queuedAt: new Date(1000),
    finishedAt: new Date(2000),
    processingMs: 7,
    estimateSeconds: 1,
    resultText: JSON.stringify(result),
    ...over,
  }) as EndedTask;
const draft = async (over: object = {}) => (await maker.drafts(undefined as never, [task(over)]))[0];

describe('the record of a photo', () => {
  it('is called as its file, and found by its classes in both languages', async () => {
    const made = await draft();
    expect(made).toMatchObject({
      taskId: 't1',
      status: 'done',
      createdAt: new Date(1000),
      title: 'Стена 17.jpg',
      surface: 'concrete_wall',
      master: { name: 'cracking', conf: 0.9 },
      defects: [{ name: 'crack', conf: 0.9 }],
      withAttachment: true,
    });
    expect(made!.text).toBe('concrete wall, cracking, crack\nбетонная стена, растрескивание, трещина');
    // An address may carry a credential, and is none of the readers' business.
    expect(JSON.stringify(made!.result) + made!.text + made!.title).not.toContain('secret');
  });

  it('is called by what it shows where its file has no name that anybody knows', async () => {
    const input = { image_url: 'https://files.assay.internal/01KAF3M9WZ7Y5T2Q8C4N6B1D0E' };
    expect((await draft({ input }))!.title).toBe('concrete wall: crack');
    const sound = { surface: 'own_class', masters: [{ name: 'sound', conf: 1 }], defects: [], model_version: '1' };
    expect((await draft({ input, result: sound }))!.title).toBe('own class: sound');
  });

  it('says why a photo failed, and is none of one that was cancelled', async () => {
    const failure: Failure = { code: 'IMAGE_CORRUPT', sentence: 'The image is damaged or incomplete.' };
    expect(await draft({ status: 'failed', failure })).toMatchObject({
      status: 'failed',
      title: 'Стена 17.jpg',
      text: failure.sentence,
      result: { error: failure.sentence, error_code: failure.code },
    });
    expect(await draft({ status: 'failed', failure: FAILURES.CANCELLED })).toBeUndefined();
  });

  it('has the photo for its picture, under the rules of the service; none where it is gone for good', async () => {
    const { picture } = (await draft())!;
    const house = (fetch: unknown) => ({ fetch: fetch as GuardedFetch, files: undefined as unknown as Files });
    const asked: unknown[] = [];
    const fetch = async (url: URL, request: object) => {
      asked.push([url.hostname, request]);
      return { body: Buffer.from('photo') };
    };
    expect(await maker.picture!(house(fetch), picture!, signal)).toEqual(Buffer.from('photo'));
    expect(asked).toMatchObject([
      ['storage.example.com', { policy: { kind: 'allowlist', hosts: ['storage.example.com'] } }],
    ]);
    const gone = () => Promise.reject(new FetchFailed('http_status', { status: 404 }));
    expect(await maker.picture!(house(gone), picture!, signal)).toBeUndefined();
    const away = () => Promise.reject(new FetchFailed('timeout'));
    await expect(maker.picture!(house(away), picture!, signal)).rejects.toThrow();
  });
});
