import type { JsonObject } from '../../base/json.ts';

const HEADERS = [
  'X-Service-Event',
  'X-Service-Task-ID',
  'X-Service-Delivery-ID',
  'X-Service-Delivery-Attempt',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
];

export const webhookOpenApi = (options: {
  summary: string;
  /** Sentence on the body. */
  body: string;
  /** Sentence on the signature. */
  signed: string;
  schema: object;
  done: JsonObject;
}) => ({
  post: {
    summary: options.summary,
    description: `Sent after the result is stored. ${options.body} Any 2xx response before the timeout completes the delivery. Otherwise it is retried at increasing intervals with the same delivery id and body, even after the result has expired. ${options.signed}`,
    parameters: HEADERS.map((name) => ({ name, in: 'header', schema: { type: 'string' } })),
    requestBody: {
      content: { 'application/json': { schema: options.schema, examples: { done: { value: options.done } } } },
    },
    responses: { '2XX': { description: 'Received.' } },
  },
});
