import { type TSchema, Type } from 'typebox';
import { EventOf, EventPageOf } from '../shared/event-schema.ts';
import { groupingFields, groupingFilter } from '../shared/grouping.ts';
import { TimelineEntries } from '../shared/timeline-schema.ts';
import { STATUSES } from './documents.ts';
import { REVIEW_CONFIDENCE, REVIEW_REASONS } from './review.ts';

/** These schemas validate requests, give the code its types and generate the OpenAPI description. */

export const Uuid = Type.String({ format: 'uuid' });

export const TaskParams = Type.Object({ task_id: Uuid });
export const PageParams = Type.Object({ task_id: Uuid, page: Type.Integer({ minimum: 1, maximum: 10_000 }) });
export const ImageParams = Type.Object({ image_id: Uuid });

export const Status = Type.Enum([...STATUSES]);

export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);
export const Moment = Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' });
const ErrorType = nullable(Type.String({ description: 'UPPER_SNAKE_CASE; null unless the task failed.' }));

export const TokenRequest = Type.Object({ api_key: Type.String() }, { examples: [{ api_key: 'your-api-key' }] });
export const TokenAnswer = Type.Object({
  token: Type.String({ description: 'A JWT for `Authorization: Bearer`.' }),
  expires_in: Type.Integer({ description: 'Seconds.' }),
});

export const TaskItem = Type.Object({
  id: Uuid,
  filename: Type.String({ description: 'The display name.' }),
  ...groupingFields,
  status: Status,
  cached: Type.Boolean({ description: 'Whether the result is cached: the same file was processed before.' }),
  created_at: nullable(Moment),
  error_type: ErrorType,
});
export const TaskList = Type.Object({
  items: Type.Array(TaskItem),
  total: Type.Integer({ description: 'Number of tasks that match the filter.' }),
  page: Type.Integer(),
  limit: Type.Integer(),
});
export const Event = EventOf('passports', Moment, {
  status: Type.Optional(Status),
  error_type: Type.Optional(ErrorType),
});
export const EventPage = EventPageOf(Event);
export const Snapshot = Type.Object({
  items: Type.Array(TaskItem),
  total: Type.Integer({ description: 'Number of tasks in the session; `items` has the latest.' }),
});
export const ListQuery = Type.Object({
  page: Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1 }),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  status: Type.Optional(Status),
  ...groupingFilter,
});

export const TaskStatus = Type.Object({
  status: Status,
  id: Uuid,
  error_type: ErrorType,
  updated_at: Moment,
  progress: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
});

const Value = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]);
const ResultField = Type.Object({
  value: Value,
  type: Type.String(),
  label: Type.String(),
  confidence: nullable(Type.Number({ minimum: 0, maximum: 1, description: 'Null if not measured.' })),
  source: nullable(Type.String({ description: '`text`, `ocr`, `model` or `manual`; null if no value was found.' })),
  original_value: Value,
  page: nullable(Type.Integer()),
  bbox: nullable(
    Type.Array(Type.Number(), {
      minItems: 4,
      maxItems: 4,
      description: 'Left, top, right, bottom as shares (0..1) of the page.',
    }),
  ),
  edited_at: nullable(Moment),
});
const open = { additionalProperties: true };
export const Result = Type.Object({
  id: Uuid,
  filename: Type.Optional(Type.String()),
  ...groupingFields,
  status: Status,
  cached: Type.Optional(Type.Boolean()),
  created_at: Type.Optional(nullable(Moment)),
  updated_at: Type.Optional(Moment),
  version: Type.Optional(Type.Integer({ description: 'Increases with each edit; use it as `If-Match` of an update.' })),
  error_type: Type.Optional(ErrorType),
  error: Type.Optional(nullable(Type.String())),
  schema: Type.Optional(Type.Object({ id: Type.String(), version: Type.String() })),
  data: Type.Optional(
    nullable(Type.Object({}, { ...open, description: 'Values by section and field; a table is a list of rows.' })),
  ),
  fields: Type.Optional(
    Type.Record(Type.String(), ResultField, { description: 'Keys as in the update form: `section:field`.' }),
  ),
  pages: Type.Optional(Type.Integer()),
  sheets: Type.Optional(
    Type.Array(
      Type.Object({
        page: Type.Integer(),
        width: Type.Number({ description: 'In points, as the PDF shows the page.' }),
        height: Type.Number(),
        turn: Type.Integer({ description: 'Clockwise rotation in degrees that makes the content upright.' }),
        reader: Type.String({ description: '`text`, or the OCR engine with its languages.' }),
        picture: nullable(Type.String({ description: 'URL path of the page image.' })),
      }),
    ),
  ),
  engine: Type.Optional(Type.Object({}, open)),
  review: Type.Optional(
    Type.Array(
      Type.Object({
        field: Type.String({ description: 'A key of `fields`.' }),
        reasons: Type.Array(Type.Enum([...REVIEW_REASONS]), {
          minItems: 1,
          description: `\`low_confidence\`: below ${REVIEW_CONFIDENCE} or not measured; \`failed_check\`: contradicts other values (see \`warnings\`); \`sources_disagree\`: two readings differ.`,
        }),
      }),
      {
        description:
          'Fields that a person should check, in schema order, without corrected ones. Empty after the document is confirmed.',
      },
    ),
  ),
  confirmed_at: Type.Optional(
    nullable(Type.String({ format: 'date-time', description: 'Null unless the current version is confirmed.' })),
  ),
  confirmed_by: Type.Optional(nullable(Type.String({ description: 'API key, or `session`.' }))),
  warnings: Type.Optional(
    Type.Array(
      Type.Object({
        code: Type.String(),
        message: Type.String(),
        fields: Type.Optional(Type.Array(Type.String())),
      }),
    ),
  ),
});

