import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { wantsJson } from '../../../http/accept.ts';
import { CSRF_FIELD } from '../../../http/csrf.ts';
import { reply as answer, refusal } from '../../../http/envelope.ts';
import { acceptForms, type Form } from '../../../http/forms.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { fingerprint, idempotencyKey } from '../../../http/idempotency.ts';
import type { Limiter } from '../../../http/rate-limit.ts';
import { type Answer, type Replies, repetitionRefused } from '../../replies.ts';
import { csrfFailed } from '../refusals.ts';
import type { Created as CreatedReport, Reports } from '../reports/report.ts';
import { briefReportBody, reportBody } from '../reports/wire.ts';
import { RecordParams } from '../schema-http.ts';
import { Created, NewReport, REPORT, Repeated, RepetitionQuery, ReportForm } from './report-schema.ts';

/** Reports are small: what is longer than their fields allow is not read. */
export const REPORT_BYTES = 64 * 1024;

/** Of an `Idempotency-Key` that others at the same address do not guess: a UUID without its hyphens has twice as many. */
const MIN_KEY_LENGTH = 16;

interface Needs {
  readonly reports: Reports;
  readonly replies: Replies;
  readonly limited: boolean | Limiter;
  readonly checkForm: (request: FastifyRequest, form: Form) => void;
}

/** Reports come as JSON from programs, and as a form from the page of a record. */
export async function createRoutes(app: Gateway, needs: Needs): Promise<void> {
  const { reports, replies, limited, checkForm } = needs;

  app.post<{ Body: Static<typeof NewReport>; Querystring: Static<typeof RepetitionQuery> }>(
    '/reports',
    {
      config: { access: 'bearer', limited },
      bodyLimit: REPORT_BYTES,
      schema: {
        tags: ['reports'],
        summary: 'Report a record',
        description:
          'Whether there is such a record is not asked. Where the same token or address has an open report with the same ' +
          'record and action, less than 24 hours old, the answer is the id and the status of that report, or all of it ' +
          'where the request has its `receipt`.',
        operationId: 'createReport',
        shown: {
          headers: {
            'Idempotency-Key': `1 to 255 characters; a repetition is answered as the first was. Without a token, keys shorter than ${MIN_KEY_LENGTH} characters are answered with the id and the status alone.`,
          },
        },
        querystring: RepetitionQuery,
        body: NewReport,
        response: {
          200: answer('It is reported already.', Repeated, {
            repetition: { id: REPORT.id, status: REPORT.status },
            'repetition with the receipt': REPORT,
          }),
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
      const { receipt } = request.query;
      const print = fingerprint(receipt === undefined ? request.body : { ...request.body, receipt });
      const asked = { principal: request.principal, fingerprint: print };
      const { status, body } = await replies.once(request, reply, asked, async (keep) => {
        const given = { ...newReport(request, request.body), ...(receipt !== undefined && { receipt }) };
        const kept = hasSharedKey(request) ? briefAnswer : answerOf;
        return answerOf(await reports.create(given, (tx, created) => keep(tx, kept(created))));
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
        preValidation: async (request) => asBody(request as FastifyRequest),
      },
      async (request, reply) => {
        const { record_id: id } = request.params;
        const { status, body } = answerOf(await reports.create(newReport(request, { ...request.body, record_id: id })));
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
}

const newReport = (request: FastifyRequest, asked: Static<typeof NewReport>) => ({
  recordId: asked.record_id,
  actionType: asked.action_type,
  ...(asked.description !== undefined && { description: asked.description }),
  ...(asked.user_info !== undefined && { userInfo: asked.user_info }),
  reporter: request.principal,
  requestId: request.id,
});

function answerOf(created: CreatedReport): Answer {
  const { report, receipt, receiptShown } = created;
  if (receipt !== undefined) return { status: 201, body: { ...reportBody(report), receipt } };
  return receiptShown ? { status: 200, body: reportBody(report) } : briefAnswer(created);
}

const briefAnswer = ({ report }: CreatedReport): Answer => ({ status: 200, body: briefReportBody(report) });

/**
 * Whether others may send the same key by chance or by guessing. Those who report without a token from one address are one
 * principal, and a replay of the whole answer would give one of them the receipt of another.
 */
function hasSharedKey({ headers, reader }: FastifyRequest): boolean {
  return reader?.by === 'open' && (idempotencyKey(headers['idempotency-key']) ?? '').length < MIN_KEY_LENGTH;
}
