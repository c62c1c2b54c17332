import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { ApiError, modelNotReady, taskNotFound, taskNotReady, validationError } from '../../../base/api-error.ts';
import { unixSeconds } from '../../../base/time.ts';
import { describeErrors, describeResponse, success } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { parseIfMatch, versionTag } from '../../../http/if-match.ts';
import type { Done } from '../../../tasks/task.ts';
import type { GatewayContext } from '../../shared/service.ts';
import { TaskParams } from '../../shared/task-params.ts';
import { readDone } from '../../shared/task-routes.ts';
import { CorrectionRequest, Corrections } from '../api-schema.ts';
import { classesOf, isEqual, labelsOf, problemOf } from '../corrections/correction.ts';
import { type Correction, correct, MAX_CORRECTIONS, readCorrections } from '../corrections/store.ts';
import type { Attachment, Recorded } from '../result.ts';

const correctionForbidden = () =>
  new ApiError('FORBIDDEN', 403, 'Correcting a result needs a token with the role reviewer.');
const versionConflict = () => new ApiError('VERSION_CONFLICT', 412, 'The result has been corrected since you read it.');

type TaskRequest = FastifyRequest<{ Params: Static<typeof TaskParams> }>;

/** Reviewers confirm or correct the classes of a result. The result itself does not change. */
export function correctionRoutes(
  app: Gateway,
  deps: {
    context: Pick<GatewayContext, 'db' | 'tasks' | 'workerRegistry'>;
    isReviewer: (principal: string | undefined) => boolean;
    mayCorrect: (principal: string | undefined) => boolean;
    ownTasksOnly: boolean;
  },
): void {
  const { context, isReviewer, mayCorrect, ownTasksOnly } = deps;
  const { db, tasks, workerRegistry } = context;

  /** A reviewer reads the results of all clients; others who may correct do not. */
  const readTask = (request: TaskRequest): Promise<Done> =>
    readDone(request, {
      ...{ service: 'defectoscopy', tasks },
      ownTasksOnly: ownTasksOnly && !isReviewer(request.principal),
    });

  const send = (request: TaskRequest, reply: FastifyReply, history: readonly Correction[]) => {
    const body = success({
      version: history.length,
      may_correct: mayCorrect(request.principal),
      history: history.map(({ surface, master, defects, confirmed, actor, at }) => ({
        ...{ surface, master, defects, confirmed, corrected_by: actor, corrected_at: unixSeconds(at) },
      })),
    });
    reply.header('etag', versionTag(history.length, JSON.stringify(body)));
    return body;
  };
  const answer = describeResponse('The corrections.', Corrections, {}, { ETag: 'For `If-Match`.' });

  app.get<{ Params: Static<typeof TaskParams> }>(
    '/result/:task_id/correction',
    {
      config: { access: 'task', limited: true },
      schema: {
        summary: 'Corrections of a result',
        operationId: 'readCorrections',
        tags: ['tasks'],
        params: TaskParams,
        response: { 200: answer, 404: describeErrors(taskNotFound()), 409: describeErrors(taskNotReady()) },
      },
    },
    async (request, reply) => {
      const { id } = await readTask(request);
      return send(request, reply, await readCorrections(db, id));
    },
  );

  app.put<{ Params: Static<typeof TaskParams>; Body: Static<typeof CorrectionRequest> }>(
    '/result/:task_id/correction',
    {
      config: { access: 'task', limited: true },
      schema: {
        summary: 'Confirm or correct a result',
        description:
          'States the classes that a reviewer sees on the photo; the same as in the result confirms it. The latest correction is the current one, all are kept. The result does not change.',
        operationId: 'correctResult',
        tags: ['tasks'],
        params: TaskParams,
        body: CorrectionRequest,
        shown: { headers: { 'If-Match': 'The version of the corrections that this one replaces.' } },
        response: {
          200: answer,
          403: describeErrors(correctionForbidden()),
          404: describeErrors(taskNotFound()),
          409: describeErrors(taskNotReady()),
          412: describeErrors(versionConflict()),
          422: describeErrors(validationError('surface: unknown class.')),
          503: describeErrors(modelNotReady()),
        },
      },
    },
    async (request, reply) => {
      if (!mayCorrect(request.principal)) throw correctionForbidden();
      const task = await readTask(request);
      const recorded = JSON.parse(task.resultText) as Recorded;
      const version = recorded.model_version;
      const installed = workerRegistry.modelVersions('defectoscopy').find((each) => each.version === version);
      const classes = classesOf(installed?.details);
      if (classes === undefined) throw modelNotReady();
      const { surface, master, defects } = request.body;
      const labels = { surface, master, defects };
      const detected = labelsOf(recorded);
      const problem = problemOf(labels, detected, classes);
      if (problem !== undefined) throw validationError(problem);
      const attachment = (await tasks.readAttachment(task.id)) as unknown as Attachment | undefined;
      const corrected = await correct(db, {
        ...{ taskId: task.id, modelVersion: version, training: attachment?.training, labels },
        confirmed: isEqual(labels, detected),
        actor: request.principal ?? '',
        requestId: request.id,
        ifVersion: parseIfMatch(request.headers['if-match']),
      });
      if (corrected === 'missing') throw taskNotFound();
      if (corrected === 'conflict') throw versionConflict();
      if (corrected === 'full')
        throw validationError(`This result has ${MAX_CORRECTIONS} corrections, which is the limit.`);
      return send(request, reply, corrected);
    },
  );
}
