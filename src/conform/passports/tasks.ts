import { skip } from '../assertion-failure.ts';
import type { Check, RunContext } from '../check.ts';
import type { Exchange } from '../exchange.ts';
import {
  assertShape,
  assertThat,
  body,
  bodyOf,
  checks,
  expect,
  expecting,
  rows,
  status,
  success,
  validationError,
} from '../expect.ts';
import { atLeast, filledText, flag, integer, isoTime, listOf, nullable, oneOf, record, text, uuid } from '../shape.ts';
import {
  COOKIE,
  document,
  empty,
  extracted,
  itemsOf,
  list,
  listed,
  listedItem,
  uploaded,
  VALIDATION,
  withOtherSession,
} from './steps.ts';

const FILTERS = ['PENDING', 'PROCESSING', 'SUCCESS', 'FAILED', 'ERROR'];
const ITEM = record({
  id: uuid,
  filename: filledText,
  status: oneOf(...FILTERS, 'PERMANENT_ERROR'),
  cached: flag,
  created_at: nullable(isoTime),
  error_type: nullable(text),
});
const LIST = record({ items: listOf(ITEM), total: integer, page: integer, limit: integer });
const LIST_WORDS =
  '`items` array of task list items, `total` integer (count with filters applied), `page` integer, `limit` integer; all required';

const OTHERS = 'a list without the documents of others';

const PAGE_RULE = ['8', '`limit` 1 to 200, default 50; `page` >= 1'] as const;

const REFUSED = [
  ['limit-0', '?limit=0'],
  ['limit-201', '?limit=201'],
  ['limit-word', '?limit=many'],
  ['page-0', '?page=0'],
  ['page-word', '?page=last'],
  ['status-word', '?status=FINISHED'],
] as const;

const listing = (query: string) => (context: RunContext) => list(context, query);
const includes = (response: Exchange, id: string) => itemsOf(response).some((item) => item['id'] === id);

/** The first upload. Throws `Skip` if it was rejected, because its request is not specified. */
async function accepted(context: RunContext) {
  const { response, cookie } = await uploaded(context);
  if (response.status >= 400 && response.status < 500)
    skip(`no document was uploaded: POST /upload returned ${response.status}`);
  return { response, cookie };
}

export const taskChecks: readonly Check[] = checks('passports', [
  [
    'session.cookie',
    ['1', 'Tasks are bound to a browser-style session identified by the cookie `bti_session_id`.'],
    `an upload without a session sets the cookie ${COOKIE}`,
    async (context) => {
      const { response, cookie } = await accepted(context);
      if (response.request.as === 'with the token') skip('uploads require a token');
      assertThat(response, cookie !== undefined, `the cookie ${COOKIE} to be set`);
    },
  ],
  [
    'upload.json',
    ['4.3', 'there is no JSON mode (unlike `/upload` and `/task/{id}/update`, which have one)'],
    'an upload with Accept: application/json returns JSON',
    expecting(async (context) => (await accepted(context)).response, success, body({})),
  ],
  [
    'session.others',
    ['5.3', 'Tasks and uploaded images are bound to the session cookie `bti_session_id`'],
    'another session does not list the document',
    async (context) => {
      const id = await document(context);
      const response = await context.probe.get('/api/tasks', { as: 'without a session' });
      assertThat(response, !includes(response, id), OTHERS);
      const other = await context.probe.get('/api/tasks', await withOtherSession(context));
      expect(other, status(200), body(LIST));
      assertThat(other, !includes(other, id), OTHERS);
    },
  ],
  [
    'list.body',
    ['2.4', LIST_WORDS],
    'the list has items, total, page and limit with the right types',
    expecting(listed, status(200), body(LIST)),
  ],
  [
    'list.defaults',
    PAGE_RULE,
    'the list defaults to page 1 with a limit of 50',
    expecting(listed, body({ page: oneOf(1), limit: oneOf(50) })),
  ],
  [
    'list.item',
    ['2.4', '`filename` string (display name)'],
    'an uploaded document is listed in its session',
    async (context) => {
      const { response, item } = await listedItem(context, await listed(context));
      assertShape(response, item?.['filename'], filledText, 'its filename');
      expect(response, body({ total: atLeast(1) }));
    },
  ],
  [
    'list.sorted',
    ['4.3', 'Sorted always by creation date, descending.'],
    'the list starts with the newest document',
    async (context) => {
      const [older, newer] = [await document(context), await empty(context)];
      const response = await list(context);
      const ids = itemsOf(response).map(({ id }) => id);
      const isFirst = ids.indexOf(newer) >= 0 && ids.indexOf(newer) < ids.indexOf(older);
      assertThat(response, isFirst, `${newer} before ${older}`);
      const times = itemsOf(response).flatMap(({ created_at }) =>
        typeof created_at === 'string' ? [Date.parse(created_at)] : [],
      );
      const descend = times.every((time, index) => index === 0 || time <= times[index - 1]!);
      assertThat(response, descend, 'created_at to descend');
    },
  ],
  [
    'list.pages',
    ['4.3', '>= 1, default 1'],
    'pages do not overlap and total counts all of them',
    async (context) => {
      await empty(context);
      const [first, second] = [await list(context, '?page=1&limit=1'), await list(context, '?page=2&limit=1')];
      for (const [index, response] of [first, second].entries()) {
        const page = record({ page: oneOf(index + 1), limit: oneOf(1), total: atLeast(2) });
        expect(response, status(200), body(page));
        assertThat(response, itemsOf(response).length === 1, 'one item on a page of one');
      }
      assertThat(second, itemsOf(first)[0]?.['id'] !== itemsOf(second)[0]?.['id'], 'another item on the next page');
    },
  ],
  ...rows(['?limit=1', '?limit=200', '?page=1'], (query) => [
    `list.takes.${query.slice(1).replace('=', '-')}`,
    PAGE_RULE,
    `the list accepts ${query}`,
    expecting(listing(query), status(200)),
  ]),
  ...rows(REFUSED, ([name, query]) => [
    `list.refuses.${name}`,
    VALIDATION,
    `the list rejects ${query} with the validation error body`,
    expecting(listing(query), validationError),
  ]),
  ...rows(FILTERS, (filter) => [
    `list.filter.${filter.toLowerCase()}`,
    ['4.3', 'optional filter: `PENDING`, `PROCESSING`, `SUCCESS`, `FAILED`, `ERROR`'],
    `the list can be filtered by ${filter}`,
    expecting(listing(`?status=${filter}`), status(200), body({ items: listOf(record({ status: oneOf(filter) })) })),
  ]),
  [
    'list.total',
    ['2.4', '`total` integer (count with filters applied)'],
    'total counts the filtered documents',
    async (context) => {
      const id = await extracted(context);
      const response = await list(context, '?status=SUCCESS&limit=200');
      assertThat(response, includes(response, id), 'the processed document in the list');
      const { length } = itemsOf(response);
      const isTotal = length >= 200 || bodyOf(response)['total'] === length;
      assertThat(response, isTotal, '`total` to be the number of items');
    },
  ],
  [
    'list.cached',
    ['2.4', '`cached` boolean (true when taken from cache, i.e. a repeated file)'],
    'a new document is not from the cache',
    async (context) => {
      const { response, item } = await listedItem(context, await listed(context));
      assertShape(response, item?.['cached'], oneOf(false), 'its `cached`');
    },
  ],
]);
