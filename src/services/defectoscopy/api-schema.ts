import { Type } from 'typebox';
import { Success } from '../../http/envelope.ts';
import { EventPageOf } from '../shared/event-schema.ts';
import { fileNameField } from '../shared/file-names.ts';
import { groupingFields } from '../shared/grouping.ts';
import { TaskEventOf } from '../shared/task-events.ts';
import { AcceptedTask, TaskStateOf, UnixSeconds, Url, WebhookState } from '../shared/task-schema.ts';

export const PredictRequest = Type.Object(
  {
    image_url: Url('https URL of the image on an allowed storage host.'),
    priority: Type.Optional(
      Type.Union([Type.Literal('realtime'), Type.Literal('batch')], {
        default: 'realtime',
        description: 'batch tasks run after realtime tasks and wait longer before a cold worker is started.',
      }),
    ),
    webhook_url: Type.Optional(
      Url('Called when the final result is stored. https; http only for localhost, 127.0.0.1 and [::1].'),
    ),
    model_version: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'An installed model version other than the default.' }),
    ),
    inspect: Type.Optional(
      Type.Union([Type.Literal('auto'), Type.Literal('whole'), Type.Literal('overview')], {
        default: 'auto',
        description:
          'whole: also analyses the photo in tiles, returns `regions` and adds their defects to `defects`. auto: returns `regions` of large photos without a defect in overview, or unlike the training photos; the rest of the result is that of the overview. overview: never analyses tiles.',
      }),
    ),
    ...fileNameField,
    ...groupingFields,
  },
  {
    examples: [{ image_url: 'https://storage.example.com/photos/wall-17.jpg', priority: 'realtime' }],
  },
);

export const Accepted = AcceptedTask({});

const Scored = Type.Object({ name: Type.String(), conf: Type.Number({ minimum: 0, maximum: 1 }) });

/** Worker results are validated against it. */
export const Classification = Type.Object({
  surface: Type.String(),
  masters: Type.Array(Scored, { description: 'All groups with their confidences, which sum to 1.' }),
  defects: Type.Array(Scored, {
    description:
      "Classes that reach the model's threshold, and with `inspect` = `whole` those of `regions`; empty if no defects were found.",
  }),
  familiarity: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        'Share of photos like the training photos that resemble them less than this one does. Absent if the model version has no statistics.',
    }),
  ),
  warnings: Type.Optional(
    Type.Array(Type.Literal('UNFAMILIAR_IMAGE'), {
      description:
        'UNFAMILIAR_IMAGE: the photo differs from the training photos (familiarity below 0.01) or is smaller than 32 pixels in one direction, and the classes may be meaningless.',
    }),
  ),
  regions: Type.Optional(
    Type.Array(
      Type.Object({
        box: Type.Array(Type.Number({ minimum: 0, maximum: 1 }), {
          ...{ minItems: 4, maxItems: 4 },
          description: '`[x0, y0, x1, y1]` of the upright photo, origin top left.',
        }),
        defect: Type.String(),
        confidence: Type.Number({ minimum: 0, maximum: 1, description: 'Independent of the other regions.' }),
      }),
      { description: 'Defects in the tiles of the photo, most confident first. Absent without an analysis of tiles.' },
    ),
  ),
});

export const Webhook = WebhookState({
  state: Type.String({ description: 'pending, delivered or failed.' }),
  attempts: Type.Integer(),
  response_status_code: Type.Optional(Type.Integer()),
});

export const TaskState = TaskStateOf(
  {
    message: Type.Optional(Type.String({ description: 'Human-readable status of an unfinished task.' })),
    result: Type.Optional(Classification),
    processing_time_ms: Type.Optional(Type.Integer()),
    completed_at: Type.Optional(UnixSeconds),
    model_version: Type.Optional(Type.String()),
  },
  { webhook: Type.Optional(Webhook) },
);

export const Health = Success(
  Type.Object({
    model_loaded: Type.Boolean(),
    worker_id: Type.String(),
    model_version: Type.String(),
    gpu: Type.Object({ name: Type.String(), vram_used_mb: Type.Integer(), vram_total_mb: Type.Integer() }),
  }),
);

export const Names = Success(Type.Array(Type.String()));

const Figures = Type.Object({
  split: Type.String({ description: 'The measured images: test, val or train.' }),
  images: Type.Integer(),
  accuracy: Type.Number({ minimum: 0, maximum: 1 }),
  calibration_error: Type.Number({ minimum: 0, maximum: 1 }),
});

/** Advertised by workers as the details of a version. */
export const ModelDetails = Type.Object({
  created: Type.Optional(Type.String({ description: 'Date.' })),
  kind: Type.Enum(['classes', 'anomaly'], {
    description: '`anomaly`: reports deviations from photos without defects, not classes.',
  }),
  familiarity: Type.Boolean({ description: 'Whether results have `familiarity`.' }),
  surfaces: Type.Array(Type.String()),
  masters: Type.Record(Type.String(), Type.Array(Type.String()), { description: 'The defects of each group.' }),
  sound: Type.String({ description: 'The group without defects.' }),
  figures: Type.Object(
    { surface: Type.Optional(Figures), masters: Type.Optional(Figures), defects: Type.Optional(Figures) },
    { description: 'Figures of the model card. A head that was not trained with this version has none.' },
  ),
});

export const Heatmap = Success(
  Type.Object({
    name: Type.String(),
    width: Type.Integer(),
    height: Type.Integer(),
    values: Type.Array(Type.Number({ minimum: 0, maximum: 1 }), {
      description: 'Row by row over the upright image, width × height values.',
    }),
  }),
);

const ClassName = Type.String({ minLength: 1, maxLength: 100 });
const labels = {
  surface: ClassName,
  master: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'The group of the first defect, or the group without defects.',
  }),
  defects: Type.Array(ClassName, { maxItems: 20, description: 'The main one first; empty if the photo shows none.' }),
};
export const CorrectionRequest = Type.Object(labels, {
  examples: [{ surface: 'concrete_wall', master: 'cracking', defects: ['crack'] }],
});

export const Corrections = Success(
  Type.Object({
    version: Type.Integer({ description: 'Number of corrections; 0: none.' }),
    may_correct: Type.Boolean({ description: 'Whether the token may correct results.' }),
    history: Type.Array(
      Type.Object({
        ...labels,
        confirmed: Type.Boolean({ description: 'The classes are those of the result.' }),
        corrected_by: Type.String(),
        corrected_at: UnixSeconds,
      }),
      { description: 'Oldest first. The last one is current.' },
    ),
  }),
);

export const Event = TaskEventOf('defectoscopy');
export const EventPage = Success(EventPageOf(Event));
