import type { ErrorObject } from 'ajv/dist/2020.js';
import { Type } from 'typebox';
import { PATTERN_MESSAGES } from './text-patterns.ts';
import type { Part, ValidationFailure, ValidationFormat } from './validation.ts';
import { type Detail, missingField } from './validation-details.ts';

/** 422 responses with a `detail` array. */
export const detailValidation: ValidationFormat = {
  body: (failure) => ({ detail: detailsOf(failure) }),
  schema: Type.Object(
    {
      detail: Type.Array(
        Type.Object({
          loc: Type.Array(Type.Union([Type.String(), Type.Integer()]), {
            description: 'Location: `body`, `query`, `path`, `header` or `cookie`, then the keys.',
          }),
          msg: Type.String({ description: 'For humans; the wording may change.' }),
          type: Type.String({ description: 'Error type, for programs.' }),
          input: Type.Optional(Type.Unknown({ description: 'The invalid value.' })),
          ctx: Type.Optional(Type.Object({}, { additionalProperties: true })),
        }),
      ),
    },
    { description: 'An invalid request.' },
  ),
  example: {
    detail: [
      {
        loc: ['query', 'limit'],
        msg: 'Input should be less than or equal to 200',
        type: 'less_than_equal',
        input: '500',
        ctx: { le: 200 },
      },
    ],
  },
};

export function detailsOf(failure: ValidationFailure): readonly Detail[] {
  switch (failure.kind) {
    case 'not_json':
      return [{ loc: ['body'], msg: 'JSON decode error', type: 'json_invalid', ctx: { error: 'not valid JSON' } }];
    case 'details':
      return failure.details;
    case 'schema': {
      const problem = failure.problems[0];
      if (problem === undefined) return [{ loc: [failure.where], msg: 'Input is not valid', type: 'value_error' }];
      return [detailOf(problem, failure.problems, failure.where)];
    }
  }
}

function detailOf(problem: ErrorObject, all: readonly ErrorObject[], where: Part): Detail {
  const keys = problem.instancePath
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((key) => (/^\d{1,9}$/.test(key) ? Number(key) : key.slice(0, 200)));
  const loc = [where, ...keys];
  if (problem.keyword === 'required') {
    return missingField([...loc, String(problem.params['missingProperty'])]);
  }
  const input = problem.data as unknown;
  if (keys.length === 0 && (input === undefined || input === null)) return missingField(loc);
  return { loc, ...describe(problem, all, where), ...inputOf(input, loc, where) };
}

const SECRET = /key|secret|token|password/i;

function inputOf(input: unknown, loc: Detail['loc'], where: Part): { input?: unknown } {
  if (SECRET.test(String(loc.at(-1)))) return {};
  if (typeof input === 'string') return { input: input.slice(0, 200) };
  // Outside the body the client sent text; the number is the result of coercion.
  if (typeof input === 'number' || typeof input === 'boolean') return { input: where === 'body' ? input : `${input}` };
  return input === null ? { input: null } : {};
}

type Description = Pick<Detail, 'msg' | 'type' | 'ctx'>;

function describe(problem: ErrorObject, all: readonly ErrorObject[], where: Part): Description {
  const { keyword, params } = problem;
  const limit = params['limit'] as number;
  switch (keyword) {
    case 'type':
      return wrongType(String(params['type']), where !== 'body');
    case 'minimum':
      return {
        msg: `Input should be greater than or equal to ${limit}`,
        type: 'greater_than_equal',
        ctx: { ge: limit },
      };
    case 'maximum':
      return { msg: `Input should be less than or equal to ${limit}`, type: 'less_than_equal', ctx: { le: limit } };
    case 'minLength':
      return {
        msg: `String should have at least ${limit} character${limit === 1 ? '' : 's'}`,
        type: 'string_too_short',
        ctx: { min_length: limit },
      };
    case 'maxLength':
      return {
        msg: `String should have at most ${limit} characters`,
        type: 'string_too_long',
        ctx: { max_length: limit },
      };
    case 'minItems':
      return { msg: `List should have at least ${limit} items`, type: 'too_short', ctx: { min_length: limit } };
    case 'maxItems':
      return { msg: `List should have at most ${limit} items`, type: 'too_long', ctx: { max_length: limit } };
    case 'enum':
      return oneOf(params['allowedValues'] as readonly unknown[]);
    case 'const':
      // A union of literals fails once per member; merges them into one list.
      return oneOf(all.filter((each) => each.keyword === 'const').map((each) => each.params['allowedValue']));
    case 'format':
      return wrongFormat(String(params['format']));
    case 'pattern':
      return {
        msg:
          PATTERN_MESSAGES[String(params['pattern'])] ?? `String should match pattern '${String(params['pattern'])}'`,
        type: 'string_pattern_mismatch',
        ctx: { pattern: params['pattern'] },
      };
    case 'additionalProperties':
      return { msg: 'Extra inputs are not permitted', type: 'extra_forbidden' };
    default:
      return { msg: `Value error, ${problem.message ?? 'not valid'}`, type: 'value_error' };
  }
}

/** `parsed`: the value came as text (outside the body) and could not be parsed. */
function wrongType(wanted: string, parsed: boolean): Description {
  switch (wanted) {
    case 'integer':
      return parsed
        ? { msg: 'Input should be a valid integer, unable to parse string as an integer', type: 'int_parsing' }
        : { msg: 'Input should be a valid integer', type: 'int_type' };
    case 'number':
      return { msg: 'Input should be a valid number', type: parsed ? 'float_parsing' : 'float_type' };
    case 'boolean':
      return { msg: 'Input should be a valid boolean', type: parsed ? 'bool_parsing' : 'bool_type' };
    case 'array':
      return { msg: 'Input should be a valid list', type: 'list_type' };
    case 'object':
      return { msg: 'Input should be a valid dictionary', type: 'dict_type' };
    default:
      return { msg: `Input should be a valid ${wanted}`, type: `${wanted}_type` };
  }
}

function wrongFormat(format: string): Description {
  if (format === 'uuid') {
    return { msg: 'Input should be a valid UUID', type: 'uuid_parsing', ctx: { error: 'not a UUID' } };
  }
  if (format === 'date-time') return { msg: 'Input should be a valid datetime', type: 'datetime_parsing' };
  if (format === 'date') return { msg: 'Input should be a valid date', type: 'date_parsing' };
  return { msg: `Input should be a valid ${format}`, type: 'value_error' };
}

function oneOf(values: readonly unknown[]): Description {
  const words = values.map((value) => `'${String(value)}'`);
  const expected = words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
  return { msg: `Input should be ${expected}`, type: 'enum', ctx: { expected } };
}