export const History = Type.Object({
  items: Type.Array(Type.Object({ at: Moment, actor: Type.String(), field: Type.String(), from: Value, to: Value })),
});

export const DocumentTimeline = Type.Object({ id: Uuid, status: Status, timeline: TimelineEntries(Moment) });

export const Updated = Type.Object({ status: Type.Literal('ok'), id: Uuid, version: Type.Optional(Type.Integer()) });

export const Confirmed = Type.Object({
  status: Type.Literal('ok'),
  id: Uuid,
  version: Type.Integer(),
  confirmed_at: Moment,
  confirmed_by: Type.String(),
});

const Rejected = Type.Array(
  Type.Object({
    filename: Type.String(),
    error: Type.Object({ code: Type.String(), message: Type.String() }),
  }),
);
export const Uploaded = Type.Object({ items: Type.Array(TaskItem), total: Type.Integer(), rejected: Rejected });

export const Image = Type.Object({
  image_id: Uuid,
  filename: Type.String(),
  width: Type.Integer({ description: 'After EXIF orientation and rotation.' }),
  height: Type.Integer(),
  size_bytes: Type.Integer(),
  content_type: Type.String(),
  rotation: Type.Integer({ description: '0, 90, 180 or 270 degrees clockwise.' }),
});
const imageLists = { images: Type.Array(Image), image_ids: Type.Array(Uuid) };
export const Images = Type.Object({
  ...imageLists,
  max_images_per_pdf: Type.Integer({ description: 'The limit of `POST /api/v1/create-pdf`.' }),
});
export const ImagesUploaded = Type.Object({ ...imageLists, rejected: Rejected });
export const Rotated = Type.Pick(Image, ['image_id', 'rotation', 'width', 'height']);
export const ImageRemoved = Type.Object({ status: Type.Literal('ok'), image_id: Uuid });

export const CreatePdf = Type.Object(
  { image_ids: Type.Array(Uuid, { maxItems: 1000, description: 'In page order.' }), ...groupingFields },
  { examples: [{ image_ids: ['01993f6e-2d8a-7c21-9b1e-4f6a7d0c5e12', '01993f6e-2e10-7a44-8c02-91d3b7e6fa35'] }] },
);
export const PdfCreated = Type.Object({ task_id: Uuid, status: Type.Enum(['PENDING', 'SUCCESS']) });

export const TemplateParams = Type.Object({ template_id: Uuid });
export const CorrectionParams = Type.Object({ template_id: Uuid, task_id: Uuid });
export const Template = Type.Object({
  id: Uuid,
  name: Type.String(),
  enabled: Type.Boolean({ description: 'Whether documents are read with the template.' }),
  created_at: Moment,
  changed_at: Moment,
  used_at: nullable(Type.String({ format: 'date-time', description: 'When a document was last read with it.' })),
  uses: Type.Integer({ description: 'Number of documents read with it.' }),
  corrections: Type.Array(
    Type.Object({
      task_id: Uuid,
      filename: nullable(Type.String({ description: 'Null if the document is deleted.' })),
      learned_at: Moment,
      fields: Type.Array(Type.String({ description: 'A field, or the section of a table.' })),
    }),
  ),
});
export const TemplateList = Type.Object({ items: Type.Array(Template), total: Type.Integer() });
export const TemplateChange = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    enabled: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false, minProperties: 1, examples: [{ name: 'Tver 1998' }] },
);
export const CorrectionRemoved = Type.Object({
  status: Type.Literal('ok'),
  template: nullable(Template),
});

export const Flag = Type.Enum(['true', '1', 'false', '0']);
export const isTrue = (flag: string | undefined) => flag === 'true' || flag === '1';

export const CleanupQuery = Type.Object({
  days: Type.Integer({ minimum: 1, maximum: 365, default: 30 }),
  dry_run: Type.Optional(Flag),
});
export const CleanedUp = Type.Object({
  status: Type.Literal('success'),
  deleted_tasks: Type.Integer(),
  deleted_files: Type.Integer(),
  dry_run: Type.Optional(Type.Boolean()),
});

export const ServiceStatus = Type.Object({
  status: Type.Literal('ok'),
  version: Type.String(),
  uptime_seconds: Type.Integer(),
});

export const DeepHealth = Type.Object({
  ok: Type.Boolean(),
  data: nullable(
    Type.Object({
      database: Type.String({ description: '`ok` if the database answers.' }),
      workers_online: Type.Integer({ description: '0: queued tasks are not processed.' }),
      version: Type.String(),
      llm_status: Type.Enum(['ok', 'error', 'unconfigured']),
      llm_provider: Type.String(),
      llm_error: nullable(Type.String()),
    }),
  ),
  error: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
});
