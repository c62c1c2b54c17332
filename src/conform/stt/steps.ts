import { admitted, asOwner } from '../access.ts';
import { skip } from '../breach.ts';
import { step, type Visit } from '../check.ts';
import type { Exchange } from '../exchange.ts';
import { fileUrl, missingFile } from '../file-url.ts';
import { isRecord } from '../shape.ts';
import { finalState, stateOf, taskOf, taskSteps } from '../task.ts';

export const audioUrl = step((visit) => fileUrl(visit, '--audio-url', 'audio/mpeg', () => visit.specimens.recording()));

/** Whatever a client says of its recording: it is echoed as it is. */
export const METADATA = { note: 17, deep: { list: [1, null, 'запись'], none: {} }, yes: true };

/** `POST /transcribe/audio_url` with this body. */
export async function transcribe(visit: Visit, body: unknown): Promise<Exchange> {
  await admitted(visit);
  return visit.probe.post('/transcribe/audio_url', { ...asOwner(visit), json: body });
}

/** A good request, with what is given in place of its parts and beside them. */
export async function transcribeAudio(visit: Visit, more: Record<string, unknown> = {}): Promise<Exchange> {
  return transcribe(visit, { url: await audioUrl(visit), ...more });
}

/** A task with nothing but its `url`. */
export const plain = taskSteps(transcribeAudio);

/** A task with metadata and a webhook. */
export const full = taskSteps((visit) => {
  const webhook = { url: visit.webhookUrl, secret: `secret-of-${visit.nonce}` };
  return transcribeAudio(visit, { metadata: METADATA, webhook });
});

/** The final state of a task whose recording is not there. */
export const failed = step(async (visit) => {
  const url = missingFile(await audioUrl(visit), visit.nonce);
  const answer = await finalState(visit, taskOf(await transcribeAudio(visit, { url })).id);
  if (stateOf(answer) === 'done') skip('a task with a recording that should not be there did not fail');
  return answer;
});

/** Whether this `data.webhook` says that there is none. */
export const notConfigured = (webhook: unknown) =>
  webhook === undefined || (isRecord(webhook) && webhook['configured'] === false);
