import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { Fault } from '../../../base/faults.ts';
import { wantsJson } from '../../../http/accept.ts';
import { CSRF_FIELD } from '../../../http/csrf.ts';
import { InvalidInput, missing } from '../../../http/details.ts';
import { reply as answer, refusal } from '../../../http/envelope.ts';
import { acceptForms, type Form } from '../../../http/forms.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { matchedVersion } from '../../../http/version-tag.ts';
import { callerOf, type Door } from '../auth/door.ts';
import { type Caller, type Documents, isOpened, type Opened } from '../documents.ts';
import { checkKeys, placed, readTyped, type Typed } from '../edits.ts';
import { givenName } from '../names.ts';
import {
  changeForbidden,
  csrfFailed,
  documentNotFound,
  invalidName,
  notEditable,
  notRetryable,
  versionConflict,
} from '../refusals.ts';
import type { Schema } from '../schema/schema.ts';
import { TaskParams, TaskStatus, Updated } from '../schema-http.ts';
import { taskStatus } from '../wire.ts';
import { idOf } from './task-routes.ts';

const FORM = { 'application/x-www-form-urlencoded': { schema: { type: 'object' } } };
const TAKES = 'application/x-www-form-urlencoded';
type PathParams = Static<typeof TaskParams>;

export async function editRoutes(
  app: Gateway,
  { authGuard, documents, schema }: { authGuard: Door; documents: Documents; schema: Schema },
): Promise<void> {
  const config = { access: 'bearer', page: true, takes: TAKES } as const;
  const described = { tags: ['documents'], params: TaskParams };

  await app.register(async (scope) => {
    await acceptForms(scope);

    scope.post<{ Params: PathParams; Body: Form | undefined }>(
      '/task/:task_id/update',
      {
        config,
        bodyLimit: FORM_BYTES,
        schema: {
          ...described,
          summary: 'Edit extracted fields',
          description:
            'Each key is `section:field`, or `section:row.column` in a table; an empty value sets null. Saves all values or none. With `Accept: application/json` the response is JSON, otherwise a redirect to the page of the task.',
          operationId: 'updateTask',
          shown: { body: { content: FORM }, headers: { 'If-Match': 'The version that the edits apply to.' } },
          response: {
            200: answer('Edited.', Updated),
            303: { description: 'To the page of the task, for forms.', type: 'null' },
            403: refusal(csrfFailed(), changeForbidden()),
            404: refusal(documentNotFound()),
            409: refusal(notEditable()),
            412: refusal(versionConflict()),
          },
        },
      },
      async (request, reply) => {
        const form = new Map(request.body);
        authGuard.checkForm(request, form);
        form.delete(CSRF_FIELD);
        const id = idOf(request);
        const expectedVersion = matchedVersion(request.headers['if-match']);
        checkKeys(form, schema);
        const edited = await edit(callerOf(request), id, form, expectedVersion);
        if (edited === undefined) throw await accessError(request);
        if (!wantsJson(request.headers.accept)) return reply.redirect(`/task/${id}`, 303);
        return reply.send({ status: 'ok', id, version: edited.version });
      },
    );

    scope.post<{ Params: PathParams; Body: Form | undefined }>(
      '/task/:task_id/rename',
      {
        config,
        bodyLimit: FORM_BYTES,
        schema: {
          ...described,
          summary: 'Rename a task',
          description: 'The field `name` has 1 to 255 characters. The response is always a redirect.',
          operationId: 'renameTask',
          shown: { body: { content: FORM } },
          response: {
            303: { description: 'To `/`.', type: 'null' },
            400: refusal(invalidName('A name needs at least one character.')),
            403: refusal(csrfFailed(), changeForbidden()),
            404: refusal(documentNotFound()),
          },
        },
      },
      async (request, reply) => {
        const form: Form = request.body ?? new Map();
        authGuard.checkForm(request, form);
        const sent = form.get('name');
        if (sent === undefined) throw new InvalidInput([missing(['body', 'name'])]);
        const renamed = await documents.rename(callerOf(request), idOf(request), givenName(sent));
        if (renamed === undefined) throw await accessError(request);
        return reply.redirect('/', 303);
      },
    );
  });

  app.delete<{ Params: PathParams }>(
    '/task/:task_id',
    {
      config: { access: 'bearer' },
      schema: {
        ...described,
        summary: 'Delete a task and its file',
        operationId: 'deleteTask',
        response: {
          200: { description: 'Deleted; no body.', type: 'null' },
          403: refusal(csrfFailed(), changeForbidden()),
          404: refusal(documentNotFound()),
        },
      },
    },
    async (request, reply) => {
      if (!(await documents.remove(callerOf(request), idOf(request)))) throw await accessError(request);
      return reply.code(200).send();
    },
  );

  app.post<{ Params: PathParams }>(
    '/api/task/:task_id/retry',
    {
      config: { access: 'bearer' },
      schema: {
        ...described,
        summary: 'Retry a failed task',
        operationId: 'retryTask',
        response: {
          200: answer('Queued again.', TaskStatus),
          403: refusal(csrfFailed(), changeForbidden()),
          404: refusal(documentNotFound()),
          409: refusal(notRetryable()),
        },
      },
    },
    async (request) => {
      const retried = await documents.retry(callerOf(request), idOf(request));
      if (retried === undefined) throw await accessError(request);
      if (retried === 'not-retryable') throw notRetryable();
      return taskStatus(retried);
    },
  );

  /** The document is not visible, or visible but read-only. */
  async function accessError(request: FastifyRequest<{ Params: PathParams }>): Promise<Fault> {
    const document = await documents.find(callerOf(request), idOf(request));
    return document === undefined ? documentNotFound() : changeForbidden();
  }

  /** Row numbers depend on the version, so a concurrent edit repeats the mapping. */
  async function edit(caller: Caller, id: string, form: Form, expectedVersion?: number): Promise<Opened | undefined> {
    let parsedEdits: readonly Typed[] | undefined;
    for (let attempts = 0; ; attempts++) {
      const document = await documents.open(caller, id);
      if (document === undefined) return undefined;
      if (!isOpened(document)) throw notEditable();
      if (expectedVersion !== undefined && expectedVersion !== document.version) throw versionConflict();
      // After the access check: parsing 500 values takes processor time.
      parsedEdits ??= readTyped(form, schema);
      const hasCells = parsedEdits.some(({ target }) => target.kind === 'cell');
      const ifVersion = expectedVersion ?? (hasCells ? document.version : undefined);
      const edits = placed(parsedEdits, document, schema);
      const edited = await documents.update(caller, id, edits, ifVersion === undefined ? {} : { ifVersion });
      if (edited === undefined) return undefined;
      if (edited === 'not-editable') throw notEditable();
      if (edited !== 'conflict') return edited;
      if (expectedVersion !== undefined || attempts === MAX_ATTEMPTS) throw versionConflict();
    }
  }
}

/** 500 values of 10 000 characters, percent-encoded. */
const FORM_BYTES = 16 * 1024 * 1024;
const MAX_ATTEMPTS = 10;
