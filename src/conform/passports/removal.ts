import { type Check, step, type Visit } from '../check.ts';
import { detail, holds, looseEnvelope, refused, shaped, status } from '../expect.ts';
import { oneOf } from '../shape.ts';
import { numbered } from './documents.ts';
import { asOwner, document, extracted, itemsOf, list, NOBODYS, readStatus, statusOf } from './steps.ts';

const remove = async (visit: Visit, id: string) => visit.probe.delete(`/task/${id}`, await asOwner(visit));

/** The document is removed; whatever looks at it must have done so before. */
const removed = step(async (visit) => {
  const id = await document(visit);
  return { id, answer: await remove(visit, id) };
});

/** The file that was uploaded first, once more: the new item of the list. */
const repeated = step(async (visit) => {
  await extracted(visit);
  const known = new Set(itemsOf(await list(visit)).map(({ id }) => id));
  const bytes = numbered(await visit.specimens.document(), visit.nonce);
  const files = [{ field: 'files', name: `conform-again-${visit.nonce}.pdf`, type: 'application/pdf', bytes }];
  await visit.probe.post('/upload', { files, ...(await asOwner(visit)) });
  const answer = await list(visit);
  return { answer, item: itemsOf(answer).find(({ id }) => !known.has(id)) };
});

/** Deletes what the visit has made and not deleted: documents stay until somebody does. */
export async function leave(visit: Visit): Promise<void> {
  for (const { id, filename } of itemsOf(await list(visit, '?limit=200'))) {
    if (typeof id === 'string' && String(filename).includes(visit.nonce)) await remove(visit, id);
  }
}

const NOT_UUID: readonly (readonly ['get' | 'post' | 'delete', string])[] = [
  ['delete', '/task/seven'],
  ['post', '/api/task/seven/retry'],
  ['get', '/export/seven/excel'],
  ['get', '/export/seven/pdf'],
];

/** What comes last: the file once more, then its end. */
export const removalChecks: readonly Check[] = [
  {
    id: 'passports.repeated.cached',
    cites: ['2.4', '`cached` boolean (true when taken from cache, i.e. a repeated file)'],
    title: 'a file that is uploaded once more is another task, from the cache',
    run: async (visit) => {
      const { answer, item } = await repeated(visit);
      holds(answer, item !== undefined, 'another task for the repeated file');
      shaped(answer, item?.['cached'], oneOf(true), 'its `cached`');
    },
  },
  ...NOT_UUID.map(
    ([method, path]): Check => ({
      id: `passports.path.${method}-${path.split('/').at(-1) === 'seven' ? 'task' : path.split('/').at(-1)}`,
      cites: ['4.3', '`path parameter task_id` is a task UUID; `image_id` is an image UUID.'],
      title: `${method.toUpperCase()} ${path} is answered with the validation error body: seven is no UUID`,
      run: async (visit) => detail(await visit.probe[method](path, await asOwner(visit))),
    }),
  ),
  {
    id: 'passports.delete.unknown',
    cites: ['4.3', 'Errors: unauthorized or token expired; task not found; validation error.'],
    title: 'an unknown task cannot be deleted',
    run: async (visit) => {
      const answer = await remove(visit, NOBODYS);
      refused(answer);
      looseEnvelope(answer);
    },
  },
  {
    id: 'passports.delete.status',
    cites: ['4.3', 'Success is 200 with an empty body.'],
    title: 'a document is deleted with 200 and an empty body',
    run: async (visit) => {
      const { answer } = await removed(visit);
      status(answer, 200);
      holds(answer, answer.bytes.length === 0, 'an empty body');
    },
  },
  {
    id: 'passports.delete.gone',
    cites: ['4.3', 'deletes the database record and the stored file'],
    title: 'a document that was deleted is in the list no more, and has no state',
    run: async (visit) => {
      const { id } = await removed(visit);
      const answer = await list(visit);
      holds(answer, !itemsOf(answer).some((item) => item['id'] === id), 'a list without it');
      const state = await readStatus(visit, id);
      holds(state, statusOf(state) === 'NOT_FOUND' || state.status >= 400, 'the state NOT_FOUND, or an error');
    },
  },
  {
    id: 'passports.delete.again',
    cites: ['4.3', 'Errors: unauthorized or token expired; task not found; validation error.'],
    title: 'a document that was deleted cannot be deleted again',
    run: async (visit) => {
      const { id } = await removed(visit);
      const answer = await remove(visit, id);
      refused(answer);
      looseEnvelope(answer);
    },
  },
];
