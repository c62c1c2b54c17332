import { describe, expect, it } from 'vitest';
import { FetchFailed } from '../../base/fetch-failed.ts';
import type { Files } from '../../base/files.ts';
import type { GuardedFetch } from '../../base/guarded-fetch.ts';
import { FAILURES, type Failure } from '../../tasks/task.ts';
import type { EndedTask } from '../shared/records.ts';
import type { SharedSettings } from '../shared/service.ts';
import { photoRecords } from './records.ts';
import { loadSettings } from './settings.ts';

const shared = { filesHost: 'files.assay.internal', allowList: [] } as unknown as SharedSettings;
const maker = photoRecords(loadSettings({ DEFECTOSCOPY_ALLOWED_IMAGE_HOSTS: 'storage.example.com' }), shared);
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
const uncorrected = { query: async () => ({ rows: [], rowCount: 0 }) };
const draft = async (over: object = {}) => (await maker.drafts(uncorrected, [task(over)]))[0];

describe('photoRecords', () => {
  it('uses the file name as title and the class names in both languages as text', async () => {
    const record = await draft();
    expect(record).toMatchObject({
      taskId: 't1',
      status: 'done',
      createdAt: new Date(1000),
      title: 'Стена 17.jpg',
      surface: 'concrete_wall',
      master: { name: 'cracking', conf: 0.9 },
      defects: [{ name: 'crack', conf: 0.9 }],
      withAttachment: true,
    });
    expect(record!.text).toBe('concrete wall, cracking, crack\nбетонная стена, растрескивание, трещина');
    // A URL may contain a credential.
    expect(JSON.stringify(record!.result) + record!.text + record!.title).not.toContain('secret');
  });

  it('uses the surface and defect as title for a file without a name', async () => {
    const input = { image_url: 'https://files.assay.internal/01KAF3M9WZ7Y5T2Q8C4N6B1D0E' };
    expect((await draft({ input }))!.title).toBe('concrete wall: crack');
    const sound = { surface: 'own_class', masters: [{ name: 'sound', conf: 1 }], defects: [], model_version: '1' };
    expect((await draft({ input, result: sound }))!.title).toBe('own class: sound');
  });

  it('stores the error of a failed task and skips cancelled tasks', async () => {
    const failure: Failure = { code: 'IMAGE_CORRUPT', message: 'The image is damaged or incomplete.' };
    expect(await draft({ status: 'failed', failure })).toMatchObject({
      status: 'failed',
      title: 'Стена 17.jpg',
      text: failure.message,
      result: { error: failure.message, error_code: failure.code },
    });
    expect(await draft({ status: 'failed', failure: FAILURES.CANCELLED })).toBeUndefined();
  });

  it('fetches the picture under the image policy, and returns undefined when it no longer exists', async () => {
    const { picture } = (await draft())!;
    const sources = (fetch: unknown) => ({
      fetch: fetch as GuardedFetch,
      files: undefined as unknown as Files,
    });
    const requests: unknown[] = [];
    const fetch = async (url: URL, request: object) => {
      requests.push([url.hostname, request]);
      return { body: Buffer.from('photo') };
    };
    expect(await maker.picture!(sources(fetch), picture!, signal)).toEqual(Buffer.from('photo'));
    expect(requests).toMatchObject([
      ['storage.example.com', { policy: { kind: 'allowlist', hosts: ['storage.example.com'] } }],
    ]);
    const gone = () => Promise.reject(new FetchFailed('http_status', { status: 404 }));
    expect(await maker.picture!(sources(gone), picture!, signal)).toBeUndefined();
    const unavailable = () => Promise.reject(new FetchFailed('timeout'));
    await expect(maker.picture!(sources(unavailable), picture!, signal)).rejects.toThrow();
  });
});
