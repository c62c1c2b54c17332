import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { omitUndefined } from '../../../base/omit-undefined.ts';
import { wantsJson } from '../../../http/accept-header.ts';
import { describeErrors, describeResponse } from '../../../http/envelope.ts';
import { acceptForms } from '../../../http/forms.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { fingerprint, idempotencyKey } from '../../../http/idempotency.ts';
import type { Limiter } from '../../../http/rate-limit.ts';
import { type IdempotencyStore, idempotencyErrors, type SavedResponse } from '../../shared/idempotency-store.ts';
import { csrfFailed } from '../../shared/same-site.ts';
import { RecordParams } from '../api-schema.ts';
import type { AuthGuard } from '../auth/auth-guard.ts';
import type { Reports } from '../reports/postgres.ts';
import type { CreateResult as CreatedReport } from '../reports/report.ts';
import { briefReportBody, reportBody } from '../reports/responses.ts';
import { readForm } from './form-body.ts';
import { Created, NewReport, REPORT, Repeated, RepetitionQuery, ReportForm } from './report-schema.ts';

/** More than the longest fields of a report. */
export const REPORT_BYTES = 64 * 1024;

/** Shorter keys can be guessed by others at the same address. */
const MIN_KEY_LENGTH = 16;

export interface CreateDeps extends Pick<AuthGuard, 'checkForm'> {
  readonly reports: Reports;
  readonly replies: IdempotencyStore;
  readonly limited: boolean | Limiter;
}

export async function createRoutes(app: Gateway, deps: CreateDeps): Promise<void> {
  const { reports, replies, limited } = deps;

  app.post<{ Body: Static<typeof NewReport>; Querystring: Static<typeof RepetitionQuery> }>(
    '/reports',
    {
      config: { access: 'bearer', limited },
      bodyLimit: REPORT_BYTES,
      schema: {
        tags: ['reports'],
        summary: 'Report a record',
        description:
          'Does not check whether the record exists. If the same token or address has an open report with the same record ' +
          'and action that is less than 24 hours old, that report is kept unchanged, the new text is not saved, and the ' +
          'response is the id and status of that report, or the whole report if the request contains its `receipt`.',
        operationId: 'createReport',
        shown: {
          headers: {
            'Idempotency-Key': `1 to 255 characters; a repeated request gets the response of the first. Without a token, repetitions with keys shorter than ${MIN_KEY_LENGTH} characters get the id and status only.`,
          },
        },
        querystring: RepetitionQuery,
        body: NewReport,
        response: {
          200: describeResponse('An open report exists already and is kept unchanged.', Repeated, {
            repetition: { id: REPORT.id, status: REPORT.status },
            'repetition with the receipt': REPORT,
          }),
          201: describeResponse(
            'Created.',
            Created,
            { created: { ...REPORT, receipt: 'kq0mJt4Zb2o1c8nVfT3s5uYx7wAeRdGh' } },
            {
              Location: 'The report.',
              'Idempotency-Replayed': '`true` if this is the response to an earlier request.',
            },
          ),
          403: describeErrors(csrfFailed()),
          ...idempotencyErrors,
        },
      },
    },
    async (request, reply) => {
      const { receipt } = request.query;
      const print = fingerprint(receipt === undefined ? request.body : { ...request.body, receipt });
      const client = { principal: request.principal, fingerprint: print };
      const { status, body } = await replies.runOnce(request, reply, client, async (store) => {
        const report = { ...newReport(request, request.body), ...(receipt !== undefined && { receipt }) };
        const replayed = hasGuessableKey(request) ? briefAnswer : answerOf;
        return answerOf(await reports.create(report, (tx, created) => store(tx, replayed(created))));
      });
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
        preValidation: async (request) => readForm(request as FastifyRequest, deps),
      },
      async (request, reply) => {
        const { record_id: id } = request.params;
        const { status, body } = answerOf(await reports.create(newReport(request, { ...request.body, record_id: id })));
        if (wantsJson(request.headers.accept)) return reply.code(status).send(body);
        const { id: reported, receipt } = body;
        const query = new URLSearchParams({ reported: String(reported), ...(receipt && { receipt: String(receipt) }) });
        return reply.redirect(`/row/${encodeURIComponent(id)}?${query}`, 303);
      },
    );
  });
}

const newReport = ({ principal: reporter, id: requestId }: FastifyRequest, body: Static<typeof NewReport>) => {
  const { record_id: recordId, action_type: actionType, description, user_info: userInfo } = body;
  return omitUndefined({ recordId, actionType, description, userInfo, reporter, requestId });
};

function answerOf(created: CreatedReport): SavedResponse {
  const { report, receipt, receiptShown } = created;
  if (receipt !== undefined) return { status: 201, body: { ...reportBody(report), receipt } };
  return receiptShown ? { status: 200, body: reportBody(report) } : briefAnswer(created);
}

const briefAnswer = ({ report }: CreatedReport): SavedResponse => ({ status: 200, body: briefReportBody(report) });

/**
 * Clients without a token at one address are one principal: a full replay would reveal one client's receipt to another.
 */
function hasGuessableKey({ headers, reader }: FastifyRequest): boolean {
  return reader?.by === 'open' && (idempotencyKey(headers['idempotency-key']) ?? '').length < MIN_KEY_LENGTH;
}
