import { type Static, Type } from 'typebox';
import { modelNotReady, taskNotFound, taskNotReady, validationError } from '../../../base/api-error.ts';
import { describeErrors, describeResponse, notModified, success } from '../../../http/envelope.ts';
import { matchesETag, weakETag } from '../../../http/etag.ts';
import type { Gateway } from '../../../http/gateway.ts';
import type { TaskStore } from '../../../tasks/store.ts';
import type { WorkerRegistry } from '../../../tasks/worker-registry.ts';
import { healthRoute, requireWarmWorker } from '../../shared/health-route.ts';
import { TaskParams } from '../../shared/task-params.ts';
import { readDone } from '../../shared/task-routes.ts';
import { Health, Heatmap, Names } from '../api-schema.ts';
import type { Attachment, WorkerInfo } from '../result.ts';

const HeatmapQuery = Type.Object({ class: Type.String({ minLength: 1, maxLength: 100 }) });

export function modelRoutes(
  app: Gateway,
  deps: {
    tasks: TaskStore;
    workerRegistry: WorkerRegistry;
    ownTasksOnly: boolean;
  },
): void {
  const { tasks, workerRegistry, ownTasksOnly } = deps;
  healthRoute(app, {
    ...{ service: 'defectoscopy', workerRegistry, tag: 'model', schema: Health },
    fields: ['model_version', 'gpu'] satisfies (keyof WorkerInfo)[],
  });

  for (const kind of ['defects', 'surfaces'] as const) {
    app.get(
      `/classes/${kind}`,
      {
        config: { access: 'bearer' },
        schema: {
          summary: kind === 'defects' ? 'Defect class names' : 'Allowed surface names',
          operationId: kind === 'defects' ? 'listDefects' : 'listSurfaces',
          tags: ['model'],
          shown: { headers: { 'If-None-Match': 'The `ETag` of your copy; returns 304 if it is current.' } },
          response: {
            200: describeResponse('The names, in a stable order.', Names, {}, { ETag: 'The entity tag of the body.' }),
            304: notModified,
            503: describeErrors(modelNotReady()),
          },
        },
      },
      (request, reply) => {
        const { info } = requireWarmWorker(workerRegistry, 'defectoscopy');
        const body = JSON.stringify(success((info as unknown as WorkerInfo).classes[kind]));
        const etag = weakETag(body);
        reply.header('etag', etag);
        if (matchesETag(request.headers['if-none-match'], etag)) return reply.code(304).send();
        return reply.type('application/json; charset=utf-8').send(body);
      },
    );
  }

  app.get<{ Params: Static<typeof TaskParams>; Querystring: Static<typeof HeatmapQuery> }>(
    '/result/:task_id/heatmap',
    {
      config: { access: 'task', limited: true },
      schema: {
        summary: 'Heatmap of a class',
        description: 'The class activation map of the upright image.',
        operationId: 'readHeatmap',
        tags: ['tasks'],
        params: TaskParams,
        querystring: HeatmapQuery,
        response: {
          200: describeResponse('The heatmap.', Heatmap),
          404: describeErrors(taskNotFound()),
          409: describeErrors(taskNotReady()),
        },
      },
    },
    async (request) => {
      const { id } = await readDone(request, { service: 'defectoscopy', tasks, ownTasksOnly });
      const attachment = await tasks.readAttachment(id);
      // The task may expire between the two reads.
      if (attachment === undefined) throw taskNotFound();
      const { width, height, maps } = attachment as unknown as Attachment;
      const map = Object.hasOwn(maps, request.query.class) ? maps[request.query.class] : undefined;
      if (map === undefined) throw validationError('class: unknown class.');
      const values = [...Buffer.from(map, 'base64')].map((byte) => Math.round((byte / 255) * 1e4) / 1e4);
      return success({ name: request.query.class, width, height, values });
    },
  );
}
