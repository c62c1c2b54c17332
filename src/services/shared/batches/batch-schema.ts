import { Type } from 'typebox';
import { Success } from '../../../http/envelope.ts';
import { STORABLE_TEXT, WITHOUT_NUL } from '../../../http/text-patterns.ts';
import { ITEM_STATES } from '../../../tasks/batch-store.ts';
import { DELIVERY_EXAMPLE } from '../delivery-schema.ts';
import { groupingFields, groupingFilter, groupingQuery } from '../grouping.ts';
import { UnixSeconds, WebhookState } from '../task-schema.ts';

const Count = Type.Integer({ minimum: 0 });
const ItemState = Type.Enum(['queued', 'processing', 'done', 'failed', 'deleted']);

export const BatchParams = Type.Object({
  batch_id: Type.String({ description: 'The `batch_id` of the 202 response.' }),
});

export const BatchQuery = Type.Object({
  ...groupingQuery,
  name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: STORABLE_TEXT,
      description:
        'The name of the batch, such as that of its file. Default: the folder of all files, or else the first file.',
    }),
  ),
  skip_invalid: Type.Boolean({
    default: false,
    description: 'Leaves out invalid items, which the response lists, instead of refusing the request.',
  }),
  webhook_url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'Called once, when the last item has ended. https; http only for localhost, 127.0.0.1 and [::1].',
    }),
  ),
});

const LeftOutItem = Type.Object({
  line: Type.Optional(Type.Integer()),
  name: Type.Optional(Type.String()),
  code: Type.Optional(Type.String({ description: 'Of a file.' })),
  message: Type.String(),
});

export const AcceptedBatch = Success(
  Type.Object({
    batch_id: Type.String(),
    status: Type.Literal('in_progress'),
    status_url: Type.String({ description: 'Relative to the base URL.' }),
    total: Count,
    left_out: Type.Optional(
      Type.Object(
        { count: Count, items: Type.Array(LeftOutItem, { description: 'The first 20.' }) },
        { description: 'The invalid items, with `skip_invalid`.' },
      ),
    ),
    ignored: Type.Optional(
      Type.Integer({ description: 'Hidden files and files of operating systems in the archive, which are no items.' }),
    ),
    estimated_wait_seconds: Type.Integer({ description: 'Until the last item ends; not a guarantee.' }),
  }),
);

const Counts = Type.Object({ queued: Count, processing: Count, done: Count, failed: Count, cancelled: Count });

const ItemName = Type.Optional(Type.String({ description: 'The path of the file in the archive.' }));

const FailedItem = Type.Object({
  position: Type.Integer({ minimum: 1, description: 'From 1, in the order of the request.' }),
  task_id: Type.String(),
  name: ItemName,
  error: Type.String(),
  error_code: Type.String(),
});

/** Of the event `batch.completed`. */
export const endedBatch = {
  batch_id: Type.String(),
  status: Type.Enum(['in_progress', 'completed'], { description: 'completed: every item has ended.' }),
  total: Count,
  name: Type.Optional(
    Type.String({ description: 'As in the request, or else the folder that contains all files, or the first file.' }),
  ),
  ...groupingFields,
  counts: Counts,
  errors: Type.Array(FailedItem, { description: 'The first ten failed items.' }),
  error_codes: Type.Optional(Type.Array(Type.String(), { description: 'Of all failed items, without duplicates.' })),
  created_at: UnixSeconds,
  completed_at: Type.Optional(UnixSeconds),
};

const batch = {
  ...endedBatch,
  estimated_wait_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'From now until the last item ends, while the batch is in progress; not a guarantee.',
    }),
  ),
  webhook: Type.Optional(
    WebhookState({ state: Type.Enum(['pending', 'delivered', 'failed']), attempts: Type.Integer() }),
  ),
};

export const Batch = Success(Type.Object(batch));

export const BatchesQuery = Type.Object({
  ...groupingFilter,
  before: Type.Optional(
    Type.String({ maxLength: 64, pattern: WITHOUT_NUL, description: '`next` of the previous page.' }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 20, default: 20 }),
});

export const BatchList = Success(
  Type.Object({
    batches: Type.Array(Type.Object(batch), { description: 'Newest first.' }),
    next: Type.Optional(Type.String({ description: '`before` of the next page; absent on the last one.' })),
  }),
);

/** The service reads a whole result for each summary. */
export const MAX_SUMMARIES = 100;

export const ItemsQuery = Type.Object({
  status: Type.Optional(
    Type.Enum([...ITEM_STATES], {
      description: 'Only these items, as counted by the batch: `failed` without cancelled ones.',
    }),
  ),
  after: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, default: 0, description: 'Only items after this position.' }),
  limit: Type.Integer({ minimum: 1, maximum: 1000, default: 100 }),
  summary: Type.Boolean({
    default: false,
    description: `Adds the \`summary\` of each result; \`limit\` is then at most ${MAX_SUMMARIES}.`,
  }),
});

export const ItemList = Success(
  Type.Object({
    items: Type.Array(
      Type.Object({
        position: Type.Integer({ minimum: 1 }),
        task_id: Type.String(),
        name: ItemName,
        status: ItemState,
        ...groupingFields,
        error: Type.Optional(Type.String()),
        error_code: Type.Optional(Type.String()),
        summary: Type.Optional(
          Type.String({ description: 'The result in short, for people, in the language of `Accept-Language`.' }),
        ),
      }),
    ),
    next: Type.Optional(Type.Integer({ description: '`after` of the next page; absent on the last one.' })),
  }),
);

export const ResultsQuery = Type.Object({
  format: Type.Enum(['jsonl', 'csv', 'xlsx', 'zip'], { default: 'jsonl' }),
});

export const Cancelled = Success(Type.Object({ batch_id: Type.String(), cancelled: Count }));
export const Retried = Success(Type.Object({ batch_id: Type.String(), retried: Count }));

const ID = '01KAF3M9WZ7Y5T2Q8C4N6B1D0E';
const TASK = '01KAF3M9X0S1V6K8R3J5H7G9F2';

export const acceptedExample = {
  batch_id: ID,
  status: 'in_progress',
  status_url: `/batches/${ID}`,
  total: 10_000,
  estimated_wait_seconds: 900,
};

/** For the API reference. */
export const batchExample = {
  batch_id: ID,
  status: 'completed',
  total: 10_000,
  counts: { queued: 0, processing: 0, done: 9_999, failed: 1, cancelled: 0 },
  errors: [{ position: 37, task_id: TASK, error: 'The file is not a readable image.', error_code: 'IMAGE_CORRUPT' }],
  error_codes: ['IMAGE_CORRUPT'],
  created_at: '1767225600',
  completed_at: '1767226500',
};

export const deliveredExample = {
  ...batchExample,
  webhook: { configured: true, state: 'pending', attempts: 0, delivery_id: DELIVERY_EXAMPLE },
};

export const itemExample = { position: 1, task_id: TASK, status: 'done' };
