import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { eventsExpired, feedsExhausted, queueUnavailable, tooManyFeeds } from '../../base/api-error.ts';
import type { JsonObject } from '../../base/json.ts';
import { acceptsType, wantsJson } from '../../http/accept-header.ts';
import { describeErrors } from '../../http/envelope.ts';
import { openEventStream } from '../../http/event-stream.ts';
import type { Gateway } from '../../http/gateway.ts';
import { stopOf } from '../../http/stop-signal.ts';
import { InvalidInput } from '../../http/validation-details.ts';
import type { EventPage, EventReading, Feed, FeedPosition, TaskEvent } from '../../tasks/events.ts';
import { presentEnded } from './batches/present-batch.ts';
import { type FindEnded, watchCredentials } from './credential-watch.ts';
import { CURSOR_EXAMPLE, EventsQuery, eventType } from './event-schema.ts';
import type { GatewayContext } from './service.ts';

const RETRY_MS = 3000;
const STREAM_PAGE = 200;
/** While there are no events. */
const READ_INTERVAL_MS = 15_000;

type Request = FastifyRequest<{ Querystring: Static<typeof EventsQuery> }>;

/** Adds `GET /events`: the events of the tasks that the credential created, as pages or as a stream. */
export function eventRoutes(
  app: Gateway,
  deps: {
    service: string;
    context: Pick<GatewayContext, 'events'>;
    findEnded: FindEnded;
    access: 'task' | 'session';
    limited: boolean;
    /** The feed of the caller's tasks. */
    feedOf: (request: FastifyRequest) => Feed;
    /** The service's fields of an event, with its time. */
    present: (event: TaskEvent) => JsonObject;
    /** The response body of a page. */
    envelope: (page: object) => object;
    page: TSchema;
    example: object;
  },
): void {
  const { service, context, access, limited, feedOf, present, envelope } = deps;
  const { feeds, cursors, open } = context.events;
  const watch = watchCredentials(deps.findEnded, app.log);

  const toJson = (feed: Feed, event: TaskEvent) => ({
    id: cursors.serialize(feed, event.number),
    type: eventType(service, event.kind),
    service,
    task_id: event.taskId,
    ...present(event),
    ...(event.batch && { batch: presentEnded(event.taskId, event.batch) }),
  });

  function positionOf(feed: Feed, cursor: string | undefined, loc: readonly string[]): FeedPosition {
    if (cursor === undefined) return 'earliest';
    if (cursor === 'latest') return cursor;
    const number = cursors.parse(feed, cursor);
    if (number === undefined) throw invalidCursor(loc, 'This is not a cursor of this event feed');
    return number;
  }

  function pageOf(feed: Feed, reading: EventReading, loc: readonly string[]): EventPage {
    switch (reading.outcome) {
      case 'page':
        return reading;
      case 'expired':
        throw eventsExpired(cursors.serialize(feed, reading.earliest));
      case 'unknown':
        throw invalidCursor(loc, 'The event of this cursor does not exist');
    }
  }

  async function sendPage(request: Request, reply: FastifyReply, feed: Feed) {
    const { after, limit, wait } = request.query;
    const loc = ['query', 'after'];
    const position = positionOf(feed, after, loc);
    const waits = wait > 0 && request.method !== 'HEAD';
    const close = waits ? open(service, request.principal, 'poll') : undefined;
    const { stop, release } = stopOf(app.closing, reply);
    try {
      const reading = waits
        ? await feeds.readNext(feed, position, { limit, ms: wait * 1000, stop })
        : await feeds.read(feed, position, limit);
      const page = pageOf(feed, reading, loc);
      return envelope({
        events: page.events.map((event) => toJson(feed, event)),
        next: cursors.serialize(feed, page.position),
        more: page.more,
      });
    } finally {
      release();
      close?.();
    }
  }

  async function sendStream(request: Request, reply: FastifyReply, feed: Feed) {
    const header = request.headers['last-event-id'];
    const loc = typeof header === 'string' ? ['header', 'last-event-id'] : ['query', 'after'];
    const start = positionOf(feed, typeof header === 'string' ? header : request.query.after, loc);
    const close = open(service, request.principal, 'stream');
    try {
      // Before the response starts, so that its status can be an error.
      const first = pageOf(feed, await feeds.read(feed, start, STREAM_PAGE), loc);
      void follow(request, reply, feed, first).finally(close);
    } catch (error) {
      close();
      throw error;
    }
    return reply;
  }

  async function follow(request: Request, reply: FastifyReply, feed: Feed, first: EventPage): Promise<void> {
    const stream = openEventStream(reply, { retryMs: RETRY_MS });
    const { stop, abort, release } = stopOf(app.closing, reply);
    const end = () => {
      stream.send({ event: 'end', data: {} });
      stream.end();
    };
    const unwatch = watch(request, () => {
      // First, so that events that are read meanwhile are not sent.
      end();
      abort();
    });
    let page = first;
    try {
      // A client that connected with `latest` resumes here even if no event has followed.
      if (page.events.length === 0) stream.setLastId(cursors.serialize(feed, page.position));
      for (;;) {
        for (const event of page.events) {
          const data = toJson(feed, event);
          stream.send({ event: data.type, id: data.id, data });
        }
        if (stop.aborted) break;
        await stream.drained();
        const options = { limit: STREAM_PAGE, ms: READ_INTERVAL_MS, stop };
        page = pageOf(feed, await feeds.readNext(feed, page.position, options), []);
      }
    } catch (err) {
      // The client reconnects and then receives the error as a response.
      request.log.debug({ err }, 'an event stream ended');
    } finally {
      unwatch();
      release();
      end();
    }
  }

  app.get<{ Querystring: Static<typeof EventsQuery> }>(
    '/events',
    {
      config: { access, limited },
      schema: {
        summary: 'Events of your tasks',
        description:
          'Every end, deletion and correction of the tasks that this credential created, and the end of each batch: each once, in the order in which they became visible, kept as long as the results. Store `next` with what you did with the page. `Accept: text/event-stream` returns a stream of the same events; `id` is the cursor, and `Last-Event-ID` resumes. `end` means that the service stops or the credential has ended.',
        operationId: 'readEvents',
        tags: ['events'],
        querystring: EventsQuery,
        shown: { headers: { 'Last-Event-ID': 'Of a stream: the `id` of the last received event; replaces `after`.' } },
        response: {
          200: {
            description: 'The events after the cursor; none if there are none yet.',
            content: {
              'application/json': { schema: deps.page, examples: { events: { value: deps.example } } },
              'text/event-stream': { schema: { type: 'string' } },
            },
          },
          410: describeErrors(eventsExpired(CURSOR_EXAMPLE)),
          429: describeErrors(tooManyFeeds(20)),
          503: describeErrors(feedsExhausted(), ...(access === 'task' ? [queueUnavailable()] : [])),
        },
      },
    },
    async (request, reply) => {
      const feed = feedOf(request);
      const { accept } = request.headers;
      if (!acceptsType(accept, 'text/event-stream') || wantsJson(accept)) return sendPage(request, reply, feed);
      if (request.method === 'HEAD') return reply.type('text/event-stream; charset=utf-8').send();
      return sendStream(request, reply, feed);
    },
  );
}

const invalidCursor = (loc: readonly string[], msg: string) => new InvalidInput([{ loc, msg, type: 'value_error' }]);
