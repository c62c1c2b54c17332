import { type Static, type TSchema, Type } from 'typebox';
import { omitUndefined } from '../../base/omit-undefined.ts';
import { TIMELINE_TYPES, type Timeline } from '../../tasks/timeline.ts';

/** The entries of a timeline, with times in the format of the service. */
export const TimelineEntries = (moment: TSchema) =>
  Type.Array(
    Type.Object({
      type: Type.Enum([...TIMELINE_TYPES]),
      at: moment,
      offset_ms: Type.Integer({ description: 'Milliseconds since the task was accepted.' }),
      attempt: Type.Optional(
        Type.Integer({ description: 'At the task, or of a delivery. Repeated if the attempt did not count.' }),
      ),
      worker: Type.Optional(Type.String({ description: 'A random name, which ends with the process.' })),
      step: Type.Optional(Type.String({ description: 'What the worker did; names may change.' })),
      duration_ms: Type.Optional(Type.Integer()),
      count: Type.Optional(Type.Integer({ description: 'How often the step ran; absent for once.' })),
      reason: Type.Optional(Type.String({ description: 'The code of why the attempt is repeated.' })),
      delay_ms: Type.Optional(Type.Integer({ description: 'Minimum time until the next attempt.' })),
      status: Type.Optional(Type.Enum(['done', 'failed'])),
      error: Type.Optional(
        Type.String({ description: '`error_code` of a failed task, or as in `last_error` of a delivery.' }),
      ),
      response_status_code: Type.Optional(Type.Integer()),
    }),
    { description: 'Oldest first: the last 20 attempts at the task and the last 20 delivery attempts that ended.' },
  );

export const presentTimeline = (
  { entries }: Timeline,
  format: (at: Date) => string,
): Static<ReturnType<typeof TimelineEntries>> =>
  entries.map(({ at, durationMs, delayMs, responseStatusCode, type, ...entry }) =>
    omitUndefined({
      ...{ type, at: format(new Date(at * 1000)), offset_ms: Math.round((at - entries[0]!.at) * 1000), ...entry },
      ...{ duration_ms: durationMs, delay_ms: delayMs, response_status_code: responseStatusCode },
    }),
  );
