import { Readable } from 'node:stream';
import type { Static } from 'typebox';
import { notFound, taskNotFound } from '../../base/api-error.ts';
import { describeErrors } from '../../http/envelope.ts';
import type { Gateway } from '../../http/gateway.ts';
import { fileKeyFromUrl } from './file-names.ts';
import { queueOf } from './sandbox/queue.ts';
import type { GatewayContext, SharedSettings } from './service.ts';
import { parseTaskId, TaskParams } from './task-params.ts';

/** `GET /result/{task_id}/photo` or `/recording`: a file that is stored here. */
export function uploadedFileRoute(
  app: Gateway,
  {
    service,
    file: { name, urlField, types },
    context: { tasks, uploads, files },
    shared: { filesHost },
    ownTasksOnly,
  }: {
    service: string;
    /** `urlField`: of the input. `types`: of media, for the API reference. */
    file: { name: 'photo' | 'recording'; urlField: string; types: readonly string[] };
    context: Pick<GatewayContext, 'tasks' | 'uploads' | 'files'>;
    shared: Pick<SharedSettings, 'filesHost'>;
    ownTasksOnly: boolean;
  },
): void {
  app.get<{ Params: Static<typeof TaskParams> }>(
    `/result/:task_id/${name}`,
    {
      config: { access: 'task', limited: true },
      schema: {
        summary: `${name === 'photo' ? 'Photo' : 'Recording'} of a task`,
        description: `As it was uploaded, for its uploader, until the upload expires. 404 for a ${name} at another URL.`,
        operationId: name === 'photo' ? 'readPhoto' : 'readRecording',
        tags: ['tasks'],
        params: TaskParams,
        response: {
          200: {
            description: `The ${name}.`,
            content: Object.fromEntries(types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }])),
          },
          404: describeErrors(taskNotFound(), notFound()),
        },
      },
    },
    async (request, reply) => {
      const task = await tasks.read(queueOf(service, request.principal), parseTaskId(request.params));
      if (!task || (ownTasksOnly && task.principal !== request.principal)) throw taskNotFound();
      const { [urlField]: url } = JSON.parse(task.inputText) as Record<string, string>;
      const key = fileKeyFromUrl(url!, filesHost);
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
      if (request.method !== 'HEAD') return reply.type(type).send(file.stream);
      file.stream.destroy();
      return reply.type(type).send(Readable.from([]));
    },
  );
}
