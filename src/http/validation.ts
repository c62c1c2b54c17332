import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { TSchema } from 'typebox';
import { validationError } from '../base/api-error.ts';
import { Failure, failure } from './envelope.ts';
import type { Detail } from './validation-details.ts';

/** Why a request is invalid: no JSON, a schema violation, or errors that the route reports. */
export type ValidationFailure =
  | { readonly kind: 'not_json' }
  | { readonly kind: 'details'; readonly details: readonly Detail[] }
  | { readonly kind: 'schema'; readonly where: Part; readonly problems: readonly ErrorObject[] };

export type Part = 'body' | 'query' | 'path' | 'header';

/** A service's format of 422 responses. */
export interface ValidationFormat {
  body(failure: ValidationFailure, requestId: string): unknown;
  /** The schema of `body`, for the OpenAPI description. */
  readonly schema: TSchema;
  readonly example: unknown;
}

/** The format of services A and B: the error envelope. */
export const envelopeValidation: ValidationFormat = {
  body: (problem, requestId) => failure(validationError(messageOf(problem)), requestId),
  schema: Failure,
  example: failure(validationError('`image_url` is required.'), 'req-1'),
};

/** Contains only schema texts and key names, never values, which may be secrets in the wrong field. */
export function messageOf(failure: ValidationFailure): string {
  if (failure.kind === 'not_json') return 'The body is not valid JSON.';
  if (failure.kind === 'details') return `${failure.details[0]?.msg ?? 'The input is not valid'}.`;
  const problem = mainProblem(failure.problems);
  if (problem === undefined) return `The ${failure.where} is not valid.`;
  const path = pathOf(problem);
  const subject = path === '' ? `The ${failure.where}` : `\`${path}\``;
  return `${subject} ${describe(problem, failure.problems, failure.where)}.`;
}

/** In a union, the variant of the right type has the reason. */
export const mainProblem = (problems: readonly ErrorObject[]): ErrorObject | undefined =>
  problems.find(({ schemaPath, keyword }) => schemaPath.includes('/anyOf/') && keyword !== 'type') ?? problems[0];

export interface Validator {
  (data: unknown): boolean;
  /** Of the last call. */
  errors?: ErrorObject[] | null;
}

/** Creates the validators of a gateway. Coerces text (path, query, headers), not bodies. */
export function createValidators(): (part: string, schema: object) => Validator {
  const body = ajv({ coerceTypes: false });
  // 'array' also wraps single values: `?status=A` and `?status=A&status=B`.
  const text = ajv({ coerceTypes: 'array' });
  return (part, schema) => {
    let compiled: ValidateFunction | undefined;
    // Compiled at the first use: the validators of all routes would take 40 % of the start of a gateway.
    const validate: Validator = (data) => {
      const malformed = part === 'querystring' || part === 'params' ? malformedNumber(schema, data) : undefined;
      if (malformed !== undefined) {
        validate.errors = [malformed];
        return false;
      }
      compiled ??= (part === 'body' ? body : text).compile(schema);
      const isValid = compiled(data);
      validate.errors = compiled.errors ?? null;
      return isValid;
    };
    return validate;
  };
}

/** Ajv converts whatever `Number` does: also `0x10`, `0b1`, ` 1`, and `1e2` to an integer. */
const NUMBER_TEXTS: Readonly<Record<string, RegExp>> = {
  integer: /^[+-]?\d+(\.0+)?$/,
  number: /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i,
};

/** The error of the first parameter that is no decimal number although its schema is numeric. */
function malformedNumber(schema: { properties?: Record<string, { type?: string }> }, parameters: unknown) {
  const values = parameters as Readonly<Record<string, unknown>>;
  for (const [name, { type = '' }] of Object.entries(schema.properties ?? {})) {
    const data = values[name];
    if (typeof data !== 'string' || NUMBER_TEXTS[type]?.test(data) !== false) continue;
    return {
      keyword: 'type',
      instancePath: `/${name}`,
      schemaPath: `#/properties/${name}/type`,
      params: { type },
      data,
    };
  }
  return undefined;
}

function ajv(options: Options): Ajv2020 {
  // `verbose` keeps the invalid value for `detail` bodies. Reports only the first error, to bound the cost of hostile input.
  const instance = new Ajv2020({ useDefaults: true, verbose: true, strict: false, addUsedSchema: false, ...options });
  addFormats.default(instance);
  // The default format also accepts `urn:uuid:…`.
  instance.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
  return instance;
}

function pathOf(problem: ErrorObject): string {
  const keys = keysOf(problem);
  if (problem.keyword === 'required') keys.push(String(problem.params['missingProperty']));
  return keys.join('.').slice(0, 200);
}

/** The keys of the JSON pointer to the invalid value. */
export const keysOf = ({ instancePath }: ErrorObject): string[] =>
  instancePath
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));

/** The values that an enumeration or a union of literals allows; the latter fails once per literal. */
export const allowedValues = ({ keyword, params }: ErrorObject, all: readonly ErrorObject[]): readonly unknown[] =>
  keyword === 'enum'
    ? (params['allowedValues'] as readonly unknown[])
    : all.filter((each) => each.keyword === 'const').map((each) => each.params['allowedValue'] as unknown);

function describe(problem: ErrorObject, all: readonly ErrorObject[], where: Part): string {
  switch (problem.keyword) {
    case 'required':
      return 'is required';
    case 'enum':
    case 'const': {
      const words = allowedValues(problem, all).map((value) => JSON.stringify(value));
      return words.length === 1 ? `must be ${words[0]}` : `must be one of ${words.join(', ')}`;
    }
    case 'type': {
      const type = String(problem.params['type']);
      if (type === 'boolean' && where !== 'body') return 'must be true or false';
      return `must be ${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`;
    }
    case 'format':
      return `must be a valid ${String(problem.params['format'])}`;
    case 'pattern': {
      const { examples } = problem.parentSchema as { examples?: readonly string[] };
      return `has an invalid format${examples === undefined ? '' : `; an example is ${JSON.stringify(examples[0])}`}`;
    }
    case 'minLength':
      return `must have at least ${count(problem, 'character')}`;
    case 'maxLength':
      return `must have at most ${count(problem, 'character')}`;
    case 'minItems':
      return `must have at least ${count(problem, 'item')}`;
    case 'maxItems':
      return `must have at most ${count(problem, 'item')}`;
    case 'minimum':
      return `must be at least ${limitOf(problem)}`;
    case 'maximum':
      return `must be at most ${limitOf(problem)}`;
    default:
      return problem.message ?? 'is not valid';
  }
}

const limitOf = ({ params }: ErrorObject) => params['limit'] as number;
const count = (problem: ErrorObject, noun: string) => `${limitOf(problem)} ${noun}${limitOf(problem) === 1 ? '' : 's'}`;
