import type { Static } from 'typebox';
import { omitUndefined } from '../../../base/omit-undefined.ts';
import { describeResponse, errorResponses } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { csrfFailed } from '../../shared/same-site.ts';
import { correctionNotFound, invalidName, templateNotFound } from '../api-errors.ts';
import {
  CorrectionParams,
  CorrectionRemoved,
  Template,
  TemplateChange,
  TemplateList,
  TemplateParams,
} from '../api-schema.ts';
import { callerOf } from '../auth/auth-guard.ts';
import { parseDisplayName } from '../display-name.ts';
import { toTemplate } from '../responses.ts';
import type { TemplateStore } from '../store/templates.ts';

/** Templates of forms, which corrections create. */
export function templateRoutes(app: Gateway, { templates }: { templates: TemplateStore }): void {
  const config = { access: 'bearer' } as const;
  const described = { tags: ['templates'], params: TemplateParams };
  const changeErrors = [csrfFailed(), templateNotFound()];

  app.get(
    '/api/templates',
    {
      config,
      schema: {
        summary: 'List the templates of the API key',
        description:
          'A template keeps where the values of a form stand. Corrections of documents create it, and it stores no values. Newest first.',
        operationId: 'listTemplates',
        tags: ['templates'],
        response: { 200: describeResponse('All of them, at most 200.', TemplateList) },
      },
    },
    async (request) => {
      const rows = await templates.list(callerOf(request));
      return { items: rows.map(toTemplate), total: rows.length };
    },
  );

  app.get<{ Params: Static<typeof TemplateParams> }>(
    '/api/templates/:template_id',
    {
      config,
      schema: {
        ...described,
        summary: 'Read a template',
        operationId: 'readTemplate',
        response: {
          200: describeResponse('The template.', Template),
          ...errorResponses(templateNotFound()),
        },
      },
    },
    async (request) => {
      const row = await templates.find(callerOf(request), idOf(request.params));
      if (row === undefined) throw templateNotFound();
      return toTemplate(row);
    },
  );

  app.patch<{ Params: Static<typeof TemplateParams>; Body: Static<typeof TemplateChange> }>(
    '/api/templates/:template_id',
    {
      config,
      schema: {
        ...described,
        summary: 'Rename, enable or disable a template',
        operationId: 'changeTemplate',
        body: TemplateChange,
        response: {
          200: describeResponse('The changed template.', Template),
          ...errorResponses(invalidName('A name needs at least one character.'), ...changeErrors),
        },
      },
    },
    async (request) => {
      const { name, enabled } = request.body;
      const change = omitUndefined({ name: name === undefined ? undefined : parseDisplayName(name), enabled });
      const row = await templates.update(callerOf(request), idOf(request.params), change);
      if (row === undefined) throw templateNotFound();
      return toTemplate(row);
    },
  );

  app.delete<{ Params: Static<typeof TemplateParams> }>(
    '/api/templates/:template_id',
    {
      config,
      schema: {
        ...described,
        summary: 'Delete a template',
        description: 'A later correction of a document of the form creates a new one.',
        operationId: 'deleteTemplate',
        response: { 200: { description: 'Deleted; no body.', type: 'null' }, ...errorResponses(...changeErrors) },
      },
    },
    async (request, reply) => {
      if (!(await templates.remove(callerOf(request), idOf(request.params)))) throw templateNotFound();
      return reply.code(200).send();
    },
  );

  app.delete<{ Params: Static<typeof CorrectionParams> }>(
    '/api/templates/:template_id/corrections/:task_id',
    {
      config,
      schema: {
        ...described,
        params: CorrectionParams,
        summary: 'Undo what a document taught a template',
        description: 'The edits of the document stay. A template without corrections is deleted.',
        operationId: 'deleteTemplateCorrection',
        response: {
          200: describeResponse('The template; null if it was the last correction.', CorrectionRemoved),
          ...errorResponses(csrfFailed(), correctionNotFound()),
        },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const id = idOf(request.params);
      const removed = await templates.removeCorrection(caller, id, request.params.task_id.toLowerCase());
      if (removed === undefined) throw correctionNotFound();
      const row = await templates.find(caller, id);
      return { status: 'ok' as const, template: row === undefined ? null : toTemplate(row) };
    },
  );
}

const idOf = ({ template_id }: Static<typeof TemplateParams>): string => template_id.toLowerCase();
