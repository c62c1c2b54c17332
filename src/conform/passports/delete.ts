import { type Check, oncePerRun, type RunContext } from '../check.ts';
import {
  assertErrorStatus,
  assertLooseErrorEnvelope,
  assertShape,
  assertStatus,
  assertThat,
  assertValidationBody,
} from '../expect.ts';
import { oneOf } from '../shape.ts';
import { uniquePdf } from './pdf-fixtures.ts';
import { document, extracted, itemsOf, list, readStatus, statusOf, UNKNOWN_ID, withSession } from './steps.ts';

const remove = async (context: RunContext, id: string) =>
  context.probe.delete(`/task/${id}`, await withSession(context));

const removed = oncePerRun(async (context) => {
  const id = await document(context);
  return { id, response: await remove(context, id) };
});

const repeated = oncePerRun(async (context) => {
  await extracted(context);
  const known = new Set(itemsOf(await list(context)).map(({ id }) => id));
  const bytes = uniquePdf(await context.specimens.document(), context.nonce);
  const files = [{ field: 'files', name: `conform-again-${context.nonce}.pdf`, type: 'application/pdf', bytes }];
  await context.probe.post('/upload', { files, ...(await withSession(context)) });
  const response = await list(context);
  return { response, item: itemsOf(response).find(({ id }) => !known.has(id)) };
});

export async function deleteDocuments(context: RunContext): Promise<void> {
  for (const { id, filename } of itemsOf(await list(context, '?limit=200'))) {
    if (typeof id === 'string' && String(filename).includes(context.nonce)) await remove(context, id);
  }
}

const NOT_UUID: readonly (readonly ['get' | 'post' | 'delete', string])[] = [
  ['delete', '/task/seven'],
  ['post', '/api/task/seven/retry'],
  ['get', '/export/seven/excel'],
  ['get', '/export/seven/pdf'],
];

export const deleteChecks: readonly Check[] = [
  {
    id: 'passports.repeated.cached',
    cites: ['2.4', '`cached` boolean (true when taken from cache, i.e. a repeated file)'],
    title: 'a repeated upload creates another task from the cache',
    run: async (context) => {
      const { response, item } = await repeated(context);
      assertThat(response, item !== undefined, 'another task for the repeated file');
      assertShape(response, item?.['cached'], oneOf(true), 'its `cached`');
    },
  },
  ...NOT_UUID.map(
    ([method, path]): Check => ({
      id: `passports.path.${method}-${path.split('/').at(-1) === 'seven' ? 'task' : path.split('/').at(-1)}`,
      cites: ['4.3', '`path parameter task_id` is a task UUID; `image_id` is an image UUID.'],
      title: `${method.toUpperCase()} ${path} returns the validation error body: seven is not a UUID`,
      run: async (context) => assertValidationBody(await context.probe[method](path, await withSession(context))),
    }),
  ),
  {
    id: 'passports.delete.unknown',
    cites: ['4.3', 'Errors: unauthorized or token expired; task not found; validation error.'],
    title: 'an unknown task cannot be deleted',
    run: async (context) => {
      const response = await remove(context, UNKNOWN_ID);
      assertErrorStatus(response);
      assertLooseErrorEnvelope(response);
    },
  },
  {
    id: 'passports.delete.status',
    cites: ['4.3', 'Success is 200 with an empty body.'],
    title: 'a document is deleted with 200 and an empty body',
    run: async (context) => {
      const { response } = await removed(context);
      assertStatus(response, 200);
      assertThat(response, response.bytes.length === 0, 'an empty body');
    },
  },
  {
    id: 'passports.delete.gone',
    cites: ['4.3', 'deletes the database record and the stored file'],
    title: 'a deleted document is not listed and has no state',
    run: async (context) => {
      const { id } = await removed(context);
      const response = await list(context);
      assertThat(response, !itemsOf(response).some((item) => item['id'] === id), 'a list without the document');
      const state = await readStatus(context, id);
      assertThat(state, statusOf(state) === 'NOT_FOUND' || state.status >= 400, 'the state NOT_FOUND or an error');
    },
  },
  {
    id: 'passports.delete.again',
    cites: ['4.3', 'Errors: unauthorized or token expired; task not found; validation error.'],
    title: 'a deleted document cannot be deleted again',
    run: async (context) => {
      const { id } = await removed(context);
      const response = await remove(context, id);
      assertErrorStatus(response);
      assertLooseErrorEnvelope(response);
    },
  },
];
