import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { omitUndefined } from '../../../base/omit-undefined.ts';
import { wantsJson } from '../../../http/accept-header.ts';
import { acceptForms } from '../../../http/forms.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { reportNotFound, viewNotFound } from '../api-errors.ts';
import { type AuthGuard, requireVisitor } from '../auth/auth-guard.ts';
import { reportBody } from '../reports/responses.ts';
import { readForm } from '../routes/form-body.ts';
import { unwrapChange } from '../routes/report-routes.ts';
import { DecisionForm, ReportParams } from '../routes/report-schema.ts';
import { NewView, ViewParams } from '../routes/view-routes.ts';
import { type AlertDeps, AlertRequest, alertOfView } from '../views/alert-request.ts';
import { readViewQuery } from '../views/view-query.ts';
import type { ViewOwners, Views } from '../views/views.ts';
import { type ReportPageDeps, sendReportPage } from './report-page.tsx';

const FORM_BYTES = 64 * 1024;

const ViewForm = Type.Object({ name: NewView.properties.name, query: Type.Optional(NewView.properties.query) });

export async function formRoutes(
  app: Gateway,
  deps: ReportPageDeps & { views: Views; owners: ViewOwners; alerts: AlertDeps; guard: Pick<AuthGuard, 'checkForm'> },
): Promise<void> {
  const { reports, views, owners, alerts, guard } = deps;

  /** `view=queue`: the report as the queue shows it, for the script of the queue. */
  app.get<{ Params: Static<typeof ReportParams>; Querystring: { view?: unknown } }>(
    '/admin/reports/:report_id',
    { config: { access: 'moderator', page: true }, schema: { hide: true, params: ReportParams } },
    async (request, reply) => {
      const report = await reports.find(request.params.report_id);
      if (report === undefined) throw reportNotFound();
      return sendReportPage(request, reply, deps, { report, isForQueue: request.query.view === 'queue' });
    },
  );

  await app.register(async (scope) => {
    await acceptForms(scope);
    const form = <Schema extends object>(access: 'moderator' | 'bearer', schema: Schema) => ({
      config: { access, page: true, takes: 'application/x-www-form-urlencoded' } as const,
      bodyLimit: FORM_BYTES,
      schema: { hide: true, ...schema },
    });
    scope.addHook('preValidation', async (request) => readForm(request, guard));

    /** JSON for scripts; otherwise redirects to the queue or shows the problem. */
    scope.post<{ Params: Static<typeof ReportParams>; Body: Static<typeof DecisionForm> }>(
      '/admin/reports/:report_id',
      form('moderator', { params: ReportParams, body: DecisionForm }),
      async (request, reply) => {
        const { status } = request.body;
        const note = request.body.note?.trim() || undefined;
        const change = omitUndefined({ status, note, actor: request.principal, requestId: request.id });
        const result = await reports.change(request.params.report_id, change);
        if (wantsJson(request.headers.accept)) return reply.send(reportBody(unwrapChange(result, status)));
        if (result === undefined) throw reportNotFound();
        const { outcome, report } = result;
        if (outcome === 'changed' || outcome === 'unchanged') return reply.redirect('/admin/reports', 303);
        const problem = outcome === 'needs-note' ? 'needs-note' : 'conflict';
        return sendReportPage(request, reply.code(problem === 'conflict' ? 409 : 422), deps, { report, problem, note });
      },
    );

    scope.post<{ Body: Static<typeof ViewForm> }>(
      '/views/new',
      form('bearer', { body: ViewForm }),
      async (request, reply) => {
        const { name, query = '' } = request.body;
        await readViewQuery(request, query);
        const of = owners.create(request, reply, requireVisitor(request));
        await views.create(of, { name: name.trim(), query });
        return reply.redirect(`/${query === '' ? '' : `?${query}`}`, 303);
      },
    );

    const changeAlert = async (
      request: FastifyRequest<{ Params: Static<typeof ViewParams> }>,
      requested: Static<typeof AlertRequest> | null,
    ) => {
      const owner = owners.find(request, requireVisitor(request));
      const view = owner === undefined ? undefined : await views.find(owner, request.params.id);
      if (owner === undefined || view === undefined) throw viewNotFound();
      const wanted = requested && (await alertOfView(request, view, requested, alerts));
      await views.changeAlert(owner, view, wanted);
      return `/${view.query === '' ? '' : `?${view.query}`}`;
    };

    scope.post<{ Params: Static<typeof ViewParams>; Body: Static<typeof AlertRequest> }>(
      '/views/:id/alert',
      form('bearer', { params: ViewParams, body: AlertRequest }),
      async (request, reply) => reply.redirect(await changeAlert(request, request.body), 303),
    );

    scope.post<{ Params: Static<typeof ViewParams> }>(
      '/views/:id/alert/delete',
      form('bearer', { params: ViewParams }),
      async (request, reply) => reply.redirect(await changeAlert(request, null), 303),
    );

    scope.post<{ Params: Static<typeof ViewParams> }>(
      '/views/:id/delete',
      form('bearer', { params: ViewParams }),
      async (request, reply) => {
        const owner = owners.find(request, requireVisitor(request));
        if (owner === undefined || !(await views.remove(owner, request.params.id))) throw viewNotFound();
        return reply.redirect('/', 303);
      },
    );
  });
}
