import { codeOf } from './access.ts';
import { skip } from './breach.ts';
import { type Check, step, type Visit } from './check.ts';
import type { Exchange } from './exchange.ts';
import { detail, holds, isSuccess } from './expect.ts';
import { openapiCheck } from './openapi.ts';
import { isRecord } from './shape.ts';

const MALFORMED = ['4.4', 'Both answer a validation error body on malformed input.'] as const;

/** A report of a record that there is not, so that whatever is decided changes nothing. */
const report = ({ nonce }: Visit) => ({
  record_id: `conform-${nonce}`,
  action_type: 'delete',
  description: 'assay conform: nobody needs to look at this',
  user_info: 'assay conform',
});

const asModerator = ({ token }: Visit) => ({ token, as: token === undefined ? 'without a token' : 'with the token' });

/** The answer to a good report. */
export const created = step((visit) => visit.probe.post('/reports', { ...asModerator(visit), json: report(visit) }));

/** Throws a `Skip` where the visitor may not; who may, the specification does not show. */
function allowed(answer: Exchange): Exchange {
  if (![401, 403].includes(answer.status)) return answer;
  const { method, path } = answer.asked;
  return skip(
    `${method} ${path} answered ${answer.status} ${String(codeOf(answer.json) ?? '')}: it needs another --token`,
  );
}

/** The path of the report that was created: its address, else what its body calls its id. */
async function reportPath(visit: Visit): Promise<string> {
  const answer = allowed(await created(visit));
  const named = isRecord(answer.json) ? (answer.json['id'] ?? answer.json['report_id']) : undefined;
  const id = answer.headers.get('location')?.split('/').at(-1) ?? named;
  return typeof id === 'string' && isSuccess(answer)
    ? `/reports/${id}`
    : skip('the answer to POST /reports names no report; its form is not in the specification');
}

const patch = async (visit: Visit, json: unknown) =>
  allowed(await visit.probe.patch(await reportPath(visit), { ...asModerator(visit), json }));

type Wrong = readonly [name: string, title: string, change: Record<string, unknown> | 'list' | 'broken'];

const wrongReports: readonly Wrong[] = [
  ['list', 'a list', 'list'],
  ['broken', 'a body that is no JSON', 'broken'],
  ['record-id', 'a record_id that is an object', { record_id: {} }],
  ['action-type', 'an action_type that is an object', { action_type: {} }],
  ['description', 'a description that is an object', { description: {} }],
  ['user-info', 'user_info that is an object', { user_info: {} }],
];

const wrongPatches: readonly Wrong[] = [
  ['list', 'a list', 'list'],
  ['broken', 'a body that is no JSON', 'broken'],
  ['status', 'a status that is an object', { status: {} }],
  ['resolver-note', 'a resolver_note that is an object', { resolver_note: {} }],
];

const malformed = (visit: Visit, change: Wrong[2], whole: Record<string, unknown>) => {
  const headers = { 'content-type': 'application/json' };
  if (change === 'broken') return { ...asModerator(visit), headers, body: '{"status":' };
  return { ...asModerator(visit), json: change === 'list' ? [] : { ...whole, ...change } };
};

/** Section 4.4; how one is authorised, what is answered and what else may be asked is not in it. */
export const reportsChecks: readonly Check[] = [
  openapiCheck('reports'),
  {
    id: 'reports.create.success',
    cites: ['4.4', 'create-report request, JSON'],
    title: 'POST /reports takes record_id, action_type delete, description and user_info',
    run: async (visit) => {
      const answer = allowed(await created(visit));
      holds(answer, isSuccess(answer), 'a success');
    },
  },
  ...wrongReports.map(
    ([name, title, change]): Check => ({
      id: `reports.create.malformed.${name}`,
      cites: MALFORMED,
      title: `POST /reports with ${title} is answered with the validation error body`,
      run: async (visit) => {
        allowed(await created(visit));
        detail(allowed(await visit.probe.post('/reports', malformed(visit, change, report(visit)))));
      },
    }),
  ),
  ...wrongPatches.map(
    ([name, title, change]): Check => ({
      id: `reports.patch.malformed.${name}`,
      cites: MALFORMED,
      title: `PATCH /reports/{report_id} with ${title} is answered with the validation error body`,
      run: async (visit) => {
        const whole = { status: 'accepted', resolver_note: 'assay conform' };
        detail(allowed(await visit.probe.patch(await reportPath(visit), malformed(visit, change, whole))));
      },
    }),
  ),
  {
    id: 'reports.patch.success',
    cites: ['4.4', 'patch-report request, JSON; `report_id` string'],
    title: 'PATCH /reports/{report_id} takes the status accepted and a resolver_note',
    run: async (visit) => {
      const answer = await patch(visit, { status: 'accepted', resolver_note: 'assay conform' });
      holds(answer, isSuccess(answer), 'a success');
    },
  },
];
