import { type Static, Type } from 'typebox';
import { Success } from '../../http/envelope.ts';
import { UnixSeconds } from '../shared/task-schema.ts';
import { ModelDetails } from './api-schema.ts';
import { MAX_REPORT_DAYS } from './deployments/shadow-report.ts';

const Version = Type.String({ minLength: 1, maxLength: 100 });

export const VersionRequest = Type.Object(
  { version: Type.String({ minLength: 1, maxLength: 100, description: 'To promote, or the default to roll back.' }) },
  { examples: [{ version: '1.0.0' }] },
);

export const ShadowRequest = Type.Object(
  { version: Type.Union([Version, Type.Null()], { description: 'null ends the comparison.' }) },
  { examples: [{ version: '1.0.0' }] },
);

export const Models = Success(
  Type.Object({
    default: Type.Optional(
      Type.String({ description: 'The version of requests without `model_version`. Absent while it is unknown.' }),
    ),
    shadow: Type.Optional(Type.String({ description: 'The version that classifies the same photos for comparison.' })),
    pinned: Type.Boolean({ description: 'Whether DEFECTOSCOPY_MODEL_VERSION sets the default.' }),
    may_deploy: Type.Boolean({ description: 'Whether the token may change the default and the shadow version.' }),
    rolls_back_to: Type.Optional(Type.String({ description: 'The default after a rollback.' })),
    problems: Type.Array(
      Type.Object({
        version: Type.String(),
        worker: Type.String(),
        problem: Type.Enum(['not_installed', 'not_loadable']),
      }),
      { description: 'Deployed versions that a worker cannot use. It answers with its previous default.' },
    ),
    models: Type.Array(
      Type.Object({
        version: Type.String(),
        details: Type.Optional(ModelDetails),
      }),
    ),
    history: Type.Array(
      Type.Object({
        action: Type.Enum(['promote', 'rollback', 'shadow']),
        default: Type.Optional(Type.String({ description: 'Absent: the newest shipped version.' })),
        shadow: Type.Optional(Type.String()),
        actor: Type.Optional(Type.String({ description: 'Only for reviewers.' })),
        at: UnixSeconds,
      }),
      { description: 'The last deployments with the versions after them, newest first.' },
    ),
  }),
);

export const ShadowQuery = Type.Object({
  days: Type.Integer({ minimum: 1, maximum: MAX_REPORT_DAYS, default: 7, description: 'Days, including today (UTC).' }),
});

const labels = {
  default: Type.String({ description: 'The main defect by the default version; empty for none.' }),
  shadow: Type.String({ description: 'The main defect by the shadow version; empty for none.' }),
};

export const ShadowPage = Success(
  Type.Object({
    days: Type.Integer(),
    comparisons: Type.Array(
      Type.Object({
        shadow: Type.String(),
        default: Type.String(),
        photos: Type.Integer({ description: 'Photos that both versions classified.' }),
        agreeing: Type.Integer({ description: 'Photos with the same main defect.' }),
        pairs: Type.Array(Type.Object({ ...labels, photos: Type.Integer() }), { description: 'Most frequent first.' }),
      }),
      { description: 'By shadow and default version.' },
    ),
    differing: Type.Array(
      Type.Object({
        task_id: Type.String(),
        shadow_version: Type.String(),
        default_version: Type.String(),
        ...labels,
        at: UnixSeconds,
      }),
      { description: 'The last photos on which the versions differ, newest first, of tasks that the token may read.' },
    ),
  }),
);

export const TrainingRequest = Type.Object(
  {
    version: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
        examples: ['corrected-1'],
        description: 'Name of the new version. Default: the date and a number.',
      }),
    ),
  },
  { examples: [{ version: 'corrected-1' }] },
);

const Change = Type.Object(
  { before: Type.Optional(Type.Number()), after: Type.Optional(Type.Number()) },
  { description: 'Of the shipped version and of the new one, 0 to 1; absent without photos.' },
);

const comparison = (description: string) =>
  Type.Object(
    {
      photos: Type.Integer(),
      accuracy: Change,
      classes: Type.Array(
        Type.Object({ name: Type.String(), photos: Type.Integer(), recall: Change, precision: Change }),
      ),
    },
    { description },
  );

const TrainingReport = Type.Object({
  base: Type.String({ description: 'The shipped version that was changed.' }),
  photos: Type.Object({ training: Type.Integer(), held_back: Type.Integer() }),
  heads: Type.Array(
    Type.Object({
      head: Type.String(),
      held_back: comparison('On corrections that were not used for training.'),
      test: comparison('On the test photos of the shipped version.'),
    }),
  ),
});
/** Compares the shipped version with one that was trained on corrections; stored and sent as it is. */
export type TrainingReport = Static<typeof TrainingReport>;

export const Trainings = Success(
  Type.Object({
    may_train: Type.Boolean({ description: 'Whether the token may train versions.' }),
    corrected_photos: Type.Integer({ description: 'Corrected and confirmed photos with stored features.' }),
    minimum_photos: Type.Integer({ description: 'Fewer corrected photos cannot train a version.' }),
    training: Type.Optional(
      Type.Object(
        {
          version: Type.String(),
          state: Type.Enum(['queued', 'in_progress', 'completed', 'failed']),
          progress: Type.Number({ description: '0 to 1' }),
          actor: Type.Optional(Type.String({ description: 'Only for reviewers.' })),
          requested_at: UnixSeconds,
          ended_at: Type.Optional(UnixSeconds),
          failure: Type.Optional(
            Type.Object({
              code: Type.Enum([
                ...['TOO_FEW_CORRECTIONS', 'ONE_CLASS', 'VERSION_EXISTS'],
                ...['NO_WORKER', 'WORKER_LOST', 'TRAINING_FAILED'],
              ]),
              message: Type.String(),
            }),
          ),
          report: Type.Optional(TrainingReport),
        },
        { description: 'The last training.' },
      ),
    ),
  }),
);
