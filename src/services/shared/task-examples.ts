import type { JsonObject } from '../../base/json.ts';

const ID = '01KAF3M9WZ7Y5T2Q8C4N6B1D0E';
const DELIVERY_ID = 'whd_01KAF3M9WZ3RS8V5X2K7J4H6G9';

const example = (data: JsonObject) => ({ ok: true, data: { task_id: ID, ...data } });

/** Examples of responses for the API reference. `failed` is shared by all failures of the service. */
export const taskExamples = (states: {
  accepted: JsonObject;
  processing: JsonObject;
  done: JsonObject;
  failed?: JsonObject;
  error: JsonObject;
  webhook: JsonObject;
}) => {
  const failed = (error: JsonObject) => example({ status: 'failed', ...error, ...states.failed });
  const done = { status: 'done', ...states.done };
  return {
    accepted: example({ status: 'queued', status_url: `/result/${ID}`, ...states.accepted }),
    processing: example({ status: 'processing', ...states.processing }),
    done: example(done),
    delivered: example({ ...done, webhook: { configured: true, ...states.webhook, delivery_id: DELIVERY_ID } }),
    failed: failed(states.error),
    cancelled: failed({ error: 'Cancelled by client', error_code: 'CANCELLED' }),
  };
};
