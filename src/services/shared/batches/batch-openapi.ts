import { success } from '../../../http/envelope.ts';
import { webhookOpenApi } from '../webhook-openapi.ts';
import { Batch, deliveredExample } from './batch-schema.ts';
import { BATCH_EVENT } from './batches-of.ts';

/** For the `webhooks` section of a service. */
export const batchWebhook = (signed: string) => ({
  [BATCH_EVENT]: webhookOpenApi({
    summary: 'The end of a batch created with webhook_url',
    body: 'The body is that of `GET /batches/{batch_id}` at the time of sending; `X-Service-Task-ID` is the `batch_id`.',
    signed,
    schema: Batch,
    done: success(deliveredExample),
  }),
});
