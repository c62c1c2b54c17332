import { type TSchema, Type } from 'typebox';
import type { Fault } from '../base/faults.ts';

/** The body of every success of A and B. */
export const success = <T>(data: T) => ({ ok: true as const, data });

/** The body of every refusal. `request_id` lets a person find the one log line that belongs to it. */
export const failure = (
  fault: Pick<Fault, 'code' | 'message'> & Partial<Pick<Fault, 'details'>>,
  requestId?: string,
) => ({
  ok: false as const,
  error: {
    code: fault.code,
    message: fault.message,
    ...(fault.details && { details: fault.details }),
    ...(requestId !== undefined && { request_id: requestId }),
  },
});

/** The schema of `success(data)`. */
export const Success = <T extends TSchema>(data: T) => Type.Object({ ok: Type.Literal(true), data });

/** The schema of `failure(…)`. */
export const Failure = Type.Object(
  {
    ok: Type.Literal(false),
    error: Type.Object({
      code: Type.String({ description: 'UPPER_SNAKE_CASE; this is the contract.' }),
      message: Type.String({ description: 'For humans; the wording may change.' }),
      details: Type.Optional(Type.Object({}, { additionalProperties: true })),
      request_id: Type.Optional(Type.String()),
    }),
  },
  { description: 'A refusal.' },
);

/** Headers of an answer, by name, with what each says. */
export type HeaderNotes = Readonly<Record<string, string>>;

/** The same as `schema.response` wants them. */
export const headersOf = (notes: HeaderNotes) =>
  Object.fromEntries(Object.entries(notes).map(([name, description]) => [name, { type: 'string', description }]));

/** An answer as `schema.response` describes it: `response: { 200: reply('The state.', Success(State)) }`. */
export const reply = (
  description: string,
  schema: TSchema,
  examples: Record<string, unknown> = {},
  headers: HeaderNotes = {},
) => ({
  description,
  headers: headersOf(headers),
  content: {
    'application/json': {
      schema,
      ...(Object.keys(examples).length > 0 && {
        examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])),
      }),
    },
  },
});

/** The answer to who has the body already. */
export const notModified = {
  description: 'The body is the one of `If-None-Match`.',
  type: 'null',
  headers: headersOf({ ETag: 'The tag of the body.' }),
};

/** The same for one or more refusals that share a status, each with its example. */
export const refusal = (...faults: readonly [Fault, ...Fault[]]) =>
  reply(
    faults.map((fault) => `\`${fault.code}\``).join(', '),
    Failure,
    Object.fromEntries(faults.map((fault) => [fault.code, failure(fault, 'req-1')])),
  );
