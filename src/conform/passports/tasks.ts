import { skip } from '../assertion-failure.ts';
import type { Check } from '../check.ts';
import { assertShape, assertStatus, assertThat, assertValidationBody, bodyOf, isSuccess } from '../expect.ts';
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

export const taskChecks: readonly Check[] = [
  {
    id: 'passports.session.cookie',
    cites: ['1', 'Tasks are bound to a browser-style session identified by the cookie `bti_session_id`.'],
    title: `an upload without a session sets the cookie ${COOKIE}`,
    run: async (context) => {
      const { response, cookie } = await uploaded(context);
      if (response.status >= 400) skip(`no document was uploaded: POST /upload returned ${response.status}`);
      if (response.request.as === 'with the token') skip('uploads require a token');
      assertThat(response, cookie !== undefined, `the cookie ${COOKIE} to be set`);
    },
  },
  {
    id: 'passports.upload.json',
    cites: ['4.3', 'there is no JSON mode (unlike `/upload` and `/task/{id}/update`, which have one)'],
    title: 'an upload with Accept: application/json returns JSON',
    run: async (context) => {
      const { response } = await uploaded(context);
      if (response.status >= 400) skip(`no document was uploaded: POST /upload returned ${response.status}`);
      assertThat(response, isSuccess(response), 'a success');
      bodyOf(response);
    },
  },
  {
    id: 'passports.session.others',
    cites: ['5.3', 'Tasks and uploaded images are bound to the session cookie `bti_session_id`'],
    title: 'another session does not list the document',
    run: async (context) => {
      const id = await document(context);
      const response = await context.probe.get('/api/tasks', { as: 'without a session' });
      assertThat(
        response,
        !itemsOf(response).some((item) => item['id'] === id),
        'a list without the documents of others',
      );
    },
  },
  {
    id: 'passports.list.body',
    cites: [
      '2.4',
      '`items` array of task list items, `total` integer (count with filters applied), `page` integer, `limit` integer; all required',
    ],
    title: 'the list has items, total, page and limit with the right types',
    run: async (context) => {
      const response = await listed(context);
      assertStatus(response, 200);
      assertShape(response, bodyOf(response), LIST, 'the body');
    },
  },
  {
    id: 'passports.list.defaults',
    cites: PAGE_RULE,
    title: 'the list defaults to page 1 with a limit of 50',
    run: async (context) => {
      const response = await listed(context);
      assertShape(response, bodyOf(response), record({ page: oneOf(1), limit: oneOf(50) }), 'the body');
    },
  },
  {
    id: 'passports.list.item',
    cites: ['2.4', '`filename` string (display name)'],
    title: 'an uploaded document is listed in its session',
    run: async (context) => {
      const id = await document(context);
      const response = await listed(context);
      const item = itemsOf(response).find((one) => one['id'] === id);
      assertShape(response, item?.['filename'], filledText, 'its filename');
      assertThat(response, Number(bodyOf(response)['total']) >= 1, '`total` to count it');
    },
  },
  {
    id: 'passports.list.sorted',
    cites: ['4.3', 'Sorted always by creation date, descending.'],
    title: 'the list starts with the newest document',
    run: async (context) => {
      const [older, newer] = [await document(context), await empty(context)];
      const response = await list(context);
      const ids = itemsOf(response).map(({ id }) => id);
      assertThat(
        response,
        ids.indexOf(newer) >= 0 && ids.indexOf(newer) < ids.indexOf(older),
        `${newer} before ${older}`,
      );
      const times = itemsOf(response).flatMap(({ created_at }) =>
        typeof created_at === 'string' ? [Date.parse(created_at)] : [],
      );
      assertThat(
        response,
        times.every((time, index) => index === 0 || time <= times[index - 1]!),
        'created_at to descend',
      );
    },
  },
  {
    id: 'passports.list.pages',
    cites: ['4.3', '>= 1, default 1'],
    title: 'pages do not overlap and total counts all of them',
    run: async (context) => {
      await empty(context);
      const [first, second] = [await list(context, '?page=1&limit=1'), await list(context, '?page=2&limit=1')];
      for (const [index, response] of [first, second].entries()) {
        assertStatus(response, 200);
        assertShape(response, bodyOf(response), record({ page: oneOf(index + 1), limit: oneOf(1) }), 'the body');
        assertThat(response, itemsOf(response).length === 1, 'one item on a page of one');
        assertThat(response, Number(bodyOf(response)['total']) >= 2, '`total` to count all pages');
      }
      assertThat(second, itemsOf(first)[0]?.['id'] !== itemsOf(second)[0]?.['id'], 'another item on the next page');
    },
  },
  ...['?limit=1', '?limit=200', '?page=1'].map(
    (query): Check => ({
      id: `passports.list.takes.${query.slice(1).replace('=', '-')}`,
      cites: PAGE_RULE,
      title: `the list accepts ${query}`,
      run: async (context) => assertStatus(await list(context, query), 200),
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
      title: `the list rejects ${query} with the validation error body`,
      run: async (context) => assertValidationBody(await list(context, query)),
    }),
  ),
  ...FILTERS.map(
    (filter): Check => ({
      id: `passports.list.filter.${filter.toLowerCase()}`,
      cites: ['4.3', 'optional filter: `PENDING`, `PROCESSING`, `SUCCESS`, `FAILED`, `ERROR`'],
      title: `the list can be filtered by ${filter}`,
      run: async (context) => {
        const response = await list(context, `?status=${filter}`);
        assertStatus(response, 200);
        const items = listOf(record({ status: oneOf(filter) }));
        assertShape(response, bodyOf(response), record({ items }), 'the body');
      },
    }),
  ),
  {
    id: 'passports.list.total',
    cites: ['2.4', '`total` integer (count with filters applied)'],
    title: 'total counts the filtered documents',
    run: async (context) => {
      const id = await extracted(context);
      const response = await list(context, '?status=SUCCESS&limit=200');
      const { total } = bodyOf(response);
      assertThat(
        response,
        itemsOf(response).some((item) => item['id'] === id),
        'the processed document in the list',
      );
      const isWhole = itemsOf(response).length < 200;
      assertThat(response, !isWhole || total === itemsOf(response).length, '`total` to be the number of items');
    },
  },
  {
    id: 'passports.list.cached',
    cites: ['2.4', '`cached` boolean (true when taken from cache, i.e. a repeated file)'],
    title: 'a new document is not from the cache',
    run: async (context) => {
      const id = await document(context);
      const response = await listed(context);
      const item = itemsOf(response).find((one) => one['id'] === id);
      assertShape(response, isRecord(item) ? item['cached'] : undefined, oneOf(false), 'its `cached`');
    },
  },
];
