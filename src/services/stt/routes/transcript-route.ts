import { type Static, Type } from 'typebox';
import { taskNotFound, taskNotReady, transcriptChanged, validationError } from '../../../base/api-error.ts';
import { unixSeconds } from '../../../base/time.ts';
import { describeErrors, describeResponse, errorResponses, headersOf, success } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { parseIfMatch } from '../../../http/if-match.ts';
import type { TaskStore } from '../../../tasks/store.ts';
import { TaskParams } from '../../shared/task-params.ts';
import { readDone } from '../../shared/task-routes.ts';
import { Corrected, CorrectionBody, TranscriptHistory, TranscriptJson } from '../api-schema.ts';
import { withSegments } from '../corrections/corrected.ts';
import { parseSegments } from '../corrections/parse-segments.ts';
import type { Correction, CorrectionStore } from '../corrections/store.ts';
import { result as example } from '../examples.ts';
import type { Recorded } from '../result.ts';
import { FORMATS } from '../transcript/formats.ts';

const Query = Type.Object({
  format: Type.Union(
    ['txt', 'srt', 'vtt', 'json'].map((format) => Type.Literal(format)),
    { default: 'txt', description: 'Plain text, SubRip, WebVTT, or the result of the task.' },
  ),
  edition: Type.Union(
    ['corrected', 'original'].map((edition) => Type.Literal(edition)),
    { default: 'corrected', description: '`corrected`: with all corrections. `original`: as transcribed.' },
  ),
});

const HistoryQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 1000, default: 100, description: 'Of corrections.' }),
});

/** JSON of 1 MiB of text, with escapes, and the times of all segments. */
const BODY_BYTES = 4 * 1024 * 1024;

const CORRECTED = success({ version: 4, changed_at: '1767225600', changed_by: 'token-9f86d081884c' });
const ETAG = { ETag: 'The version of the corrected transcript, for `If-Match`.' };

export function transcriptRoutes(
  app: Gateway,
  deps: { tasks: TaskStore; corrections: CorrectionStore; ownTasksOnly: boolean },
): void {
  const { corrections } = deps;
  const config = { access: 'task', limited: true } as const;
  const described = { tags: ['tasks'], params: TaskParams };
  const readTask = (request: Parameters<typeof readDone>[0]) => readDone(request, { service: 'stt', ...deps });

  app.get<{ Params: Static<typeof TaskParams>; Querystring: Static<typeof Query> }>(
    '/result/:task_id/transcript',
    {
      config,
      schema: {
        ...described,
        summary: 'Download the transcript',
        description: 'Subtitles have at most two lines of 42 characters and last at most 7 seconds.',
        operationId: 'readTranscript',
        querystring: Query,
        response: {
          200: {
            description: 'The transcript.',
            headers: headersOf({ 'Content-Disposition': 'The file name.', ...ETAG }),
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
      const { id, resultText } = await readTask(request);
      const original = JSON.parse(resultText) as Recorded;
      const { format, edition } = request.query as { format: keyof typeof FORMATS | 'json'; edition: string };
      const correction = edition === 'original' ? undefined : await corrections.read(id);
      const transcript = correction ? withSegments(original, correction.segments) : original;
      reply.header('content-disposition', `inline; filename="${id}.${format}"`);
      if (edition !== 'original') reply.header('etag', etagOf(correction));
      if (format === 'json')
        return success({ ...transcript, ...(correction && { correction: presentVersion(correction) }) });
      const { type, write } = FORMATS[format];
      return reply.type(type).send(write(transcript));
    },
  );

  app.put<{ Params: Static<typeof TaskParams>; Body: Static<typeof CorrectionBody> }>(
    '/result/:task_id/transcript',
    {
      config,
      bodyLimit: BODY_BYTES,
      schema: {
        ...described,
        summary: 'Correct the transcript',
        description:
          'Replaces all segments; the result of the task stays. Stores a new version and an event `stt.result.corrected` if anything changed. Corrections are deleted with the task.',
        operationId: 'correctTranscript',
        body: CorrectionBody,
        shown: { headers: { 'If-Match': 'The version that the corrections apply to; without it, any version.' } },
        response: {
          200: describeResponse('The version of the corrected transcript.', Corrected, { corrected: CORRECTED }, ETAG),
          ...errorResponses(
            taskNotFound(),
            taskNotReady(),
            transcriptChanged(3),
            validationError('segments.3: starts before the previous segment.'),
          ),
        },
      },
    },
    async (request, reply) => {
      const { id, resultText } = await readTask(request);
      const original = JSON.parse(resultText) as Recorded;
      const segments = parseSegments(request.body.segments, original);
      const ifVersion = parseIfMatch(request.headers['if-match']);
      const actor = request.principal;
      const written = await corrections.write(id, { original: original.segments, segments, actor, ifVersion });
      if (written === undefined) throw taskNotFound();
      if ('conflict' in written) throw transcriptChanged(written.conflict);
      reply.header('etag', etagOf(written));
      return success(presentVersion(written));
    },
  );

  app.get<{ Params: Static<typeof TaskParams>; Querystring: Static<typeof HistoryQuery> }>(
    '/result/:task_id/transcript/history',
    {
      config,
      schema: {
        ...described,
        summary: 'The latest corrections of the transcript, oldest first',
        description: 'At most 1 MiB; a larger correction is returned only if it is the last one.',
        operationId: 'readTranscriptHistory',
        querystring: HistoryQuery,
        response: {
          200: describeResponse('The corrections.', TranscriptHistory),
          ...errorResponses(taskNotFound(), taskNotReady()),
        },
      },
    },
    async (request) => {
      const { id } = await readTask(request);
      const edits = await corrections.history(id, request.query.limit);
      return success({
        edits: edits.map(({ version, at, actor, ...change }) => ({
          ...{ version, changed_at: unixSeconds(at), changed_by: actor },
          ...change,
        })),
      });
    },
  );
}

const etagOf = (correction: Correction | undefined) => `"${correction?.version ?? 0}"`;

const presentVersion = ({ version, changedAt, changedBy }: Correction) =>
  version === 0 ? { version } : { version, changed_at: unixSeconds(changedAt), changed_by: changedBy };
