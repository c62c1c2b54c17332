import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { ApiError } from '../../../base/api-error.ts';
import { wantsJson } from '../../../http/accept-header.ts';
import { CSRF_FIELD } from '../../../http/csrf.ts';
import { describeResponse, errorResponses } from '../../../http/envelope.ts';
import { acceptForms, type Form } from '../../../http/forms.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { parseIfMatch } from '../../../http/if-match.ts';
import { InvalidInput, missingField } from '../../../http/validation-details.ts';
import { csrfFailed } from '../../shared/same-site.ts';
import {
  changeForbidden,
  documentNotFound,
  invalidName,
  notEditable,
  notRetryable,
  versionConflict,
} from '../api-errors.ts';
import { Confirmed, TaskParams, TaskStatus, Updated } from '../api-schema.ts';
import { type AuthGuard, callerOf } from '../auth/auth-guard.ts';
import { parseDisplayName } from '../display-name.ts';
import { type Caller, isCompleted } from '../documents.ts';
import { CONFIRM_FIELD, checkFieldKeys, type ParsedEdit, parseEdits, toStoredEdits, VERSION_FIELD } from '../edits.ts';
import { toTaskStatus } from '../responses.ts';
import type { Schema } from '../schema/schema.ts';
import type { DocumentStore } from '../store/postgres.ts';
import { taskIdOf } from './task-routes.ts';

const TAKES = 'application/x-www-form-urlencoded';
const FORM = { content: { [TAKES]: { schema: { type: 'object' } } } };
type PathParams = Static<typeof TaskParams>;

export async function editRoutes(
  app: Gateway,
  { authGuard, documents, schema }: { authGuard: AuthGuard; documents: DocumentStore; schema: Schema },
): Promise<void> {
  const config = { access: 'bearer', page: true, takes: TAKES } as const;
  const described = { tags: ['documents'], params: TaskParams };
  const changeErrors = [csrfFailed(), changeForbidden(), documentNotFound()];

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
            'Each key is `section:field`, or `section:row.column` in a table (row `2.5` is inserted between rows 2 and 3; no zero at the end); an empty value sets null. Saves all values or none. With `confirm=true` the saved version is also confirmed. With `Accept: application/json` the response is JSON, otherwise a redirect to the page of the task.',
          operationId: 'updateTask',
          shown: {
            body: FORM,
            headers: { 'If-Match': 'The version that the edits apply to; also accepted as the form field `version`.' },
          },
          response: {
            200: describeResponse('Edited.', Updated),
            303: { description: 'To the page of the task, for forms.', type: 'null' },
            ...errorResponses(...changeErrors, notEditable(), versionConflict()),
          },
        },
      },
      async (request, reply) => {
        const form = new Map(request.body);
        authGuard.checkForm(request, form);
        form.delete(CSRF_FIELD);
        const id = taskIdOf(request);
        const expectedVersion = parseIfMatch(request.headers['if-match'] ?? form.get(VERSION_FIELD));
        form.delete(VERSION_FIELD);
        const confirms = form.get(CONFIRM_FIELD) === 'true';
        if (confirms) form.delete(CONFIRM_FIELD);
        checkFieldKeys(form, schema);
        const edited = await edit(callerOf(request), id, form, expectedVersion);
        if (edited === undefined) throw await accessError(request);
        // Not a version that another user has saved since.
        if (confirms) await confirm(request, { ifVersion: edited.version });
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
          shown: { body: FORM },
          response: {
            303: { description: 'To `/`.', type: 'null' },
            ...errorResponses(invalidName('A name needs at least one character.'), ...changeErrors),
          },
        },
      },
      async (request, reply) => {
        const form: Form = request.body ?? new Map();
        authGuard.checkForm(request, form);
        const sent = form.get('name');
        if (sent === undefined) throw new InvalidInput([missingField(['body', 'name'])]);
        const renamed = await documents.rename(callerOf(request), taskIdOf(request), parseDisplayName(sent));
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
          ...errorResponses(...changeErrors),
        },
      },
    },
    async (request, reply) => {
      if (!(await documents.remove(callerOf(request), taskIdOf(request)))) throw await accessError(request);
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
          200: describeResponse('Queued again.', TaskStatus),
          ...errorResponses(...changeErrors, notRetryable()),
        },
      },
    },
    async (request) => {
      const retried = await documents.retry(callerOf(request), taskIdOf(request));
      if (retried === undefined) throw await accessError(request);
      if (retried === 'not-retryable') throw notRetryable();
      return toTaskStatus(retried);
    },
  );

  app.post<{ Params: PathParams }>(
    '/api/task/:task_id/confirm',
    {
      config: { access: 'bearer' },
      schema: {
        ...described,
        summary: 'Confirm all values of a task',
        description:
          'Records that a person checked the current version; `review` of the result is then empty. An edit needs a new confirmation. A repetition changes nothing.',
        operationId: 'confirmTask',
        shown: { headers: { 'If-Match': 'The version to confirm.' } },
        response: {
          200: describeResponse('Confirmed.', Confirmed),
          ...errorResponses(...changeErrors, notEditable(), versionConflict()),
        },
      },
    },
    async (request) => {
      const id = taskIdOf(request);
      const ifVersion = parseIfMatch(request.headers['if-match']);
      const { version, confirmation } = await confirm(request, ifVersion === undefined ? {} : { ifVersion });
      const { at, actor } = confirmation!;
      return { status: 'ok', id, version, confirmed_at: at, confirmed_by: actor };
    },
  );

  /** The document is not visible, or visible but read-only. */
  async function accessError(request: FastifyRequest<{ Params: PathParams }>): Promise<ApiError> {
    const document = await documents.find(callerOf(request), taskIdOf(request));
    return document === undefined ? documentNotFound() : changeForbidden();
  }

  async function confirm(request: Parameters<typeof accessError>[0], options: { ifVersion?: number }) {
    const confirmed = await documents.confirm(callerOf(request), taskIdOf(request), options);
    if (confirmed === undefined) throw await accessError(request);
    if (confirmed === 'not-editable') throw notEditable();
    if (confirmed === 'conflict') throw versionConflict();
    return confirmed;
  }

  /** Undefined if the caller may not edit. Row numbers depend on the version, so a concurrent edit repeats the mapping. */
  async function edit(caller: Caller, id: string, form: Form, expectedVersion?: number) {
    let parsedEdits: readonly ParsedEdit[] | undefined;
    for (let attempts = 0; ; attempts++) {
      const document = await documents.findWithResult(caller, id);
      if (document === undefined) return undefined;
      if (!isCompleted(document)) throw notEditable();
      if (expectedVersion !== undefined && expectedVersion !== document.version) throw versionConflict();
      // After the access check: parsing 500 values takes processor time.
      parsedEdits ??= parseEdits(form, schema);
      const hasCells = parsedEdits.some(({ target }) => target.kind === 'cell');
      const ifVersion = expectedVersion ?? (hasCells ? document.version : undefined);
      const edits = toStoredEdits(parsedEdits, document, schema);
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
