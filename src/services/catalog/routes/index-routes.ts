import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { isUnavailable } from '../../../base/db-errors.ts';
import type { UrlPolicy } from '../../../base/outbound-url.ts';
import { reply as answer, refusal } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { MOST_RECORDS, readRecords } from '../import/read-record.ts';
import { readTable, type TableType } from '../import/tables.ts';
import type { Records } from '../records/records.ts';
import { forbidden, indexUnavailable, tooManyRecords } from '../refusals.ts';
import type { Search } from '../search/found.ts';
import * as schema from './index-schema.ts';

/** A thousand records with the longest texts come to this, in one script or another. */
const BODY_BYTES = 32 * 2 ** 20;

interface Needs {
  readonly records: Records;
  readonly search: Search;
  /** Which addresses the images of records may have. */
  readonly images: UrlPolicy;
}

/** Moderators index records of their own, have everything indexed anew, and see how far that is. */
export async function indexRoutes(app: Gateway, needs: Needs): Promise<void> {
  await app.register(async (scope) => importRoute(scope as Gateway, needs));
  rebuildRoute(app, needs);
  stateRoute(app, needs);
}

const TYPES: Readonly<Record<string, TableType>> = {
  'text/csv': 'csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
};
const TAKES = `application/json, ${Object.keys(TYPES).join(' or ')}`;

/** A body that is not JSON, as it came. */
interface Table {
  readonly type: TableType;
  readonly bytes: Buffer;
}

function importRoute(scope: Gateway, { records, images }: Needs): void {
  takeTables(scope);
  const table = { schema: { type: 'string', format: 'binary', description: 'A header row names the same fields.' } };
  scope.post<{ Body: Static<typeof schema.Records> }>(
    '/index',
    {
      config: { access: 'moderator', takes: TAKES },
      bodyLimit: BODY_BYTES,
      schema: {
        tags: ['index'],
        summary: 'Index records of your own',
        description:
          `At most ${MOST_RECORDS} records, as JSON, CSV (UTF-8) or XLSX (the first sheet). In a table the header names the ` +
          'fields; a column `attributes.NAME` is an attribute. A record of the same id is replaced. Records that are wrong ' +
          'are told by themselves and the others are taken; a body that is no list of records is refused as a whole.',
        operationId: 'indexRecords',
        body: schema.Records,
        shown: {
          body: {
            content: {
              'application/json': { schema: schema.Shown, examples: { one: { value: schema.EXAMPLE } } },
              ...Object.fromEntries(Object.keys(TYPES).map((type) => [type, table])),
            },
          },
        },
        response: {
          200: answer('Written: they are found from now on.', schema.Indexed, { indexed: schema.INDEXED }),
          403: refusal(forbidden()),
          413: refusal(tooManyRecords(MOST_RECORDS)),
          503: refusal(indexUnavailable()),
        },
      },
      preValidation: async (request) => asRecords(request as FastifyRequest, scope.closing),
    },
    async (request) => {
      const { records: good, failed } = readRecords(request.body.records, images);
      await records.import(good).catch(unavailable);
      return { indexed: good.length, failed };
    },
  );
}

/** The tables' types beside JSON; their bytes are held, since both must be looked at before they are read. */
function takeTables(scope: FastifyInstance): void {
  for (const [contentType, type] of Object.entries(TYPES)) {
    scope.addContentTypeParser(contentType, { parseAs: 'buffer' }, (_request, bytes, done) =>
      done(null, { type, bytes: bytes as Buffer } satisfies Table),
    );
  }
}

/** Turns a table into what would have come as JSON, and refuses more records than are taken before looking at any. */
async function asRecords(request: FastifyRequest, closing: AbortSignal): Promise<void> {
  const body = request.body as Partial<Table & { records: unknown }> | null | undefined;
  if (body?.bytes !== undefined && Buffer.isBuffer(body.bytes)) {
    request.body = { records: await readTable(body.type!, body.bytes, closing) };
  }
  const { records } = (request.body ?? {}) as { records?: unknown };
  if (Array.isArray(records) && records.length > MOST_RECORDS) throw tooManyRecords(MOST_RECORDS);
}

function rebuildRoute(app: Gateway, { records }: Needs): void {
  app.post(
    '/index/rebuild',
    {
      config: { access: 'moderator' },
      schema: {
        tags: ['index'],
        summary: 'Index everything anew',
        description:
          'What can still be read of finished tasks is indexed again; what is only a record by now is taken apart again ' +
          'from its text. Records can be found all the while.',
        operationId: 'rebuildIndex',
        response: {
          202: answer('It has been asked for.', schema.Rebuilding, { rebuilding: { rebuilding: true } }),
          403: refusal(forbidden()),
          503: refusal(indexUnavailable()),
        },
      },
    },
    async (_request, reply) => {
      await records.rebuild().catch(unavailable);
      return reply.code(202).send({ rebuilding: true });
    },
  );
}

function stateRoute(app: Gateway, { search }: Needs): void {
  app.get(
    '/index/status',
    {
      config: { access: 'bearer' },
      schema: {
        tags: ['index'],
        summary: 'How the index stands',
        operationId: 'indexStatus',
        response: {
          200: answer('As it stands.', schema.State, { state: schema.STATE }),
          503: refusal(indexUnavailable()),
        },
      },
    },
    async (): Promise<Static<typeof schema.State>> => {
      const state = await search.state().catch(unavailable);
      return {
        documents: state.documents,
        last_indexed_at: state.lastIndexedAt?.toISOString() ?? null,
        lag_seconds: state.lagSeconds,
        rebuilding: state.rebuilding,
      };
    },
  );
}

function unavailable(error: unknown): never {
  throw isUnavailable(error) ? indexUnavailable() : error;
}
