import { type Static, Type } from 'typebox';
import { STORABLE_TEXT } from '../../../http/text-patterns.ts';
import { nullable } from '../api-schema.ts';
import { ACTIONS, STATUSES } from '../reports/report.ts';

const text = (maxLength: number) => Type.String({ maxLength, pattern: STORABLE_TEXT });
const Moment = Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' });

const ActionType = Type.Enum([...ACTIONS]);
const Status = Type.Enum([...STATUSES]);
const RecordId = Type.String({ minLength: 1, maxLength: 200, pattern: STORABLE_TEXT });

const NEW_REPORT = {
  record_id: 'defectoscopy:01KASX0V5M8Y2N7B4C6D9F0GHJ',
  action_type: 'delete',
  description: 'The photo shows a face.',
  user_info: 'Survey team 4',
} as const;

export const REPORT = {
  id: 'rep_01KASXQ3V5M8Y2N7B4C6D9F0GH',
  ...NEW_REPORT,
  status: 'open',
  resolver_note: null,
  created_at: '2026-11-20T10:00:00.000Z',
  updated_at: '2026-11-20T10:00:00.000Z',
  resolved_at: null,
  version: 1,
} as const;

export const ACCEPTED = {
  ...REPORT,
  status: 'accepted',
  resolver_note: 'Confirmed; the record is hidden.',
  updated_at: '2026-11-20T10:05:00.000Z',
  resolved_at: '2026-11-20T10:05:00.000Z',
  version: 2,
} as const;

export const EVENT = {
  serial: 1,
  at: '2026-11-20T10:00:00.000Z',
  actor: 'token-9f86d081884c',
  action: 'created',
  outcome: 'done',
  from: null,
  to: 'open',
  note: 'delete defectoscopy:01KASX0V5M8Y2N7B4C6D9F0GHJ',
  content: '8f1d3c0b5a7e92466cf0e1d2b3a495867788990a1b2c3d4e5f60718293a4b5c6',
  request_id: '01KASXQ3V5M8Y2N7B4C6D9F0GJ',
  prev_hash: '0'.repeat(64),
  hash: '4d1f6bb2ef5e9a7c30f5a63ff3c1f7f3a4bb0b8f2b6f0c4f0b3b9a3f8c5f9b1e',
} as const;

export const NewReport = Type.Object(
  {
    record_id: RecordId,
    action_type: ActionType,
    description: Type.Optional(text(4000)),
    user_info: Type.Optional(text(1000)),
  },
  { examples: [NEW_REPORT] },
);

export const ReportForm = Type.Omit(NewReport, ['record_id']);
export const DecisionForm = Type.Object({ status: Status, note: Type.Optional(text(4000)) });

export const ReportPatch = Type.Object(
  {
    status: Type.Optional(Status),
    resolver_note: Type.Optional(
      Type.Union([text(4000), Type.Null()], {
        description: 'Null clears the note, as does a new status without a note. Required to reopen a report.',
      }),
    ),
  },
  {
    description: 'At least one of the fields.',
    examples: [{ status: 'accepted', resolver_note: ACCEPTED.resolver_note }],
  },
);

export const Report = Type.Object({
  id: Type.String(),
  record_id: Type.String(),
  action_type: ActionType,
  description: nullable(Type.String()),
  user_info: nullable(Type.String()),
  status: Status,
  resolver_note: nullable(Type.String({ description: 'The note of the last decision.' })),
  created_at: Moment,
  updated_at: Moment,
  resolved_at: nullable(Moment),
  version: Type.Integer({ description: 'Increments with each change; for `If-Match`.' }),
});

export const Created = Type.Intersect([
  Report,
  Type.Object({
    receipt: Type.String({
      description: 'Gives access to `GET /reports/{id}?receipt=…` without a token. Returned only once.',
    }),
  }),
]);

export const Repeated = Type.Union([Report, Type.Object({ id: Type.String(), status: Status })]);

export const Event = Type.Object({
  serial: Type.Integer({ description: 'Consecutive over all reports.' }),
  at: Moment,
  actor: Type.String({ description: 'The principal of a token, or a digest of an address.' }),
  action: Type.Enum(['created', 'changed', 'refused']),
  outcome: Type.Enum(['done', 'refused']),
  from: nullable(Type.String()),
  to: nullable(Type.String({ description: 'The requested status, also of a rejected change.' })),
  note: nullable(Type.String({ description: 'The note as sent; in the first event the action and record.' })),
  content: Type.String({
    description: 'SHA-256 of the report’s description, user_info and resolver_note after the event, as hex text.',
  }),
  request_id: nullable(Type.String()),
  prev_hash: Type.String({ description: 'The hash of the previous event of all reports.' }),
  hash: Type.String({ description: 'SHA-256 as hex text.' }),
});

export const ReportParams = Type.Object({ report_id: text(200) });
const receiptQuery = (description: string) =>
  Type.Object({ receipt: Type.Optional(Type.String({ maxLength: 200, description })) });
export const ReceiptQuery = receiptQuery('The receipt, instead of a token.');
export const RepetitionQuery = receiptQuery('The receipt of the report that this request repeats.');

const Filters = {
  action_type: Type.Optional(ActionType),
  record_id: Type.Optional(RecordId),
  q: Type.Optional(
    Type.String({ maxLength: 500, pattern: STORABLE_TEXT, description: 'Words that must all occur in the report.' }),
  ),
  from: Type.Optional(Type.String({ description: 'ISO 8601 date or time: created then or later.' })),
  to: Type.Optional(Type.String({ description: 'ISO 8601 date (inclusive) or time (exclusive): created before it.' })),
};
const Paging = {
  page: Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1 }),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
};

export const ListQuery = Type.Object({
  status: Type.Optional(Status),
  ...Filters,
  ...Paging,
  sort: Type.Enum(['newest', 'oldest'], { default: 'newest' }),
});

export const QueueQuery = Type.Object({
  status: Type.Enum([...STATUSES, 'all'], { default: 'open' }),
  ...Filters,
  ...Paging,
});

const page = {
  items: Type.Array(Report),
  total: Type.Integer({ description: 'Number of matching reports.' }),
  page: Type.Integer(),
  limit: Type.Integer(),
};
export const ReportList = Type.Object(page);
export const QueueAnswer = Type.Object({
  counts: Type.Object(Object.fromEntries(STATUSES.map((status) => [status, Type.Integer()])), {
    description: 'Number of all reports by status.',
  }),
  ...page,
});
export const EventList = Type.Object({ items: Type.Array(Event), total: Type.Integer() });

export type FilterParameters = Omit<Static<typeof ListQuery>, 'page' | 'limit' | 'sort'>;
