import { type Static, type TSchema, Type } from 'typebox';
import { STORABLE } from '../../../http/storable.ts';
import { ACTIONS, STATUSES } from '../reports/report.ts';

/** TypeBox once: these validate requests, type the code and make the OpenAPI description. Bodies here are bare. */

const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);
const text = (maxLength: number) => Type.String({ maxLength, pattern: STORABLE });
const Moment = Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' });

const ActionType = Type.Enum([...ACTIONS]);
const Status = Type.Enum([...STATUSES]);
const RecordId = Type.String({ minLength: 1, maxLength: 200, pattern: STORABLE });
const Description = text(4000);
const UserInfo = text(1000);

export const REPORT = {
  id: 'rep_01KASXQ3V5M8Y2N7B4C6D9F0GH',
  record_id: 'defectoscopy:01KASX0V5M8Y2N7B4C6D9F0GHJ',
  action_type: 'delete',
  description: 'The photo shows somebody’s face.',
  user_info: 'Survey team 4',
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
  resolver_note: 'Right; it is hidden now.',
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
    description: Type.Optional(Description),
    user_info: Type.Optional(UserInfo),
  },
  {
    examples: [
      {
        record_id: REPORT.record_id,
        action_type: REPORT.action_type,
        description: REPORT.description,
        user_info: REPORT.user_info,
      },
    ],
  },
);

/** The same of a form on the record's page, whose address names the record. */
export const ReportForm = Type.Object({
  action_type: ActionType,
  description: Type.Optional(Description),
  user_info: Type.Optional(UserInfo),
});

export const ReportPatch = Type.Object(
  {
    status: Type.Optional(Status),
    resolver_note: Type.Optional(
      Type.Union([text(4000), Type.Null()], {
        description: 'Null clears it, and so does a new status without one. Who opens a report again says why here.',
      }),
    ),
  },
  {
    description: 'At least one of the two.',
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
  resolver_note: nullable(Type.String({ description: 'What the moderator said last.' })),
  created_at: Moment,
  updated_at: Moment,
  resolved_at: nullable(Moment),
  version: Type.Integer({ description: 'Grows with each change; what `If-Match` takes.' }),
});

export const Created = Type.Intersect([
  Report,
  Type.Object({
    receipt: Type.String({
      description: 'Opens `GET /reports/{id}?receipt=…` without a token. It is returned only here.',
    }),
  }),
]);

export const Repeated = Type.Union([Report, Type.Object({ id: Type.String(), status: Status })]);

export const Event = Type.Object({
  serial: Type.Integer({ description: 'Without gaps, over all reports.' }),
  at: Moment,
  actor: Type.String({ description: 'A token’s short name, or a digest of an address.' }),
  action: Type.Enum(['created', 'changed', 'refused']),
  outcome: Type.Enum(['done', 'refused']),
  from: nullable(Type.String()),
  to: nullable(Type.String({ description: 'What was asked for, also where it was refused.' })),
  note: nullable(Type.String({ description: 'As it was sent; of the first event what the report is about.' })),
  content: Type.String({
    description: 'Of the report’s description, user_info and resolver_note as they stand after it: SHA-256, hex text.',
  }),
  request_id: nullable(Type.String()),
  prev_hash: Type.String({ description: 'The hash of the row before, of whichever report.' }),
  hash: Type.String({ description: 'SHA-256, hex text.' }),
});

export const ReportParams = Type.Object({ report_id: text(200) });
export const ReceiptQuery = Type.Object({
  receipt: Type.Optional(Type.String({ maxLength: 200, description: 'In place of a token, for whoever reported.' })),
});

export const RepetitionQuery = Type.Object({
  receipt: Type.Optional(Type.String({ maxLength: 200, description: 'Of the report that this repeats.' })),
});

const Filters = {
  action_type: Type.Optional(ActionType),
  record_id: Type.Optional(RecordId),
  q: Type.Optional(
    Type.String({ maxLength: 500, pattern: STORABLE, description: 'Words, each of which stands somewhere in it.' }),
  ),
  from: Type.Optional(Type.String({ description: 'A date, or a moment in ISO 8601: reported then or later.' })),
  to: Type.Optional(Type.String({ description: 'A date, whose day counts whole, or a moment: reported before it.' })),
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
  total: Type.Integer({ description: 'With the filters applied.' }),
  page: Type.Integer(),
  limit: Type.Integer(),
};
export const ReportList = Type.Object(page);
export const QueueAnswer = Type.Object({
  counts: Type.Object(Object.fromEntries(STATUSES.map((status) => [status, Type.Integer()])), {
    description: 'Of all reports, by status.',
  }),
  ...page,
});
export const EventList = Type.Object({ items: Type.Array(Event), total: Type.Integer() });

export type FilterWords = Omit<Static<typeof ListQuery>, 'page' | 'limit' | 'sort' | 'status'>;
