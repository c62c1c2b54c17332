import { type Expectation, successObject, that } from '../expect.ts';
import { serviceSteps } from '../service-steps.ts';
import { deepEqual, isRecord } from '../shape.ts';
import { taskSteps } from '../task.ts';

export const {
  url: audioUrl,
  post: transcribe,
  postBroken,
  create: transcribeAudio,
  task: plain,
  failed,
} = serviceSteps({
  path: '/transcribe/audio_url',
  field: 'url',
  flag: '--audio-url',
  type: 'audio/mpeg',
  specimen: 'recording',
});

export const METADATA = { note: 17, deep: { list: [1, null, 'запись'], none: {} }, yes: true };

export const full = taskSteps((context) => {
  const webhook = { url: context.webhookUrl, secret: `secret-of-${context.nonce}` };
  return transcribeAudio(context, { metadata: METADATA, webhook });
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
