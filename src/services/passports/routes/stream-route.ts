import { acceptsType, wantsJson } from '../../../http/accept-header.ts';
import { errorResponses } from '../../../http/envelope.ts';
import { openEventStream } from '../../../http/event-stream.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { tooManyStreams } from '../api-errors.ts';
import { Snapshot } from '../api-schema.ts';
import { callerOf } from '../auth/auth-guard.ts';
import type { SessionWatch } from './session-watch.ts';

export const MAX_STREAMS = 5;
const RETRY_MS = 3000;

export function streamRoute(app: Gateway, { watch }: { watch: SessionWatch }): void {
  app.get(
    '/api/tasks/stream',
    {
      config: { access: 'session' },
      schema: {
        summary: 'Follow the tasks of the session',
        description:
          'Server-sent events: `snapshot` with the list, then `task` and `deleted` for each change. `Last-Event-ID` resumes with the missed events, or with `resync` and a new snapshot if they are no longer stored. `end` means that the service stops or that the session or token has ended (signed out, revoked or expired). With `Accept: application/json` the response is the snapshot only.',
        operationId: 'streamTasks',
        tags: ['documents'],
        shown: { headers: { 'Last-Event-ID': 'The number of the last received event.' } },
        response: {
          200: {
            description: 'The stream.',
            content: { 'text/event-stream': { schema: { type: 'string' } }, 'application/json': { schema: Snapshot } },
          },
          ...errorResponses(tooManyStreams(MAX_STREAMS)),
        },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const { accept } = request.headers;
      if (wantsJson(accept) && !acceptsType(accept, 'text/event-stream')) return watch.snapshot(caller.session);
      watch.checkStreamLimit(caller.session);
      if (request.method === 'HEAD') return reply.type('text/event-stream; charset=utf-8').send();
      const stream = openEventStream(reply, { retryMs: RETRY_MS });
      const lastSent = lastSeen(request.headers['last-event-id']);
      watch.follow({ caller, stream, lastSent, token: request.visitor?.token });
      return reply;
    },
  );
}

function lastSeen(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}
