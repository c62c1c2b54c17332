import { Readable } from 'node:stream';
import { type Static, Type } from 'typebox';
import { refusal } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { FORMATS, type FormatName } from '../export/formats.ts';
import { forbidden } from '../refusals.ts';
import { FilterQuery, filtersFrom, ignoreEmpty, sortFrom } from '../search/filter-query.ts';
import type { Search } from '../search/found.ts';

const ExportQuery = Type.Object({
  format: Type.Enum(Object.keys(FORMATS) as FormatName[]),
  ...FilterQuery.properties,
});

/** Records as files to take away. */
export function exportRoutes(app: Gateway, { search }: { search: Search }): void {
  app.get<{ Querystring: Static<typeof ExportQuery> }>(
    '/export',
    {
      config: { access: 'bearer' },
      preValidation: ignoreEmpty,
      schema: {
        summary: 'Take records away',
        description:
          'What `/search` finds with the same filters, all of it, in the same order; at most 1 000 000 records.',
        operationId: 'exportRecords',
        tags: ['search'],
        querystring: ExportQuery,
        response: {
          200: { description: 'The file.', content: CONTENT },
          403: refusal(forbidden()),
        },
      },
    },
    async (request, reply) => {
      const { query } = request;
      const filters = filtersFrom(query, request.reader);
      const { mediaType, ending, bytes } = FORMATS[query.format];
      const day = new Date().toISOString().slice(0, 10);
      const headers = {
        'content-type': mediaType,
        'content-disposition': `attachment; filename="Catalog_${day}.${ending}"`,
      };
      // Otherwise all of it would be made, and thrown away.
      if (request.method === 'HEAD') return reply.headers(headers).send(Readable.from([]));
      const pieces = inPieces(bytes(search.each(filters, sortFrom(query, filters))));
      // Before the first piece nothing is sent yet, and what fails can still be told.
      const first = await pieces.next();
      return reply.headers(headers).send(Readable.from(from(first, pieces), { objectMode: false }));
    },
  );
}

const CONTENT = Object.fromEntries(
  Object.values(FORMATS).map(({ mediaType }) => [
    mediaType.split(';')[0]!,
    { schema: { type: 'string', format: 'binary' } },
  ]),
);

/** A line of its own for each record would be a write of its own. */
const PIECE_BYTES = 64 * 1024;

async function* inPieces(lines: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const line of lines) {
    waiting.push(line);
    bytes += line.length;
    if (bytes < PIECE_BYTES) continue;
    yield Buffer.concat(waiting);
    [waiting, bytes] = [[], 0];
  }
  if (waiting.length > 0) yield Buffer.concat(waiting);
}

async function* from(first: IteratorResult<Buffer, void>, others: AsyncGenerator<Buffer, void, undefined>) {
  if (!first.done) yield first.value;
  yield* others;
}
