import type { JsonObject } from '../base/json.ts';

const HEADERS = [
  'X-Service-Event',
  'X-Service-Task-ID',
  'X-Service-Delivery-ID',
  'X-Service-Delivery-Attempt',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
];

/** The callback of a task that has ended, for the `webhooks` section of a description. */
export const terminalCallback = (told: {
  summary: string;
  /** What the body is; how it is sent again is the same everywhere. */
  body: string;
  /** What it is signed with. */
  signed: string;
  /** The schema of the body. */
  schema: object;
  /** The body of a task that is done. */
  done: JsonObject;
}) => ({
  post: {
    summary: told.summary,
    description: `Sent once the result is recorded; ${told.body} Any 2xx in good time counts as delivered; otherwise it is sent again, at growing distances, also after the result has expired, with the same delivery id and the same bytes. ${told.signed}`,
    parameters: HEADERS.map((name) => ({ name, in: 'header', schema: { type: 'string' } })),
    requestBody: { content: { 'application/json': { schema: told.schema, examples: { done: { value: told.done } } } } },
    responses: { '2XX': { description: 'Received.' } },
  },
});
