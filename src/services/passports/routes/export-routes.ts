import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Files } from '../../../base/files.ts';
import { parseMoment } from '../../../base/moment.ts';
import { errorResponses } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { InvalidInput } from '../../../http/validation-details.ts';
import { groupingFilter } from '../../shared/grouping.ts';
import { preferredLanguage } from '../../shared/task-routes.ts';
import { documentNotFound, forbidden, notReady, tooManyReports } from '../api-errors.ts';
import { TaskParams } from '../api-schema.ts';
import { adminOf, callerOf } from '../auth/auth-guard.ts';
import { type CompletedDocument, isCompleted } from '../documents.ts';
import { allName, attachment, excelName, reportName, sessionName } from '../export/filenames.ts';
import { createPdfService } from '../export/pdf-service.ts';
import { findPageImage } from '../page-images.ts';
import type { Schema } from '../schema/schema.ts';
import type { DocumentStore } from '../store/postgres.ts';
import { taskIdOf } from './task-routes.ts';

type PathParams = Static<typeof TaskParams>;
const LayoutQuery = Type.Object({ layout: Type.Enum(['plain', 'wide'], { default: 'plain' }) });
const GroupQuery = Type.Object(groupingFilter);
const RangeQuery = Type.Object({
  from: Type.Optional(Type.String({ description: 'Date or date-time (ISO 8601): created then or later.' })),
  to: Type.Optional(Type.String({ description: 'Date (inclusive) or date-time (exclusive): created before it.' })),
  ...groupingFilter,
});

const EXCEL_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const BYTES = { schema: { type: 'string', format: 'binary' } };
const excel = { description: 'The workbook.', content: { [EXCEL_TYPE]: BYTES } };
const headers = { 'Accept-Language': 'The language of the labels: `en` or `ru`.' };

