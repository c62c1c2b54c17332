import { names, wantsJson } from '../../../http/accept.ts';
import { refusal } from '../../../http/envelope.ts';
import { eventStream } from '../../../http/event-stream.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { callerOf } from '../auth/door.ts';
import { tooManyStreams } from '../refusals.ts';
import { Snapshot } from '../schema-http.ts';
import type { SessionWatch } from './session-watch.ts';

export const MOST_STREAMS = 5;
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
          429: refusal(tooManyStreams(MOST_STREAMS)),
        },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const { accept } = request.headers;
      if (wantsJson(accept) && !names(accept, 'text/event-stream')) return watch.snapshot(caller.session);
      watch.admit(caller.session);
      if (request.method === 'HEAD') return reply.type('text/event-stream; charset=utf-8').send();
      const stream = eventStream(reply, { retryMs: RETRY_MS });
      watch.follow(caller, stream, {
        after: lastSeen(request.headers['last-event-id']),
        token: request.visitor?.token,
      });
      return reply;
    },
  );
}

function lastSeen(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}
