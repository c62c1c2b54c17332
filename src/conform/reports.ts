import { codeOf, withToken } from './access.ts';
import { skip } from './assertion-failure.ts';
import { type Check, oncePerRun, type RunContext } from './check.ts';
import type { Exchange } from './exchange.ts';
import { checks, expecting, isSuccess, rows, success, validationError } from './expect.ts';
import { openapiCheck } from './openapi.ts';
import { brokenJson } from './probe.ts';
import { isRecord } from './shape.ts';

const MALFORMED = ['4.4', 'Both answer a validation error body on malformed input.'] as const;

/** A report on a missing record, so that a decision has no effect. */
const report = ({ nonce }: RunContext) => ({
  record_id: `conform-${nonce}`,
  action_type: 'delete',
  description: 'assay conform: please ignore',
  user_info: 'assay conform',
});

export const creationResponse = oncePerRun((context) =>
  context.probe.post('/reports', { ...withToken(context), json: report(context) }),
);

/** Throws `Skip` without permission; the specification does not define who has it. */
function allowed(response: Exchange): Exchange {
  if (![401, 403].includes(response.status)) return response;
  const { method, path } = response.request;
  return skip(
    `${method} ${path} returned ${response.status} ${String(codeOf(response.json) ?? '')}: another --token is required`,
  );
}

async function reportPath(context: RunContext): Promise<string> {
  const response = allowed(await creationResponse(context));
  const idInBody = isRecord(response.json) ? (response.json['id'] ?? response.json['report_id']) : undefined;
  const id = response.headers.get('location')?.split('/').at(-1) ?? idInBody;
  return typeof id === 'string' && isSuccess(response)
    ? `/reports/${id}`
    : skip('the response of POST /reports has no report id (its format is not specified)');
}

const create = async (context: RunContext) => allowed(await creationResponse(context));
const decide = async (context: RunContext) =>
  allowed(await context.probe.patch(await reportPath(context), { ...withToken(context), json: DECISION }));

const DECISION = { status: 'accepted', resolver_note: 'assay conform' };

type InvalidRequest = readonly [name: string, title: string, change: Record<string, unknown> | 'list' | 'broken'];

const invalidReports: readonly InvalidRequest[] = [
  ['list', 'a list', 'list'],
  ['broken', 'an invalid JSON body', 'broken'],
  ['record-id', 'a record_id that is an object', { record_id: {} }],
  ['action-type', 'an action_type that is an object', { action_type: {} }],
  ['description', 'a description that is an object', { description: {} }],
  ['user-info', 'user_info that is an object', { user_info: {} }],
];

const invalidPatches: readonly InvalidRequest[] = [
  ['list', 'a list', 'list'],
  ['broken', 'an invalid JSON body', 'broken'],
  ['status', 'a status that is an object', { status: {} }],
  ['resolver-note', 'a resolver_note that is an object', { resolver_note: {} }],
];

const malformed = (context: RunContext, change: InvalidRequest[2], whole: Record<string, unknown>) => {
  if (change === 'broken') return { ...withToken(context), ...brokenJson('{"status":') };
  return { ...withToken(context), json: change === 'list' ? [] : { ...whole, ...change } };
};

/** Section 4.4, which specifies neither authorization nor responses. */
export const reportsChecks: readonly Check[] = [
  openapiCheck('reports'),
  ...checks('reports', [
    [
      'create.success',
      ['4.4', 'create-report request, JSON'],
      'POST /reports accepts record_id, action_type delete, description and user_info',
      expecting(create, success),
    ],
    ...rows(invalidReports, ([name, title, change]) => [
      `create.malformed.${name}`,
      MALFORMED,
      `POST /reports with ${title} returns the validation error body`,
      expecting(async (context) => {
        await create(context);
        return allowed(await context.probe.post('/reports', malformed(context, change, report(context))));
      }, validationError),
    ]),
    ...rows(invalidPatches, ([name, title, change]) => [
      `patch.malformed.${name}`,
      MALFORMED,
      `PATCH /reports/{report_id} with ${title} returns the validation error body`,
      expecting(async (context) => {
        const path = await reportPath(context);
        return allowed(await context.probe.patch(path, malformed(context, change, DECISION)));
      }, validationError),
    ]),
    [
      'patch.success',
      ['4.4', 'patch-report request, JSON; `report_id` string'],
      'PATCH /reports/{report_id} accepts the status accepted and a resolver_note',
      expecting(decide, success),
    ],
  ]),
];
