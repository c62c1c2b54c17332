import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { wantsJson } from '../../../http/accept-header.ts';
import { acceptForms, type Form } from '../../../http/forms.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { VISIBLE_NAME } from '../../../http/text-patterns.ts';
import { InvalidInput, missingField } from '../../../http/validation-details.ts';
import { reportNotFound, viewNotFound } from '../api-errors.ts';
import { type AuthGuard, requireVisitor } from '../auth/auth-guard.ts';
import { STATUSES, type Status } from '../reports/report.ts';
import { reportBody } from '../reports/responses.ts';
import { unwrapChange } from '../routes/report-routes.ts';
import { ReportParams } from '../routes/report-schema.ts';
import { ViewParams } from '../routes/view-routes.ts';
import type { ViewOwners } from '../views/view-owners.ts';
import type { Views } from '../views/views.ts';
import { type ReportPageDeps, sendReportPage } from './report-page.tsx';

const FORM_BYTES = 64 * 1024;
const NAME_LENGTH = 100;
const NOTE_LENGTH = 4000;
const QUERY_LENGTH = 4000;

export async function formRoutes(
  app: Gateway,
  deps: ReportPageDeps & { views: Views; owners: ViewOwners; guard: Pick<AuthGuard, 'checkForm'> },
): Promise<void> {
  const { reports, views, owners, guard } = deps;

  app.get<{ Params: Static<typeof ReportParams> }>(
    '/admin/reports/:report_id',
    { config: { access: 'moderator', page: true }, schema: { hide: true, params: ReportParams } },
    async (request, reply) => {
      const report = await reports.find(request.params.report_id);
      if (report === undefined) throw reportNotFound();
      return sendReportPage(request, reply, deps, { report });
    },
  );

  await app.register(async (scope) => {
    await acceptForms(scope);
    const takes = 'application/x-www-form-urlencoded';

    scope.post<{ Params: Static<typeof ReportParams>; Body: Form | undefined }>(
      '/admin/reports/:report_id',
      {
        config: { access: 'moderator', page: true, takes },
        bodyLimit: FORM_BYTES,
        schema: { hide: true, params: ReportParams },
      },
      async (request, reply) => decide(request, reply),
    );

    scope.post<{ Body: Form | undefined }>(
      '/views/new',
      { config: { access: 'bearer', page: true, takes }, bodyLimit: FORM_BYTES, schema: { hide: true } },
      async (request, reply) => {
        const form = request.body ?? new Map<string, string>();
        guard.checkForm(request, form);
        const name = textOf(form, 'name', NAME_LENGTH);
        const query = form.get('query') ?? '';
        if (name === undefined) throw new InvalidInput([missingField(['body', 'name'])]);
        if (!VISIBLE.test(name)) throw malformed('name');
        if (!/^[!-~]*$/.test(query) || query.length > QUERY_LENGTH) throw malformed('query');
        await views.create(owners.create(request, reply, requireVisitor(request)), { name, query });
        return reply.redirect(`/${query === '' ? '' : `?${query}`}`, 303);
      },
    );

    scope.post<{ Params: Static<typeof ViewParams>; Body: Form | undefined }>(
      '/views/:id/delete',
      {
        config: { access: 'bearer', page: true, takes },
        bodyLimit: FORM_BYTES,
        schema: { hide: true, params: ViewParams },
      },
      async (request, reply) => {
        guard.checkForm(request, request.body ?? new Map());
        const owner = owners.find(request, requireVisitor(request));
        if (owner === undefined || !(await views.remove(owner, request.params.id))) throw viewNotFound();
        return reply.redirect('/', 303);
      },
    );
  });

  /** JSON for scripts; otherwise redirects to the queue or shows the problem. */
  async function decide(
    request: FastifyRequest<{ Params: Static<typeof ReportParams>; Body: Form | undefined }>,
    reply: FastifyReply,
  ) {
    const form = request.body ?? new Map<string, string>();
    guard.checkForm(request, form);
    const status = statusOf(form);
    const note = textOf(form, 'note', NOTE_LENGTH);
    const result = await reports.change(request.params.report_id, {
      status,
      ...(note !== undefined && { note }),
      actor: requireVisitor(request).principal,
      requestId: request.id,
    });
    if (wantsJson(request.headers.accept)) return reply.send(reportBody(unwrapChange(result, status)));
    if (result === undefined) throw reportNotFound();
    const { outcome, report } = result;
    if (outcome === 'changed' || outcome === 'unchanged') return reply.redirect('/admin/reports', 303);
    const problem = outcome === 'needs-note' ? 'needs-note' : 'conflict';
    return sendReportPage(request, reply.code(problem === 'conflict' ? 409 : 422), deps, { report, problem });
  }
}

function statusOf(form: Form): Status {
  const value = form.get('status');
  const status = STATUSES.find((one) => one === value);
  if (status === undefined)
    throw value === undefined ? new InvalidInput([missingField(['body', 'status'])]) : malformed('status');
  return status;
}

function textOf(form: Form, field: string, most: number): string | undefined {
  const text = (form.get(field) ?? '').trim();
  if (text.length > most) {
    const [ctx, msg] = [{ max_length: most }, `String should have at most ${most} characters`];
    throw new InvalidInput([{ loc: ['body', field], msg, type: 'string_too_long', ctx }]);
  }
  if (text.includes('\0')) throw malformed(field);
  return text === '' ? undefined : text;
}

// eslint-disable-next-line no-restricted-syntax -- a pattern of the reference pages; a test checks that it is linear-time
const VISIBLE = new RegExp(VISIBLE_NAME, 'u');

const malformed = (field: string) =>
  new InvalidInput([{ loc: ['body', field], msg: 'Input has an invalid format', type: 'string_pattern_mismatch' }]);
