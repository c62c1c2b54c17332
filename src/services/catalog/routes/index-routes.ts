import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { isUnavailable } from '../../../base/db-errors.ts';
import type { UrlPolicy } from '../../../base/outbound-url.ts';
import { describeErrors, describeResponse } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { forbidden, importInterrupted, indexUnavailable, tooManyRecords } from '../api-errors.ts';
import { MAX_RECORDS, readRecords } from '../import/record-validation.ts';
import { readTable, type TableType } from '../import/tables.ts';
import type { Records } from '../records/records.ts';
import * as schema from './index-schema.ts';
import type { State } from './status-routes.ts';

/** 1000 records of 32 KiB on average. */
const BODY_BYTES = 32 * 2 ** 20;

interface Deps {
  readonly records: Records;
  readonly state: State;
  readonly images: UrlPolicy;
}

export async function indexRoutes(app: Gateway, deps: Deps): Promise<void> {
  await app.register(async (scope) => importRoute(scope as Gateway, deps));
  rebuildRoute(app, deps);
  stateRoute(app, deps);
}

const TYPES: Readonly<Record<string, TableType>> = {
  'text/csv': 'csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
};
const CONTENT_TYPES = `application/json, ${Object.keys(TYPES).join(' or ')}`;

/** An unparsed CSV or XLSX body. */
interface Table {
  readonly type: TableType;
  readonly bytes: Buffer;
}

function importRoute(scope: Gateway, { records, images }: Deps): void {
  acceptTables(scope);
  const table = {
    schema: { type: 'string', format: 'binary', description: 'A table whose header row contains the field names.' },
  };
  scope.post<{ Body: Static<typeof schema.Records> }>(
    '/index',
    {
      config: { access: 'moderator', takes: CONTENT_TYPES },
      bodyLimit: BODY_BYTES,
      schema: {
        tags: ['index'],
        summary: 'Import records',
        description:
          `At most ${MAX_RECORDS} records as JSON, CSV (UTF-8) or XLSX (first sheet). The header of a table contains the ` +
          'field names; a column `attributes.NAME` is an attribute. A record with the same id is replaced. After 503 some records may be imported: repeat the request. Invalid records ' +
          'are listed in `failed` and the others are imported; a body that is not a list of records is rejected.',
        operationId: 'indexRecords',
        body: schema.Records,
        shown: {
          body: {
            content: {
              'application/json': { schema: schema.DocumentedRecords, examples: { one: { value: schema.EXAMPLE } } },
              ...Object.fromEntries(Object.keys(TYPES).map((type) => [type, table])),
            },
          },
        },
        response: {
          200: describeResponse('The records are imported and searchable.', schema.Indexed, {
            indexed: schema.INDEXED,
          }),
          403: describeErrors(forbidden()),
          413: describeErrors(tooManyRecords(MAX_RECORDS)),
          503: describeErrors(importInterrupted(200, 700)),
        },
      },
      preValidation: async (request) => asRecords(request as FastifyRequest, scope.closing),
    },
    async (request) => {
      const { records: valid, failed } = readRecords(request.body.records, images);
      let written = 0;
      const count = (more: number) => {
        written += more;
      };
      await records.import(valid, count).catch((error: unknown) => {
        throw isUnavailable(error) ? importInterrupted(written, valid.length) : error;
      });
      return { indexed: valid.length, failed };
    },
  );
}

/** Buffers, because tables must be validated before parsing. */
function acceptTables(scope: FastifyInstance): void {
  for (const [contentType, type] of Object.entries(TYPES)) {
    scope.addContentTypeParser(contentType, { parseAs: 'buffer' }, (_request, bytes, done) =>
      done(null, { type, bytes: bytes as Buffer } satisfies Table),
    );
  }
}

/** Rejects too many records before validating any. */
async function asRecords(request: FastifyRequest, closing: AbortSignal): Promise<void> {
  const body = request.body as Partial<Table & { records: unknown }> | null | undefined;
  if (body?.bytes !== undefined && Buffer.isBuffer(body.bytes)) {
    request.body = { records: await readTable(body.type!, body.bytes, closing) };
  }
  const { records } = (request.body ?? {}) as { records?: unknown };
  if (Array.isArray(records) && records.length > MAX_RECORDS) throw tooManyRecords(MAX_RECORDS);
}

function rebuildRoute(app: Gateway, { records }: Deps): void {
  app.post(
    '/index/rebuild',
    {
      config: { access: 'moderator' },
      schema: {
        tags: ['index'],
        summary: 'Rebuild the index',
        description:
          'Finished tasks that are still available are indexed again; all other records are indexed from their stored text. ' +
          'Search stays available meanwhile.',
        operationId: 'rebuildIndex',
        response: {
          202: describeResponse('The rebuild has been requested.', schema.Rebuilding, {
            rebuilding: { rebuilding: true },
          }),
          403: describeErrors(forbidden()),
          503: describeErrors(indexUnavailable()),
        },
      },
    },
    async (_request, reply) => {
      await records.requestRebuild().catch(unavailable);
      return reply.code(202).send({ rebuilding: true });
    },
  );
}

function stateRoute(app: Gateway, { state }: Deps): void {
  app.get(
    '/index/status',
    {
      config: { access: 'bearer' },
      schema: {
        tags: ['index'],
        summary: 'Get the index status',
        operationId: 'indexStatus',
        response: {
          200: describeResponse('The index status.', schema.State, { state: schema.STATE }),
          503: describeErrors(indexUnavailable()),
        },
      },
    },
    async (): Promise<Static<typeof schema.State>> => {
      const { documents, lastIndexedAt, lagSeconds, rebuilding } = await state().catch(unavailable);
      return { documents, last_indexed_at: lastIndexedAt?.toISOString() ?? null, lag_seconds: lagSeconds, rebuilding };
    },
  );
}

function unavailable(error: unknown): never {
  throw isUnavailable(error) ? indexUnavailable() : error;
}
