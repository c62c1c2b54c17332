// Assay's contract of `POST /predict` and `GET /result/{task_id}` over any queue. Minimal, so that the queue is
// measured: compiled schemas, one token, one limiter.
import { hash, timingSafeEqual } from 'node:crypto';
import { fastify } from 'fastify';

const text = { type: 'string', minLength: 1, maxLength: 2048 };

const PREDICT = {
  type: 'object',
  required: ['image_url'],
  properties: {
    image_url: { ...text, pattern: '^https://' },
    priority: { type: 'string', enum: ['realtime', 'batch'], default: 'realtime' },
    webhook_url: text,
    model_version: { ...text, maxLength: 100 },
  },
};

const success = (properties) => ({
  type: 'object',
  properties: { ok: { type: 'boolean' }, data: { type: 'object', properties } },
});
const scored = { type: 'object', properties: { name: { type: 'string' }, conf: { type: 'number' } } };

const ACCEPTED = success({
  task_id: { type: 'string' },
  status: { type: 'string' },
  status_url: { type: 'string' },
  estimated_wait_seconds: { type: 'integer' },
});

const STATE = success({
  task_id: { type: 'string' },
  status: { type: 'string' },
  message: { type: 'string' },
  result: {
    type: 'object',
    properties: {
      surface: { type: 'string' },
      masters: { type: 'array', items: scored },
      defects: { type: 'array', items: scored },
    },
  },
  processing_time_ms: { type: 'integer' },
  completed_at: { type: 'string' },
  model_version: { type: 'string' },
  error: { type: 'string' },
});

export function openGateway(queue, { token, limitPerMinute }) {
  const app = fastify();
  const sendError = (reply, status, code, message) => reply.code(status).send({ ok: false, error: { code, message } });

  app.setErrorHandler((error, _request, reply) =>
    error.validation
      ? sendError(reply, 422, 'VALIDATION_ERROR', error.message)
      : sendError(reply, 503, 'QUEUE_UNAVAILABLE', 'The queue is unavailable.'),
  );
  const secret = digest(token);
  app.addHook('onRequest', async (request, reply) => {
    const [, candidate] = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (!candidate || !timingSafeEqual(digest(candidate), secret))
      return sendError(reply, 401, 'UNAUTHORIZED', 'No valid token.');
  });

  let minute = 0;
  let count = 0;
  const limited = async (_request, reply) => {
    const now = Math.floor(Date.now() / 60_000);
    if (now !== minute) [minute, count] = [now, 0];
    if (++count > limitPerMinute) return sendError(reply, 429, 'RATE_LIMITED', 'Too many requests.');
  };

  if (limitPerMinute > 0) app.addHook('onRequest', limited);

  app.post('/predict', { schema: { body: PREDICT, response: { 202: ACCEPTED } } }, async (request, reply) => {
    const task_id = await queue.add(request.body);
    const status_url = `/result/${task_id}`;
    reply.code(202).header('location', status_url);
    return { ok: true, data: { task_id, status: 'queued', status_url, estimated_wait_seconds: 90 } };
  });

  app.get('/result/:id', { schema: { response: { 200: STATE, 202: STATE } } }, async (request, reply) => {
    const { id } = request.params;
    const task = await queue.read(id);
    if (!task) return sendError(reply, 404, 'NOT_FOUND', 'No such task.');
    reply.code(task.status === 'done' || task.status === 'failed' ? 200 : 202);
    return { ok: true, data: { task_id: id, ...stateOf(task) } };
  });
  return app;
}

function stateOf({ status, result, processingMs, finishedMs, error }) {
  if (status === 'failed') return { status, error };
  if (status !== 'done') return { status, message: 'The task is not done yet.' };
  const { model_version } = result;
  const completed_at = String(Math.floor(finishedMs / 1000));
  return { status, result, processing_time_ms: processingMs, completed_at, model_version };
}

const digest = (value) => hash('sha256', value, 'buffer');
