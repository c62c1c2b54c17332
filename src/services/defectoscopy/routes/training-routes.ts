import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { ApiError, queueUnavailable, validationError } from '../../../base/api-error.ts';
import { unixSeconds } from '../../../base/time.ts';
import { describeResponse, errorResponses, success } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import type { GatewayContext } from '../../shared/service.ts';
import { MIN_HELD_BACK, MIN_TRAINING } from '../corrections/minimum.ts';
import { countPhotosWithFeatures } from '../corrections/store.ts';
import { TrainingRequest, Trainings } from '../deployment-schema.ts';
import { readLastTraining, readTrainedVersions, requestTraining, type Training } from '../deployments/trainings.ts';

const MIN_PHOTOS = MIN_TRAINING + MIN_HELD_BACK;

const trainingForbidden = () => new ApiError('FORBIDDEN', 403, 'Training needs a token with the role reviewer.');
const trainingRunning = () => new ApiError('TRAINING_RUNNING', 409, 'Another training has not ended yet.');
const versionExists = (version: string) =>
  new ApiError('VERSION_EXISTS', 409, `Version ${version} already exists. Choose another name.`);
const tooFewCorrections = (photos: number) =>
  new ApiError(
    'TOO_FEW_CORRECTIONS',
    409,
    `Only ${photos} photos are corrected or confirmed. At least ${MIN_PHOTOS} are needed: ${MIN_TRAINING} for training and ${MIN_HELD_BACK} that are held back to compare the versions, about a quarter.`,
  );

/** Training of versions on corrections. A worker computes it. */
export function trainingRoutes(
  app: Gateway,
  deps: {
    context: Pick<GatewayContext, 'db' | 'workerRegistry'>;
    mayTrain: (principal: string | undefined) => boolean;
  },
): void {
  const { context, mayTrain } = deps;
  const { db, workerRegistry } = context;

  const send = async ({ principal }: FastifyRequest) => {
    const [photos, last] = await Promise.all([countPhotosWithFeatures(db), readLastTraining(db)]);
    const isAllowed = mayTrain(principal);
    return success({
      ...{ may_train: isAllowed, corrected_photos: photos, minimum_photos: MIN_PHOTOS },
      ...(last && { training: present(last, isAllowed) }),
    });
  };

  const config = { access: 'bearer', limited: true } as const;
  const answer = describeResponse('The last training.', Trainings);

  app.get(
    '/models/training',
    {
      config,
      schema: {
        summary: 'The last training',
        description: 'Its progress, then the figures of the new version beside those of the shipped one.',
        operationId: 'readTraining',
        tags: ['model'],
        response: { 200: answer, ...errorResponses(queueUnavailable()) },
      },
    },
    send,
  );

  app.post<{ Body: Static<typeof TrainingRequest> }>(
    '/models/train',
    {
      config,
      schema: {
        summary: 'Train a version on the corrections',
        description:
          'A worker trains the version within seconds, and every worker installs it. The default version does not change. One training at a time.',
        operationId: 'trainModel',
        tags: ['model'],
        body: TrainingRequest,
        response: {
          202: answer,
          ...errorResponses(
            ...[trainingForbidden(), trainingRunning(), versionExists('corrected-1'), tooFewCorrections(12)],
            ...[validationError('version: is invalid.'), queueUnavailable()],
          ),
        },
      },
    },
    async (request, reply) => {
      if (!mayTrain(request.principal)) throw trainingForbidden();
      const photos = await countPhotosWithFeatures(db);
      if (photos < MIN_PHOTOS) throw tooFewCorrections(photos);
      const installed = workerRegistry.modelVersions('defectoscopy').map(({ version }) => version);
      const taken = new Set([...installed, ...(await readTrainedVersions(db)).keys()]);
      const version = request.body.version ?? nextVersion(taken, new Date());
      if (taken.has(version)) throw versionExists(version);
      if (!(await requestTraining(db, version, request.principal))) throw trainingRunning();
      reply.code(202);
      return send(request);
    },
  );
}

function nextVersion(taken: ReadonlySet<string>, now: Date): string {
  const date = now.toISOString().slice(0, 10);
  for (let number = 1; ; number++) if (!taken.has(`${date}.${number}`)) return `${date}.${number}`;
}

function present(training: Training, showsActor: boolean) {
  const { version, isStarted, progress, actor, requestedAt, endedAt, failure, report } = training;
  const state = failure ? 'failed' : report ? 'completed' : isStarted ? 'in_progress' : 'queued';
  return {
    ...{ version, state, progress, requested_at: unixSeconds(requestedAt) },
    ...(showsActor && { actor }),
    ...(endedAt && { ended_at: unixSeconds(endedAt) }),
    ...(failure && { failure }),
    ...(report && { report }),
  };
}
