import { type TSchema, Type } from 'typebox';
import type { ApiError } from '../base/api-error.ts';

/** The body of successful responses of services A and B. */
export const success = <T>(data: T) => ({ ok: true as const, data });

/** The body of error responses. `request_id` identifies the log lines. */
export const failure = (
  fault: Pick<ApiError, 'code' | 'message'> & Partial<Pick<ApiError, 'details'>>,
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

export const Success = <T extends TSchema>(data: T) => Type.Object({ ok: Type.Literal(true), data });

export const Failure = Type.Object(
  {
    ok: Type.Literal(false),
    error: Type.Object({
      code: Type.String({ description: 'UPPER_SNAKE_CASE; stable.' }),
      message: Type.String({ description: 'For humans; the wording may change.' }),
      details: Type.Optional(Type.Object({}, { additionalProperties: true })),
      request_id: Type.Optional(Type.String()),
    }),
  },
  { description: 'An error.' },
);

/** Descriptions of response headers by name. */
export type HeaderNotes = Readonly<Record<string, string>>;

/** The headers for `schema.response`. */
export const headersOf = (notes: HeaderNotes) =>
  Object.fromEntries(Object.entries(notes).map(([name, description]) => [name, { type: 'string', description }]));

/** A response for `schema.response`: `{ 200: reply('The state.', Success(State)) }`. */
export const describeResponse = (
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

export const notModified = {
  description: 'The body is the one of `If-None-Match`.',
  type: 'null',
  headers: headersOf({ ETag: 'The tag of the body.' }),
};

/** How errors become responses. */
export interface ErrorFormat {
  status(fault: ApiError): number;
  body(fault: ApiError, requestId: string): object;
  /** The schema of `body`, for the OpenAPI description. */
  readonly schema: TSchema;
}

export const envelopeErrors: ErrorFormat = {
  status: ({ status }) => status,
  body: (fault, requestId) => ({ ...failure(fault, requestId), ...fault.extraFields }),
  schema: Failure,
};

/** A response for one or more errors that share a status, with their examples. */
export const describeErrors = (...faults: readonly [ApiError, ...ApiError[]]) =>
  describeErrorsIn(envelopeErrors, faults);

const describeErrorsIn = ({ body, schema }: ErrorFormat, faults: readonly ApiError[]) =>
  describeResponse(
    faults.map(({ code }) => `\`${code}\``).join(', '),
    schema,
    Object.fromEntries(faults.map((fault) => [fault.code, body(fault, 'req-1')])),
  );

/** The responses for errors, grouped by status: `{ 200: …, ...errorResponses(forbidden(), notFound()) }`. */
export const errorResponses = (...faults: readonly ApiError[]): ErrorResponses =>
  errorResponsesIn(envelopeErrors, faults);

/** The same in another format. */
export function errorResponsesIn(format: ErrorFormat, faults: readonly ApiError[]): ErrorResponses {
  const statuses = new Set(faults.map(format.status));
  const ofStatus = (status: number) => faults.filter((fault) => format.status(fault) === status);
  return Object.fromEntries([...statuses].map((status) => [status, describeErrorsIn(format, ofStatus(status))]));
}

type ErrorResponses = {
  [status in 400 | 401 | 403 | 404 | 409 | 412 | 413 | 414 | 415 | 422 | 429 | 500 | 503 | 504]?: ReturnType<
    typeof describeErrors
  >;
};
