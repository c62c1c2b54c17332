import { skip } from '../breach.ts';
import { type Check, step, type Visit } from '../check.ts';
import { body, detail, holds, shaped, status } from '../expect.ts';
import { flag, integer, nullable, oneOf, record, text } from '../shape.ts';
import { asProgram } from './steps.ts';

const health = step(async (visit) => visit.probe.get('/health/deep', await asProgram(visit)));

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

async function cleanup(visit: Visit, query: string) {
  if (!visit.mayCleanUp)
    skip('it deletes old documents, and all of them where a bound is not kept; --cleanup allows it');
  return visit.probe.post(`/admin/cleanup${query}`, await asProgram(visit));
}

/** What the operator of the service asks. */
export const operationChecks: readonly Check[] = [
  {
    id: 'passports.health.status',
    cites: ['4.3', '200 means the service works normally (the LLM may be `unconfigured`).'],
    title: 'GET /health/deep with 200 is ok, its database is ok',
    run: async (visit) => {
      const answer = await health(visit);
      if (answer.status !== 200) skip(`the service does not work normally now: ${answer.status}`);
      const data = record({ database: oneOf('ok'), llm_status: oneOf('ok', 'unconfigured') });
      shaped(answer, body(answer), record({ ok: oneOf(true), data }), 'the body');
    },
  },
  {
    id: 'passports.health.body',
    cites: [
      '2.4',
      '`workers_online` integer (number of active background workers; 0 means the queue is not processed)',
    ],
    title: 'the deep health has its fields, each of its type, whatever it tells',
    run: async (visit) => {
      const answer = await health(visit);
      const error = nullable(record({ code: text, message: text }));
      shaped(answer, body(answer), record({ ok: flag }, { data: nullable(HEALTH), error }), 'the body');
    },
  },
  {
    id: 'passports.health.version',
    cites: ['9', 'Passports reports `version` in `GET /health/deep`'],
    title: 'the deep health tells the version',
    run: async (visit) => {
      const answer = await health(visit);
      if (answer.status !== 200) skip(`the service does not work normally now: ${answer.status}`);
      shaped(answer, body(answer), record({ data: record({ version: text }) }), 'the body');
    },
  },
  ...['days=366', 'days=many', 'days=0'].map(
    (query): Check => ({
      id: `passports.cleanup.refuses.${query.replace('=', '-')}`,
      cites: ['4.3', 'query `days` integer, 1 to 365, default 30'],
      title: `a cleanup with ${query} is answered with the validation error body`,
      run: async (visit) => detail(await cleanup(visit, `?${query}`)),
    }),
  ),
  {
    id: 'passports.cleanup.body',
    cites: ['2.4', '`status` string (always `success`), `deleted_tasks` integer (required)'],
    title: 'a cleanup answers success and how many tasks it deleted',
    run: async (visit) => {
      const answer = await cleanup(visit, '?days=365');
      status(answer, 200);
      shaped(answer, body(answer), record({ status: oneOf('success'), deleted_tasks: integer }), 'the body');
      holds(answer, Number(body(answer)['deleted_tasks']) >= 0, '`deleted_tasks` to be 0 or more');
    },
  },
];
