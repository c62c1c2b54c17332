import type { Static } from 'typebox';
import { notFound, taskNotFound } from '../../../base/api-error.ts';
import { describeErrors } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { fileKeyFromUrl } from '../../shared/file-names.ts';
import { queueOf } from '../../shared/sandbox/queue.ts';
import type { GatewayContext, SharedSettings } from '../../shared/service.ts';
import { parseTaskId, TaskParams } from '../../shared/task-params.ts';
import type { PredictInput } from '../result.ts';

/** `GET /result/{task_id}/photo`: a photo that is stored here. */
export function photoRoute(
  app: Gateway,
  {
    context: { tasks, uploads, files },
    shared: { filesHost },
    ownTasksOnly,
  }: {
    context: Pick<GatewayContext, 'tasks' | 'uploads' | 'files'>;
    shared: Pick<SharedSettings, 'filesHost'>;
    ownTasksOnly: boolean;
  },
): void {
  app.get<{ Params: Static<typeof TaskParams> }>(
    '/result/:task_id/photo',
    {
      config: { access: 'task', limited: true },
      schema: {
        summary: 'Photo of a task',
        description: 'As it was uploaded, for its uploader, until the upload expires. 404 for a photo at another URL.',
        operationId: 'readPhoto',
        tags: ['tasks'],
        params: TaskParams,
        response: {
          200: { description: 'The photo.', content: { 'image/*': { schema: { type: 'string', format: 'binary' } } } },
          404: describeErrors(taskNotFound(), notFound()),
        },
      },
    },
    async (request, reply) => {
      const task = await tasks.read(queueOf('defectoscopy', request.principal), parseTaskId(request.params));
      if (!task || (ownTasksOnly && task.principal !== request.principal)) throw taskNotFound();
      const { image_url: url } = JSON.parse(task.inputText) as PredictInput;
      const key = fileKeyFromUrl(url, filesHost);
      // Tasks may be visible to every token, and name files of other clients.
      const type = key === undefined ? undefined : await uploads.contentType(key, request.principal);
      const file = type === undefined ? undefined : await files.stream(key!);
      if (type === undefined || file === undefined) throw notFound();
      // The bytes are untrusted.
      void reply.headers({
        'cache-control': 'private, no-cache',
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'same-origin',
        'content-length': file.sizeBytes,
      });
      return reply.type(type).send(file.stream);
    },
  );
}
