import { skip } from '../assertion-failure.ts';
import { type Check, oncePerRun, type RunContext } from '../check.ts';
import {
  assertShape,
  assertThat,
  body,
  checks,
  expect,
  expecting,
  isSuccess,
  rejection,
  rows,
  status,
  that,
  validationError,
} from '../expect.ts';
import { anything, listOf, oneOf } from '../shape.ts';
import { notFoundStatus } from './document.ts';
import { readResult } from './fields.ts';
import { document, extracted, itemsOf, list, readStatus, request, UNKNOWN_ID, uploadAnother } from './steps.ts';

const remove = request('delete', (id) => `/task/${id}`);

const removed = oncePerRun(async (context) => {
  const id = await document(context);
  return { id, response: await remove(context, id) };
});

async function removeAgain(context: RunContext) {
  const { id, response } = await removed(context);
  return isSuccess(response) ? remove(context, id) : skip('the document was not deleted');
}

export async function deleteDocuments(context: RunContext): Promise<void> {
  for (const { id, filename } of itemsOf(await list(context, '?limit=200'))) {
    if (typeof id === 'string' && String(filename).includes(context.nonce)) await remove(context, id);
  }
}

const NOT_UUID = [
  ['delete-task', 'delete', '/task/seven'],
  ['post-retry', 'post', '/api/task/seven/retry'],
  ['get-excel', 'get', '/export/seven/excel'],
  ['get-pdf', 'get', '/export/seven/pdf'],
] as const;
const ERRORS = ['4.3', 'Errors: unauthorized or token expired; task not found; validation error.'] as const;

export const deleteChecks: readonly Check[] = [
  ...checks('passports', [
    [
      'repeated.cached',
      ['2.4', '`cached` boolean (true when taken from cache, i.e. a repeated file)'],
      'a repeated upload creates another task from the cache',
      async (context) => {
        await extracted(context);
        const { listed, item } = await uploadAnother(context, 'again', await context.specimens.document());
        assertThat(listed, item !== undefined, 'another task for the repeated file');
        assertShape(listed, item?.['cached'], oneOf(true), 'its `cached`');
      },
    ],
    ...rows(NOT_UUID, ([name, method, path]) => [
      `path.${name}`,
      ['4.3', '`path parameter task_id` is a task UUID; `image_id` is an image UUID.'],
      `${method.toUpperCase()} ${path} returns the validation error body: seven is not a UUID`,
      expecting(
        request(method, () => path),
        validationError,
      ),
    ]),
  ]),
  ...checks('passports.delete', [
    [
      'unknown',
      ERRORS,
      'an unknown task cannot be deleted',
      expecting((context) => remove(context, UNKNOWN_ID), rejection),
    ],
    [
      'status',
      ['4.3', 'Success is 200 with an empty body.'],
      'a document is deleted with 200 and an empty body',
      expecting(
        async (context) => (await removed(context)).response,
        status(200),
        that(({ bytes }) => bytes.length === 0, 'an empty body'),
      ),
    ],
    [
      'gone',
      ['4.3', 'deletes the database record and the stored file'],
      'a deleted document is not listed and has no state and no result',
      async (context) => {
        const { id } = await removed(context);
        const response = await list(context);
        expect(response, status(200), body({ items: listOf(anything) }));
        assertThat(response, !itemsOf(response).some((item) => item['id'] === id), 'a list without the document');
        expect(await readStatus(context, id), notFoundStatus);
        // Its format is not specified.
        expect(await readResult(context, id), notFoundStatus);
      },
    ],
    ['again', ERRORS, 'a deleted document cannot be deleted again', expecting(removeAgain, rejection)],
  ]),
];
