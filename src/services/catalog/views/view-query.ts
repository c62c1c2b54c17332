import { parse } from 'node:querystring';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { detailsOf } from '../../../http/detail-errors.ts';
import type { Validator } from '../../../http/validation.ts';
import { type Detail, InvalidInput } from '../../../http/validation-details.ts';
import { requireVisitor } from '../auth/auth-guard.ts';
import { filtersFrom, isRangeEnd, pageFrom, readFilterForm, SearchQuery } from '../search/filter-query.ts';
import type { Filters } from '../search/search-types.ts';

/** The parameters of `/search` and those of the page. */
const ViewQuery = Type.Object({ ...SearchQuery.properties, view: Type.Optional(Type.Enum(['gallery', 'table'])) });
const NAMES = Object.keys(ViewQuery.properties);

/**
 * Reads the query string of a view as the search does. Throws the errors of the search, located in the member `query` of the
 * body, and `InvalidInput` for unknown parameters, which the search ignores: with a typo, an alert announces every record.
 */
export async function readViewQuery(request: FastifyRequest, text: string): Promise<Filters> {
  const query = { ...parse(text, '&', '=', { maxKeys: 0 }) };
  const unknown = Object.keys(query).filter((name) => !NAMES.includes(name) && !isRangeEnd(name));
  if (unknown.length > 0) throw new InvalidInput(unknown.slice(0, 20).map(unknownParameter));
  await readFilterForm({ query } as FastifyRequest);
  // Converts numbers and booleans, and sets defaults.
  const validate = request.compileValidationSchema(ViewQuery, 'querystring') as unknown as Validator;
  if (!validate(query)) {
    throw inBody(detailsOf({ kind: 'schema', where: 'query', problems: validate.errors ?? [] }));
  }
  try {
    const parsed = query as unknown as SearchQuery;
    const filters = filtersFrom(parsed, requireVisitor(request));
    pageFrom(parsed, filters);
    return filters;
  } catch (error) {
    throw error instanceof InvalidInput ? inBody(error.details) : error;
  }
}

const inBody = (details: readonly Detail[]) =>
  new InvalidInput(details.map(({ loc, ...rest }) => ({ loc: ['body', ...loc], ...rest })));

function unknownParameter(name: string): Detail {
  const shown = name.slice(0, 100);
  const msg = `The search has no parameter '${shown}'; parameters are ${NAMES.join(', ')}`;
  return { loc: ['body', 'query', shown], msg, type: 'extra_forbidden' };
}
