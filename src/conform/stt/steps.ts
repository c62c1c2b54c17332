import { admitted, asOwner } from '../access.ts';
import { skip } from '../breach.ts';
import { step, type Visit } from '../check.ts';
import type { Exchange } from '../exchange.ts';
import { fileUrl, missingFile } from '../file-url.ts';
import { isRecord } from '../shape.ts';
import { finalState, stateOf, taskOf, taskSteps } from '../task.ts';

export const audioUrl = step((context) =>
  fileUrl(context, '--audio-url', 'audio/mpeg', () => context.specimens.recording()),
);

/** Client metadata, returned unchanged. */
export const METADATA = { note: 17, deep: { list: [1, null, 'запись'], none: {} }, yes: true };

export async function transcribe(context: Visit, body: unknown): Promise<Exchange> {
  await admitted(context);
  return context.probe.post('/transcribe/audio_url', { ...asOwner(context), json: body });
}

/** A valid request with overrides. */
export async function transcribeAudio(context: Visit, overrides: Record<string, unknown> = {}): Promise<Exchange> {
  return transcribe(context, { url: await audioUrl(context), ...overrides });
}

/** A task with only a `url`. */
export const plain = taskSteps(transcribeAudio);

/** A task with metadata and a webhook. */
export const full = taskSteps((context) => {
  const webhook = { url: context.webhookUrl, secret: `secret-of-${context.nonce}` };
  return transcribeAudio(context, { metadata: METADATA, webhook });
});

/** Final state of a task with a missing recording. */
export const failed = step(async (context) => {
  const url = missingFile(await audioUrl(context), context.nonce);
  const response = await finalState(context, taskOf(await transcribeAudio(context, { url })).id);
  if (stateOf(response) === 'done') skip('a task with a missing recording did not fail');
  return response;
});

/** Whether `data.webhook` is absent or not configured. */
export const notConfigured = (webhook: unknown) =>
  webhook === undefined || (isRecord(webhook) && webhook['configured'] === false);
