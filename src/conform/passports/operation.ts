import { skip } from '../assertion-failure.ts';
import { type Check, oncePerRun, type RunContext } from '../check.ts';
import { body, checks, expecting, rows, status, validationError } from '../expect.ts';
import { atLeast, flag, integer, nullable, oneOf, record, text } from '../shape.ts';
import { withToken } from './steps.ts';

const health = oncePerRun(async (context) => context.probe.get('/health/deep', await withToken(context)));

async function healthy(context: RunContext) {
  const response = await health(context);
  return response.status === 200 ? response : skip(`the service is unhealthy: ${response.status}`);
}

const HEALTH = record(
  {
    database: text,
    workers_online: integer,
    version: text,
    llm_status: oneOf('ok', 'error', 'unconfigured'),
    llm_provider: text,
  },
  { llm_error: nullable(text) },
);
const HEALTH_BODY = record(
  { ok: flag },
  { data: nullable(HEALTH), error: nullable(record({ code: text, message: text })) },
);
const WORKING = record({ database: oneOf('ok'), llm_status: oneOf('ok', 'unconfigured') });

const cleanup = (query: string) => async (context: RunContext) => {
  if (!context.mayCleanUp)
    skip('requires --cleanup, which deletes old documents, or all documents of a faulty deployment');
  return context.probe.post(`/admin/cleanup?${query}`, await withToken(context));
};

export const operationChecks: readonly Check[] = checks('passports', [
  [
    'health.status',
    ['4.3', '200 means the service works normally (the LLM may be `unconfigured`).'],
    'GET /health/deep with 200 reports ok for service and database',
    expecting(healthy, body({ ok: oneOf(true), data: WORKING })),
  ],
  [
    'health.body',
    ['2.4', '`workers_online` integer (number of active background workers; 0 means the queue is not processed)'],
    'GET /health/deep has the specified fields and types',
    expecting(health, body(HEALTH_BODY)),
  ],
  [
    'health.version',
    ['9', 'Passports reports `version` in `GET /health/deep`'],
    'GET /health/deep has the version',
    expecting(healthy, body({ data: record({ version: text }) })),
  ],
  ...rows(['days=366', 'days=many', 'days=0'], (query) => [
    `cleanup.refuses.${query.replace('=', '-')}`,
    ['4.3', 'query `days` integer, 1 to 365, default 30'],
    `a cleanup with ${query} returns the validation error body`,
    expecting(cleanup(query), validationError),
  ]),
  [
    'cleanup.body',
    ['2.4', '`status` string (always `success`), `deleted_tasks` integer (required)'],
    'a cleanup returns success and the number of deleted tasks',
    expecting(cleanup('days=365'), status(200), body({ status: oneOf('success'), deleted_tasks: atLeast(0) })),
  ],
]);
