import type { ErrorObject } from 'ajv/dist/2020.js';
import { Type } from 'typebox';
import { PATTERN_MESSAGES } from './text-patterns.ts';
import {
  allowedValues,
  keysOf,
  mainProblem,
  type Part,
  type ValidationFailure,
  type ValidationFormat,
} from './validation.ts';
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
      const problem = mainProblem(failure.problems);
      if (problem === undefined) return [{ loc: [failure.where], msg: 'Input is not valid', type: 'value_error' }];
      return [detailOf(problem, failure.problems, failure.where)];
    }
  }
}

function detailOf(problem: ErrorObject, all: readonly ErrorObject[], where: Part): Detail {
  const keys = keysOf(problem).map((key) => (/^\d{1,9}$/.test(key) ? Number(key) : key.slice(0, 200)));
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

/** By keyword: the message, the type and the name of the limit in `ctx`. */
const LIMITS: Readonly<Record<string, readonly [msg: (limit: number) => string, type: string, key: string]>> = {
  minimum: [(limit) => `Input should be greater than or equal to ${limit}`, 'greater_than_equal', 'ge'],
  maximum: [(limit) => `Input should be less than or equal to ${limit}`, 'less_than_equal', 'le'],
  minLength: [
    (limit) => `String should have at least ${limit} character${limit === 1 ? '' : 's'}`,
    'string_too_short',
    'min_length',
  ],
  maxLength: [(limit) => `String should have at most ${limit} characters`, 'string_too_long', 'max_length'],
  minItems: [(limit) => `List should have at least ${limit} items`, 'too_short', 'min_length'],
  maxItems: [(limit) => `List should have at most ${limit} items`, 'too_long', 'max_length'],
};

const TYPE_NAMES: Readonly<Record<string, readonly [name: string, type: string]>> = {
  array: ['list', 'list'],
  boolean: ['boolean', 'bool'],
  integer: ['integer', 'int'],
  number: ['number', 'float'],
  object: ['dictionary', 'dict'],
};
/** Types that are parsed from text outside the body. */
const PARSED = new Set(['boolean', 'integer', 'number']);

const UNPARSED: Readonly<Record<string, string>> = {
  boolean: ', true or false',
  integer: ', unable to parse string as an integer',
};

const FORMATS: Readonly<Record<string, Description>> = {
  uuid: { msg: 'Input should be a valid UUID', type: 'uuid_parsing', ctx: { error: 'not a UUID' } },
  'date-time': { msg: 'Input should be a valid datetime', type: 'datetime_parsing' },
  date: { msg: 'Input should be a valid date', type: 'date_parsing' },
};

function describe(problem: ErrorObject, all: readonly ErrorObject[], where: Part): Description {
  const { keyword, params } = problem;
  const limited = LIMITS[keyword];
  if (limited !== undefined) {
    const [msg, type, key] = limited;
    const limit = params['limit'] as number;
    return { msg: msg(limit), type, ctx: { [key]: limit } };
  }
  switch (keyword) {
    case 'type':
      return wrongType(String(params['type']), where !== 'body');
    case 'enum':
    case 'const': {
      const words = allowedValues(problem, all).map((value) => `'${String(value)}'`);
      const expected = words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
      return { msg: `Input should be ${expected}`, type: 'enum', ctx: { expected } };
    }
    case 'format': {
      const format = String(params['format']);
      return FORMATS[format] ?? { msg: `Input should be a valid ${format}`, type: 'value_error' };
    }
    case 'pattern': {
      const pattern = String(params['pattern']);
      const msg = PATTERN_MESSAGES[pattern] ?? `String should match pattern '${pattern}'`;
      return { msg, type: 'string_pattern_mismatch', ctx: { pattern } };
    }
    case 'minProperties': {
      const { properties = {} } = problem.parentSchema as { properties?: object };
      const names = Object.keys(properties).map((name) => `'${name}'`);
      return { msg: `Input should have at least one of the fields ${names.join(', ')}`, type: 'value_error' };
    }
    case 'additionalProperties':
      return { msg: 'Extra inputs are not permitted', type: 'extra_forbidden' };
    default:
      return { msg: `Value error, ${problem.message ?? 'not valid'}`, type: 'value_error' };
  }
}

/** `isText`: the value came as text (outside the body) and could not be parsed. */
function wrongType(wanted: string, isText: boolean): Description {
  const [name, type] = TYPE_NAMES[wanted] ?? [wanted, wanted];
  const isUnparsed = isText && PARSED.has(wanted);
  const reason = (isUnparsed && UNPARSED[wanted]) || '';
  return { msg: `Input should be a valid ${name}${reason}`, type: `${type}_${isUnparsed ? 'parsing' : 'type'}` };
}
