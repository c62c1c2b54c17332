import { type Static, Type } from 'typebox';
import { taskNotFound, taskNotReady } from '../../../base/api-error.ts';
import { describeErrors, headersOf, success } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import type { TaskStore } from '../../../tasks/store.ts';
import { TaskParams } from '../../shared/task-params.ts';
import { readDone } from '../../shared/task-routes.ts';
import { TranscriptJson } from '../api-schema.ts';
import { result as example } from '../examples.ts';
import type { Recorded } from '../result.ts';
import { FORMATS } from '../transcript/formats.ts';

const Query = Type.Object({
  format: Type.Union(
    ['txt', 'srt', 'vtt', 'json'].map((format) => Type.Literal(format)),
    { default: 'txt', description: 'Plain text, SubRip, WebVTT, or the result of the task.' },
  ),
});

export function transcriptRoute(
  app: Gateway,
  { tasks, ownTasksOnly }: { tasks: TaskStore; ownTasksOnly: boolean },
): void {
  app.get<{ Params: Static<typeof TaskParams>; Querystring: Static<typeof Query> }>(
    '/result/:task_id/transcript',
    {
      config: { access: 'task', limited: true },
      schema: {
        summary: 'Download the transcript',
        description: 'Subtitles have at most two lines of 42 characters and last at most 7 seconds.',
        operationId: 'readTranscript',
        tags: ['tasks'],
        params: TaskParams,
        querystring: Query,
        response: {
          200: {
            description: 'The transcript.',
            headers: headersOf({ 'Content-Disposition': 'The file name.' }),
            content: {
              ...Object.fromEntries(
                Object.values(FORMATS).map(({ type }) => [type.split(';')[0]!, { schema: { type: 'string' } }]),
              ),
              'application/json': { schema: TranscriptJson, examples: { json: { value: success(example) } } },
            },
          },
          404: describeErrors(taskNotFound()),
          409: describeErrors(taskNotReady()),
        },
      },
    },
    async (request, reply) => {
      const { id, resultText } = await readDone(request, { service: 'stt', tasks, ownTasksOnly });
      const result = JSON.parse(resultText) as Recorded;
      const format = request.query.format as keyof typeof FORMATS | 'json';
      reply.header('content-disposition', `inline; filename="${id}.${format}"`);
      if (format === 'json') return success(result);
      const { type, write } = FORMATS[format];
      return reply.type(type).send(write(result));
    },
  );
}
