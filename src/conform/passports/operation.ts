import { skip } from '../assertion-failure.ts';
import { type Check, oncePerRun, type RunContext } from '../check.ts';
import { assertShape, assertStatus, assertThat, assertValidationBody, bodyOf } from '../expect.ts';
import { flag, integer, nullable, oneOf, record, text } from '../shape.ts';
import { withToken } from './steps.ts';

const health = oncePerRun(async (context) => context.probe.get('/health/deep', await withToken(context)));

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

async function cleanup(context: RunContext, query: string) {
  if (!context.mayCleanUp)
    skip('requires --cleanup, which deletes old documents, or all documents of a faulty deployment');
  return context.probe.post(`/admin/cleanup${query}`, await withToken(context));
}

export const operationChecks: readonly Check[] = [
  {
    id: 'passports.health.status',
    cites: ['4.3', '200 means the service works normally (the LLM may be `unconfigured`).'],
    title: 'GET /health/deep with 200 reports ok for service and database',
    run: async (context) => {
      const response = await health(context);
      if (response.status !== 200) skip(`the service is unhealthy: ${response.status}`);
      const data = record({ database: oneOf('ok'), llm_status: oneOf('ok', 'unconfigured') });
      assertShape(response, bodyOf(response), record({ ok: oneOf(true), data }), 'the body');
    },
  },
  {
    id: 'passports.health.body',
    cites: [
      '2.4',
      '`workers_online` integer (number of active background workers; 0 means the queue is not processed)',
    ],
    title: 'GET /health/deep has the specified fields and types',
    run: async (context) => {
      const response = await health(context);
      const error = nullable(record({ code: text, message: text }));
      assertShape(response, bodyOf(response), record({ ok: flag }, { data: nullable(HEALTH), error }), 'the body');
    },
  },
  {
    id: 'passports.health.version',
    cites: ['9', 'Passports reports `version` in `GET /health/deep`'],
    title: 'GET /health/deep has the version',
    run: async (context) => {
      const response = await health(context);
      if (response.status !== 200) skip(`the service is unhealthy: ${response.status}`);
      assertShape(response, bodyOf(response), record({ data: record({ version: text }) }), 'the body');
    },
  },
  ...['days=366', 'days=many', 'days=0'].map(
    (query): Check => ({
      id: `passports.cleanup.refuses.${query.replace('=', '-')}`,
      cites: ['4.3', 'query `days` integer, 1 to 365, default 30'],
      title: `a cleanup with ${query} returns the validation error body`,
      run: async (context) => assertValidationBody(await cleanup(context, `?${query}`)),
    }),
  ),
  {
    id: 'passports.cleanup.body',
    cites: ['2.4', '`status` string (always `success`), `deleted_tasks` integer (required)'],
    title: 'a cleanup returns success and the number of deleted tasks',
    run: async (context) => {
      const response = await cleanup(context, '?days=365');
      assertStatus(response, 200);
      assertShape(response, bodyOf(response), record({ status: oneOf('success'), deleted_tasks: integer }), 'the body');
      assertThat(response, Number(bodyOf(response)['deleted_tasks']) >= 0, '`deleted_tasks` to be 0 or more');
    },
  },
];
