import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { TSchema } from 'typebox';
import { validationError } from '../base/faults.ts';
import type { Detail } from './details.ts';
import { Failure, failure } from './envelope.ts';

/** Why a request was not understood: its body is no JSON at all, a part of it breaks the route's schema, or the route says. */
export type ValidationFailure =
  | { readonly kind: 'not_json' }
  | { readonly kind: 'details'; readonly details: readonly Detail[] }
  | { readonly kind: 'schema'; readonly where: Part; readonly problems: readonly ErrorObject[] };

export type Part = 'body' | 'query' | 'path' | 'header';

/** How one service words its 422 answers. */
export interface ValidationFormat {
  body(failure: ValidationFailure, requestId: string): unknown;
  /** The schema of `body`, for the OpenAPI description. */
  readonly schema: TSchema;
  readonly example: unknown;
}

/** The format of A and B: the error envelope with one readable sentence. */
export const envelopeValidation: ValidationFormat = {
  body: (problem, requestId) => failure(validationError(sentence(problem)), requestId),
  schema: Failure,
  example: failure(validationError('`image_url` is required.'), 'req-1'),
};

/**
 * One sentence: where, and what is wrong. It is made of the schema's words and of key names only, never of a value that
 * was sent: a value may be a secret in the wrong field.
 */
function sentence(failure: ValidationFailure): string {
  if (failure.kind === 'not_json') return 'The body is not valid JSON.';
  if (failure.kind === 'details') return `${failure.details[0]?.msg ?? 'The input is not valid'}.`;
  const problem = failure.problems[0];
  if (problem === undefined) return `The ${failure.where} is not valid.`;
  const path = place(problem.instancePath, problem);
  const subject = path === '' ? `The ${failure.where}` : `\`${path}\``;
  return `${subject} ${complaint(problem, failure.problems)}.`;
}

/** The validators of one gateway. Only what travels as text is coerced; a body says what it means. */
export function createValidators(): (part: string, schema: object) => ValidateFunction {
  const body = ajv({ coerceTypes: false });
  // 'array' also lets a list have a single member: `?status=A` and `?status=A&status=B`.
  const text = ajv({ coerceTypes: 'array' });
  return (part, schema) => (part === 'body' ? body : text).compile(schema);
}

function ajv(options: Options): Ajv2020 {
  // `verbose` keeps the offending value with the error, which `detail` bodies show; first error only, so that a hostile
  // body costs one error and not one for each of its members.
  const instance = new Ajv2020({ useDefaults: true, verbose: true, strict: false, addUsedSchema: false, ...options });
  addFormats.default(instance);
  // Its own also takes `urn:uuid:…`, which nobody who compares or stores an id expects.
  instance.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
  return instance;
}

function place(pointer: string, problem: ErrorObject): string {
  const keys = pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (problem.keyword === 'required') keys.push(String(problem.params['missingProperty']));
  return keys.join('.').slice(0, 200);
}

function complaint(problem: ErrorObject, all: readonly ErrorObject[]): string {
  switch (problem.keyword) {
    case 'required':
      return 'is required';
    case 'enum':
      return oneOf(problem.params['allowedValues'] as readonly unknown[]);
    case 'const':
      // A union of literals fails once per member: together they are one list.
      return oneOf(all.filter((each) => each.keyword === 'const').map((each) => each.params['allowedValue']));
    case 'format':
      return `must be a valid ${String(problem.params['format'])}`;
    case 'pattern':
      return 'has a wrong form';
    default:
      return problem.message ?? 'is not valid';
  }
}

function oneOf(values: readonly unknown[]): string {
  const words = values.map((value) => JSON.stringify(value));
  return words.length === 1 ? `must be ${words[0]}` : `must be one of ${words.join(', ')}`;
}
