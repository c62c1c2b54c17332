import { readFile } from 'node:fs/promises';
import { Webhook } from 'standardwebhooks';
import { afterEach, expect, it, vi } from 'vitest';
import { type Assay, cleanUp, signalTo } from '../support/processes/assay.ts';
import { waitForTask } from '../support/processes/client.ts';
import { waitUntil } from '../support/processes/until.ts';
import { startReceiver } from '../support/receiver.ts';
import { expectResumed, plain, startedWindows, startSpeech } from '../support/speech/start-speech.ts';

vi.setConfig({ testTimeout: 240_000 });
afterEach(cleanUp);

const NOTE = new URL('../../examples/voice-note.mp3', import.meta.url);
/** The text of scripts/make-voice-note.mjs. */
const EXPECTED_TEXT =
  'the inspection of the north stairwell is finished we found one long crack above the window and some rust on the handrail the rest of the wall looks good';
/** One minute of the same voice. */
const INSPECTION = new URL('./inspection.ogg', import.meta.url);

const upload = async ({ call }: Assay, body: Buffer): Promise<string> => {
  const answer = await call('/files', { body, headers: { 'content-type': 'audio/mpeg' } });
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 201 });
  return answer.body.data.url;
};
const transcribe = async ({ call }: Assay, body: object): Promise<string> => {
  const answer = await call('/transcribe/audio_url', { body });
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 202 });
  return answer.body.data.task_id;
};

it('Speech to text transcribes the example voice note with the shipped model and sends the webhook', async () => {
  const receiver = await startReceiver();
  const assay = await startSpeech({ STT_WEBHOOK_ALLOW_LOOPBACK: 'true' });
  const url = await upload(assay, await readFile(NOTE));
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const webhook = { url: receiver.url, secret };
  const id = await transcribe(assay, { url, webhook, metadata: { note: 1 } });
  const data = await waitForTask(assay, id);
  expect(data).toMatchObject({ status: 'done', metadata: { note: 1 }, result: { service: 'local', language: 'en' } });
  const { result } = data;
  expect(plain(result.transcription)).toBe(EXPECTED_TEXT);
  expect(result.duration_seconds).toBeCloseTo(10.3, 0);
  expect(result.words.map(({ text }: { text: string }) => plain(text))).toEqual(EXPECTED_TEXT.split(' '));
  for (const { start, end } of [...result.segments, ...result.words]) {
    expect(start).toBeLessThanOrEqual(end);
    expect(end).toBeLessThanOrEqual(10.4);
  }

  const [request] = await receiver.waitForRequests(1);
  expect(() => new Webhook(secret).verify(request!.body, request!.headers as Record<string, string>)).not.toThrow();
  expect(JSON.parse(request!.body).data.result).toEqual(result);
  const subtitles = await assay.call(`/result/${id}/transcript?format=vtt`);
  expect(plain(String(subtitles.body).replace(/\s+/g, ' '))).toContain('the inspection of the north stairwell');

  const missing = await transcribe(assay, { url: 'https://files.assay.internal/01KAF3M9WZ7Y5T2Q8C4N6B1D0E' });
  expect(await waitForTask(assay, missing)).toMatchObject({ status: 'failed', error_code: 'AUDIO_NOT_FOUND' });
  await receiver.close();
});

it('Speech to text repeats only the windows in progress when its worker is killed during a recording', {
  tags: ['full'],
}, async () => {
  const assay = await startSpeech({ LOG_LEVEL: 'debug' });
  const url = await upload(assay, await readFile(INSPECTION));
  const id = await transcribe(assay, { url, language: 'en' });
  await waitUntil(() => startedWindows(assay).length >= 2, 60_000);
  await waitUntil(async () => ((await assay.call(`/result/${id}`)).body.data.progress ?? 0) > 0);
  signalTo(await assay.child('work'), 'SIGKILL');

  const { status, result } = await waitForTask(assay, id);
  expect(status).toBe('done');
  // One phrase from each window, each exactly once.
  for (const phrase of ['the roof is in good order', 'every switch has a name', 'the keys to the attic']) {
    expect(plain(result.transcription).split(phrase), phrase).toHaveLength(2);
  }
  expectResumed(assay, 3);
});
