import { Readable } from 'node:stream';
import { type Static, Type } from 'typebox';
import { describeErrors } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { forbidden } from '../api-errors.ts';
import { FORMATS, type FormatName } from '../export/formats.ts';
import { FilterQuery, filtersFrom, readFilterForm, sortFrom } from '../search/filter-query.ts';
import type { Search } from '../search/search.ts';

const ExportQuery = Type.Object({
  format: Type.Enum(Object.keys(FORMATS) as FormatName[]),
  ...FilterQuery.properties,
});

export function exportRoutes(app: Gateway, { search }: { search: Search }): void {
  app.get<{ Querystring: Static<typeof ExportQuery> }>(
    '/export',
    {
      config: { access: 'bearer', page: true },
      preValidation: readFilterForm,
      schema: {
        summary: 'Export records',
        description: 'All results of `/search` with the same filters, in the same order; at most 1 000 000 records.',
        operationId: 'exportRecords',
        tags: ['search'],
        querystring: ExportQuery,
        response: {
          200: { description: 'The file.', content: CONTENT },
          403: describeErrors(forbidden()),
        },
      },
    },
    async (request, reply) => {
      const { query } = request;
      const filters = filtersFrom(query, request.reader);
      const { mediaType, extension, bytes } = FORMATS[query.format];
      const day = new Date().toISOString().slice(0, 10);
      const headers = {
        'content-type': mediaType,
        'content-disposition': `attachment; filename="Catalog_${day}.${extension}"`,
      };
      // Otherwise the framework generates the whole file.
      if (request.method === 'HEAD') return reply.headers(headers).send(Readable.from([]));
      const chunks = inChunks(bytes(search.stream(filters, sortFrom(query, filters))));
      // An error before the first chunk still gets an error response.
      const first = await chunks.next();
      return reply.headers(headers).send(Readable.from(prepend(first, chunks), { objectMode: false }));
    },
  );
}

const CONTENT = Object.fromEntries(
  Object.values(FORMATS).map(({ mediaType }) => [
    mediaType.split(';')[0]!,
    { schema: { type: 'string', format: 'binary' } },
  ]),
);

/** Avoids one write per record. */
const CHUNK_BYTES = 64 * 1024;

async function* inChunks(lines: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let buffered: Buffer[] = [];
  let bytes = 0;
  for await (const line of lines) {
    buffered.push(line);
    bytes += line.length;
    if (bytes < CHUNK_BYTES) continue;
    yield Buffer.concat(buffered);
    [buffered, bytes] = [[], 0];
  }
  if (buffered.length > 0) yield Buffer.concat(buffered);
}

async function* prepend(first: IteratorResult<Buffer, void>, others: AsyncGenerator<Buffer, void, undefined>) {
  if (!first.done) yield first.value;
  yield* others;
}
