import { requireAccess, withToken } from '../access.ts';
import { skip } from '../assertion-failure.ts';
import { oncePerRun, type RunContext } from '../check.ts';
import type { Exchange } from '../exchange.ts';
import { type Expectation, successObject, that } from '../expect.ts';
import { fileUrl, missingFile } from '../file-url.ts';
import { deepEqual, isRecord } from '../shape.ts';
import { finalState, stateOf, taskOf, taskSteps } from '../task.ts';

export const audioUrl = oncePerRun((context) =>
  fileUrl(context, '--audio-url', 'audio/mpeg', () => context.specimens.recording()),
);

export const METADATA = { note: 17, deep: { list: [1, null, 'запись'], none: {} }, yes: true };

export async function transcribe(context: RunContext, body: unknown): Promise<Exchange> {
  await requireAccess(context);
  return context.probe.post('/transcribe/audio_url', { ...withToken(context), json: body });
}

export async function transcribeAudio(context: RunContext, overrides: Record<string, unknown> = {}): Promise<Exchange> {
  return transcribe(context, { url: await audioUrl(context), ...overrides });
}

export const plain = taskSteps(transcribeAudio);

export const full = taskSteps((context) => {
  const webhook = { url: context.webhookUrl, secret: `secret-of-${context.nonce}` };
  return transcribeAudio(context, { metadata: METADATA, webhook });
});

export const failed = oncePerRun(async (context) => {
  const url = missingFile(await audioUrl(context), context.nonce);
  const response = await finalState(context, taskOf(await transcribeAudio(context, { url })).id);
  if (stateOf(response) === 'done') skip('a task with a missing recording did not fail');
  return response;
});

/** `data.metadata` is what was sent. */
export const echo = (metadata: object): Expectation =>
  that(
    (response) => deepEqual(successObject(response)['metadata'], metadata),
    `data.metadata to be ${JSON.stringify(metadata)}`,
  );

export const NO_WEBHOOK = that((response) => {
  const { webhook } = successObject(response);
  return webhook === undefined || (isRecord(webhook) && webhook['configured'] === false);
}, 'data.webhook to be absent or not configured');
