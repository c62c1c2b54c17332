import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { wantsJson } from '../../../http/accept.ts';
import { CSRF_FIELD } from '../../../http/csrf.ts';
import { reply as answer, refusal } from '../../../http/envelope.ts';
import { acceptForms, type Form } from '../../../http/forms.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { fingerprint } from '../../../http/idempotency.ts';
import type { Limiter } from '../../../http/rate-limit.ts';
import { type Answer, type Replies, repetitionRefused } from '../../replies.ts';
import { csrfFailed } from '../refusals.ts';
import type { Reports } from '../reports/report.ts';
import { reportBody } from '../reports/wire.ts';
import { RecordParams } from '../schema-http.ts';
import { Created, NewReport, REPORT, ReportForm } from './report-schema.ts';

/** Reports are small: what is longer than their fields allow is not read. */
export const REPORT_BYTES = 64 * 1024;

interface Needs {
  readonly reports: Reports;
  readonly replies: Replies;
  readonly limited: boolean | Limiter;
  readonly checkForm: (request: FastifyRequest, form: Form) => void;
}

/** Reports come as JSON from programs, and as a form from the page of a record. */
export async function createRoutes(app: Gateway, needs: Needs): Promise<void> {
  const { reports, replies, limited, checkForm } = needs;

  app.post<{ Body: Static<typeof NewReport> }>(
    '/reports',
    {
      config: { access: 'bearer', limited },
      bodyLimit: REPORT_BYTES,
      schema: {
        tags: ['reports'],
        summary: 'Report a record',
        description:
          'Whether there is such a record is not asked. Who has an open report with the same record and action, less than ' +
          '24 hours old, is answered with that one.',
        operationId: 'createReport',
        shown: { headers: { 'Idempotency-Key': '1 to 255 characters; a repetition is answered as the first was.' } },
        body: NewReport,
        response: {
          200: answer('You have reported it already: your report, without a receipt.', Created, { known: REPORT }),
          201: answer(
            'Written down.',
            Created,
            { created: { ...REPORT, receipt: 'kq0mJt4Zb2o1c8nVfT3s5uYx7wAeRdGh' } },
            {
              Location: 'The report.',
              'Idempotency-Replayed': '`true` where this is the answer to an earlier request.',
            },
          ),
          403: refusal(csrfFailed()),
          ...repetitionRefused,
        },
      },
    },
    async (request, reply) => {
      const asked = { principal: request.principal, fingerprint: fingerprint(request.body) };
      const { status, body } = await replies.once(request, reply, asked, () => create(request, request.body));
      if (status === 201) void reply.header('location', `/reports/${String(body['id'])}`);
      return reply.code(status).send(body);
    },
  );

  await app.register(async (scope) => {
    await acceptForms(scope);

    scope.post<{ Params: Static<typeof RecordParams>; Body: Static<typeof ReportForm> }>(
      '/row/:record_id/report',
      {
        config: { access: 'bearer', limited, page: true, takes: 'application/x-www-form-urlencoded' },
        bodyLimit: REPORT_BYTES,
        schema: { hide: true, params: RecordParams, body: ReportForm },
        preValidation: async (request) => asBody(request as FastifyRequest),
      },
      async (request, reply) => {
        const { record_id: id } = request.params;
        const { status, body } = await create(request, { ...request.body, record_id: id });
        if (wantsJson(request.headers.accept)) return reply.code(status).send(body);
        const { id: reported, receipt } = body;
        const told = new URLSearchParams({ reported: String(reported), ...(receipt && { receipt: String(receipt) }) });
        return reply.redirect(`/row/${encodeURIComponent(id)}?${told}`, 303);
      },
    );
  });

  /** The fields of a form, as the members of a body: those that were left empty were not said. */
  function asBody(request: FastifyRequest): void {
    const form = (request.body as Form | undefined) ?? new Map<string, string>();
    checkForm(request, form);
    request.body = Object.fromEntries([...form].filter(([name, text]) => name !== CSRF_FIELD && text !== ''));
  }

  async function create(request: FastifyRequest, asked: Static<typeof NewReport>): Promise<Answer> {
    const { report, receipt } = await reports.create({
      recordId: asked.record_id,
      actionType: asked.action_type,
      ...(asked.description !== undefined && { description: asked.description }),
      ...(asked.user_info !== undefined && { userInfo: asked.user_info }),
      reporter: request.principal,
      requestId: request.id,
    });
    if (receipt === undefined) return { status: 200, body: reportBody(report) };
    return { status: 201, body: { ...reportBody(report), receipt } };
  }
}
