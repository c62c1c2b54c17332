import { skip } from '../breach.ts';
import type { Check } from '../check.ts';
import { body, detail, holds, isSuccess, shaped, status } from '../expect.ts';
import { filledText, flag, integer, isoTime, isRecord, listOf, nullable, oneOf, record, text, uuid } from '../shape.ts';
import { COOKIE, document, empty, extracted, itemsOf, list, listed, uploaded } from './steps.ts';

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

const PAGE_RULE = ['8', '`limit` 1 to 200, default 50; `page` >= 1'] as const;

/** The list of a session's tasks. */
export const taskChecks: readonly Check[] = [
  {
    id: 'passports.session.cookie',
    cites: ['1', 'Tasks are bound to a browser-style session identified by the cookie `bti_session_id`.'],
    title: `an upload by somebody new begins a session: the cookie ${COOKIE}`,
    run: async (visit) => {
      const { answer, cookie } = await uploaded(visit);
      if (answer.status >= 400) skip(`no document was uploaded: POST /upload answered ${answer.status}`);
      if (answer.asked.as === 'with the token') skip('nobody uploads without a token here');
      holds(answer, cookie !== undefined, `the cookie ${COOKIE} to be set`);
    },
  },
  {
    id: 'passports.upload.json',
    cites: ['4.3', 'there is no JSON mode (unlike `/upload` and `/task/{id}/update`, which have one)'],
    title: 'an upload that asks for JSON is answered with JSON',
    run: async (visit) => {
      const { answer } = await uploaded(visit);
      if (answer.status >= 400) skip(`no document was uploaded: POST /upload answered ${answer.status}`);
      holds(answer, isSuccess(answer), 'a success');
      body(answer);
    },
  },
  {
    id: 'passports.session.others',
    cites: ['5.3', 'Tasks and uploaded images are bound to the session cookie `bti_session_id`'],
    title: 'another session does not list the document',
    run: async (visit) => {
      const id = await document(visit);
      const answer = await visit.probe.get('/api/tasks', { as: 'without a session' });
      holds(answer, !itemsOf(answer).some((item) => item['id'] === id), 'a list without the documents of others');
    },
  },
  {
    id: 'passports.list.body',
    cites: [
      '2.4',
      '`items` array of task list items, `total` integer (count with filters applied), `page` integer, `limit` integer; all required',
    ],
    title: 'the list has items, total, page and limit, all of their types',
    run: async (visit) => {
      const answer = await listed(visit);
      status(answer, 200);
      shaped(answer, body(answer), LIST, 'the body');
    },
  },
  {
    id: 'passports.list.defaults',
    cites: PAGE_RULE,
    title: 'without a query it is page 1 with a limit of 50',
    run: async (visit) => {
      const answer = await listed(visit);
      shaped(answer, body(answer), record({ page: oneOf(1), limit: oneOf(50) }), 'the body');
    },
  },
  {
    id: 'passports.list.item',
    cites: ['2.4', '`filename` string (display name)'],
    title: 'a document that was uploaded is in the list of its session',
    run: async (visit) => {
      const id = await document(visit);
      const answer = await listed(visit);
      const item = itemsOf(answer).find((one) => one['id'] === id);
      shaped(answer, item?.['filename'], filledText, 'its filename');
      holds(answer, Number(body(answer)['total']) >= 1, '`total` to count it');
    },
  },
  {
    id: 'passports.list.sorted',
    cites: ['4.3', 'Sorted always by creation date, descending.'],
    title: 'the newest comes first',
    run: async (visit) => {
      const [older, newer] = [await document(visit), await empty(visit)];
      const answer = await list(visit);
      const ids = itemsOf(answer).map(({ id }) => id);
      holds(answer, ids.indexOf(newer) >= 0 && ids.indexOf(newer) < ids.indexOf(older), `${newer} before ${older}`);
      const times = itemsOf(answer).flatMap(({ created_at }) =>
        typeof created_at === 'string' ? [Date.parse(created_at)] : [],
      );
      holds(
        answer,
        times.every((time, index) => index === 0 || time <= times[index - 1]!),
        'created_at to descend',
      );
    },
  },
  {
    id: 'passports.list.pages',
    cites: ['4.3', '>= 1, default 1'],
    title: 'pages follow one another without a gap, and total counts all of them',
    run: async (visit) => {
      await empty(visit);
      const [first, second] = [await list(visit, '?page=1&limit=1'), await list(visit, '?page=2&limit=1')];
      for (const [index, answer] of [first, second].entries()) {
        status(answer, 200);
        shaped(answer, body(answer), record({ page: oneOf(index + 1), limit: oneOf(1) }), 'the body');
        holds(answer, itemsOf(answer).length === 1, 'one item on a page of one');
        holds(answer, Number(body(answer)['total']) >= 2, '`total` to count all pages');
      }
      holds(second, itemsOf(first)[0]?.['id'] !== itemsOf(second)[0]?.['id'], 'another item on the next page');
    },
  },
  ...['?limit=1', '?limit=200', '?page=1'].map(
    (query): Check => ({
      id: `passports.list.takes.${query.slice(1).replace('=', '-')}`,
      cites: PAGE_RULE,
      title: `the list takes ${query}`,
      run: async (visit) => status(await list(visit, query), 200),
    }),
  ),
  ...(
    [
      ['limit-0', '?limit=0'],
      ['limit-201', '?limit=201'],
      ['limit-word', '?limit=many'],
      ['page-0', '?page=0'],
      ['page-word', '?page=last'],
      ['status-word', '?status=FINISHED'],
    ] as const
  ).map(
    ([name, query]): Check => ({
      id: `passports.list.refuses.${name}`,
      cites: ['7', 'Validation failures (HTTP validation errors) return the `detail` array body of section 2.4.'],
      title: `the list refuses ${query} with the validation error body`,
      run: async (visit) => detail(await list(visit, query)),
    }),
  ),
  ...FILTERS.map(
    (filter): Check => ({
      id: `passports.list.filter.${filter.toLowerCase()}`,
      cites: ['4.3', 'optional filter: `PENDING`, `PROCESSING`, `SUCCESS`, `FAILED`, `ERROR`'],
      title: `the list can be filtered by ${filter}`,
      run: async (visit) => {
        const answer = await list(visit, `?status=${filter}`);
        status(answer, 200);
        const items = listOf(record({ status: oneOf(filter) }));
        shaped(answer, body(answer), record({ items }), 'the body');
      },
    }),
  ),
  {
    id: 'passports.list.total',
    cites: ['2.4', '`total` integer (count with filters applied)'],
    title: 'total counts what the filter lets through',
    run: async (visit) => {
      const id = await extracted(visit);
      const answer = await list(visit, '?status=SUCCESS&limit=200');
      const { total } = body(answer);
      holds(
        answer,
        itemsOf(answer).some((item) => item['id'] === id),
        'the document that is done to be in it',
      );
      const isWhole = itemsOf(answer).length < 200;
      holds(answer, !isWhole || total === itemsOf(answer).length, '`total` to be the number of items');
    },
  },
  {
    id: 'passports.list.cached',
    cites: ['2.4', '`cached` boolean (true when taken from cache, i.e. a repeated file)'],
    title: 'a document that is new is not from the cache',
    run: async (visit) => {
      const id = await document(visit);
      const answer = await listed(visit);
      const item = itemsOf(answer).find((one) => one['id'] === id);
      shaped(answer, isRecord(item) ? item['cached'] : undefined, oneOf(false), 'its `cached`');
    },
  },
];