/** Loads the exporters on first use. */
export function exportRoutes(app: Gateway, deps: { documents: DocumentStore; files: Files; schema: Schema }): void {
  const { documents, files, schema } = deps;
  const described = { tags: ['exports'], shown: { headers } };
  const printer = createPdfService();
  app.addHook('onClose', () => printer.close());

  async function loadExportable(request: FastifyRequest<{ Params: PathParams }>): Promise<CompletedDocument> {
    const document = await documents.findWithResult(callerOf(request), taskIdOf(request));
    if (document === undefined) throw documentNotFound();
    if (!isCompleted(document)) throw notReady();
    return document;
  }

  app.get<{ Params: PathParams; Querystring: Static<typeof LayoutQuery> }>(
    '/export/:task_id/excel',
    {
      config: { access: 'bearer', page: true },
      schema: {
        summary: 'One task as Excel file',
        description:
          'The columns Field and Value, and a sheet for each table; `layout=wide` has one sheet with also Section, Confidence and Edited.',
        operationId: 'exportExcel',
        ...described,
        params: TaskParams,
        querystring: LayoutQuery,
        response: { 200: excel, ...errorResponses(documentNotFound(), notReady()) },
      },
    },
    async (request, reply) => {
      const opened = await loadExportable(request);
      const { excelOfOne } = await import('../export/excel.ts');
      const { layout } = request.query;
      const bytes = excelOfOne(opened, { schema, language: languageFor(request), layout });
      return send(reply, EXCEL_TYPE, attachment(excelName(opened.filename)), bytes);
    },
  );

  app.get<{ Params: PathParams }>(
    '/export/:task_id/pdf',
    {
      config: { access: 'bearer', page: true },
      schema: {
        summary: 'One task as printable PDF',
        description: 'Each value beside the part of the page where it was read.',
        operationId: 'exportPdf',
        ...described,
        params: TaskParams,
        response: {
          200: { description: 'The report.', content: { 'application/pdf': BYTES } },
          ...errorResponses(documentNotFound(), notReady(), tooManyReports()),
        },
      },
    },
    async (request, reply) => {
      const opened = await loadExportable(request);
      const source = { opened, schema, language: languageFor(request), now: new Date() };
      const disconnected = new AbortController();
      reply.raw.once('close', () => disconnected.abort());
      const bytes = await printer
        .createPdf(
          source,
          async (page) => findPageImage(opened, page, files)?.load(disconnected.signal),
          disconnected.signal,
        )
        .catch((error: unknown) => {
          if (!disconnected.signal.aborted) throw error;
        });
      if (bytes === undefined) return reply.hijack();
      return send(reply, 'application/pdf', attachment(reportName(opened.filename)), bytes);
    },
  );

  app.get<{ Querystring: Static<typeof RangeQuery> }>(
    '/export/all/excel',
    {
      config: { access: 'bearer', page: true },
      schema: {
        summary: 'All successful tasks as Excel file',
        description: 'One row per task of all owners; administrators only.',
        operationId: 'exportAll',
        ...described,
        querystring: RangeQuery,
        response: { 200: excel, ...errorResponses(forbidden()) },
      },
    },
    async (request, reply) => {
      adminOf(request);
      const { project, tag } = request.query;
      return sendMany(request, reply, allName(new Date()), { ...range(request.query), project, tag });
    },
  );

  app.get<{ Querystring: Static<typeof GroupQuery> }>(
    '/export/session/excel',
    {
      config: { access: 'session', page: true },
      schema: {
        summary: "The session's successful tasks as Excel file",
        operationId: 'exportSession',
        ...described,
        querystring: GroupQuery,
        response: { 200: excel },
      },
    },
    async (request, reply) => {
      const { project, tag } = request.query;
      const { session } = callerOf(request);
      return sendMany(request, reply, sessionName(new Date()), { project, tag, session });
    },
  );

  async function sendMany(
    request: FastifyRequest,
    reply: FastifyReply,
    name: string,
    filter: Parameters<DocumentStore['streamCompleted']>[0],
  ) {
    const { excelOfMany } = await import('../export/excel.ts');
    const bytes = excelOfMany(() => documents.streamCompleted(filter), { schema, language: languageFor(request) });
    return send(reply, EXCEL_TYPE, attachment(name), bytes);
  }
}

const languageFor = (request: FastifyRequest) => preferredLanguage(request.headers['accept-language']);

function send(reply: FastifyReply, type: string, disposition: string, bytes: AsyncIterable<Buffer> | Buffer) {
  // HEAD must not run the generator.
  const body = Buffer.isBuffer(bytes) || reply.request.method !== 'HEAD' ? bytes : [];
  return reply
    .headers({ 'content-type': type, 'content-disposition': disposition, vary: 'Accept-Language' })
    .send(Buffer.isBuffer(body) ? body : Readable.from(body, { objectMode: false }));
}

/** A date as `to` includes the whole day. */
function range({ from, to }: Static<typeof RangeQuery>): { from?: Date; to?: Date } {
  const [first, last] = [parseTime('from', from), parseTime('to', to)];
  const lastMs = last && last.at.getTime() + (last.wholeDay ? DAY_MS - 1 : 0);
  if (first && lastMs !== undefined && first.at.getTime() > lastMs) {
    const msg = 'Input should not be before `from`';
    throw new InvalidInput([{ loc: ['query', 'to'], msg, type: 'value_error', input: to!.slice(0, 100) }]);
  }
  return {
    ...(first && { from: first.at }),
    ...(last && { to: last.wholeDay ? new Date(last.at.getTime() + DAY_MS) : last.at }),
  };
}

const DAY_MS = 86_400_000;

function parseTime(name: string, text: string | undefined) {
  if (text === undefined) return undefined;
  const moment = parseMoment(text);
  if (moment !== undefined) return moment;
  const msg = 'Input should be a valid date or datetime';
  throw new InvalidInput([{ loc: ['query', name], msg, type: 'datetime_parsing', input: text.slice(0, 100) }]);
}
