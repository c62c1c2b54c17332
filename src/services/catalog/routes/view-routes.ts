import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { omitUndefined } from '../../../base/omit-undefined.ts';
import { wantsPage } from '../../../http/accept-header.ts';
import { describeErrors, describeResponse } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { MAX_URL_LENGTH } from '../../../http/server-limits.ts';
import { URL_QUERY, VISIBLE_NAME } from '../../../http/text-patterns.ts';
import { InvalidInput } from '../../../http/validation-details.ts';
import type { EventCursors } from '../../../tasks/event-cursor.ts';
import type { Webhook } from '../../../tasks/task.ts';
import { csrfFailed } from '../../shared/same-site.ts';
import type { Alert, Match } from '../alerts/alert.ts';
import { MAX_ALERTS, MAX_ALERTS_TOTAL } from '../alerts/alerts.ts';
import { matchBody } from '../alerts/matcher.ts';
import {
  alertNotFound,
  forbidden,
  tooManyAlerts,
  tooManyAlertsInAll,
  tooManyViews,
  viewExists,
  viewNotFound,
} from '../api-errors.ts';
import { isModerator, requireVisitor } from '../auth/auth-guard.ts';
import { HitBody } from '../search/responses.ts';
import { type AlertDeps, AlertRequest, alertFrom, alertOfView } from '../views/alert-request.ts';
import { readViewQuery } from '../views/view-query.ts';
import { MAX_VIEWS, type View, type ViewOwners, type Views } from '../views/views.ts';

export const NewView = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100, pattern: VISIBLE_NAME }),
  query: Type.String({
    maxLength: MAX_URL_LENGTH,
    pattern: URL_QUERY,
    description:
      'Query string of the search without `?`, percent-encoded. 422 if the search would refuse it or does not know a parameter.',
  }),
});

const NewViewWithAlert = Type.Object({
  ...NewView.properties,
  alert: Type.Optional(Type.Object(AlertRequest.properties, { description: 'Announces new matching records.' })),
});

const ViewChange = Type.Object({
  alert: Type.Union([AlertRequest, Type.Null()], {
    description: 'Replaces the alert, but keeps the secret of the same URL; null removes it.',
  }),
});

const MatchesQuery = Type.Object({
  after: Type.Optional(
    Type.String({ maxLength: 64, description: '`next` of an earlier page, or `latest`; absent: from the beginning.' }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
});

const MatchesPage = Type.Object({
  items: Type.Array(Type.Object({ matched_at: Type.String({ format: 'date-time' }), record: HitBody }), {
    description: 'Oldest first. Without records that were deleted or hidden since.',
  }),
  next: Type.String({ description: 'Cursor for `after`.' }),
  more: Type.Boolean(),
});

export const ViewParams = Type.Object({ id: Type.String({ maxLength: 64, pattern: '^[A-Za-z0-9_-]*$' }) });

const SavedView = Type.Object({
  id: Type.String(),
  name: Type.String(),
  query: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
  alert: Type.Optional(
    Type.Object({
      webhook_url: Type.Optional(Type.String()),
      since: Type.String({ format: 'date-time', description: 'Records that matched before are not announced.' }),
      last_delivery: Type.Optional(
        Type.Object(
          {
            state: Type.Enum(['pending', 'delivered', 'failed']),
            attempts: Type.Integer(),
            response_status_code: Type.Optional(Type.Integer()),
            error: Type.Optional(Type.String()),
          },
          { description: 'The latest webhook that was tried. Only in `GET /views`.' },
        ),
      ),
    }),
  ),
});

const EXAMPLE = { name: 'Cracks this year', query: 'defect=crack&from=2026-01-01' };
const SAVED = {
  id: 'view_01JQ8Z5V3N6T9W2X4Y7A1B3C5D',
  ...EXAMPLE,
  created_at: '2026-11-20T09:30:00.000Z',
};
const WITH_ALERT = {
  ...SAVED,
  alert: { webhook_url: 'https://receiver.example.com/hook', since: '2026-11-20T09:30:00.000Z' },
};

const CURSOR = 'evt_AAAAAAAAAAcMZ3dZQ3v3kq0mJt4';

const invalidCursor = () =>
  new InvalidInput([{ loc: ['query', 'after'], msg: 'This is not a cursor of this view', type: 'value_error' }]);

type MatchesView = (
  request: FastifyRequest,
  reply: FastifyReply,
  it: { view: View; matches: readonly Match[] },
) => Promise<FastifyReply>;

const SHOWN_MATCHES = 50;

export interface ViewDeps extends AlertDeps {
  readonly views: Views;
  readonly owners: ViewOwners;
  readonly cursors: EventCursors;
  readonly page: MatchesView;
}

export function viewRoutes(app: Gateway, deps: ViewDeps): void {
  const { views, owners, cursors, page } = deps;
  const config = { access: 'bearer' } as const;
  const tags = ['search'];

  app.get(
    '/views',
    {
      config,
      schema: {
        summary: 'List saved views',
        description: 'Views of the token or, with public access and no token, of the cookie that `POST /views` sets.',
        operationId: 'listViews',
        tags,
        response: {
          200: describeResponse(
            'The views, sorted by name.',
            Type.Object({ items: Type.Array(SavedView), total: Type.Integer() }),
            {
              one: { items: [SAVED], total: 1 },
            },
          ),
        },
      },
    },
    async (request) => {
      const owner = owners.find(request, requireVisitor(request));
      const items = owner === undefined ? [] : (await views.list(owner)).map(bodyOf);
      return { items, total: items.length };
    },
  );

  app.post<{ Body: Static<typeof NewViewWithAlert> }>(
    '/views',
    {
      config,
      schema: {
        summary: 'Save a view',
        description: 'With public access and no token, the view belongs to a cookie that the response sets.',
        operationId: 'createView',
        tags,
        body: NewViewWithAlert,
        response: {
          201: describeResponse('Saved.', SavedView, { saved: SAVED, 'with an alert': WITH_ALERT }),
          403: describeErrors(forbidden(), csrfFailed()),
          409: describeErrors(
            viewExists(),
            tooManyViews(MAX_VIEWS),
            tooManyAlerts(MAX_ALERTS),
            tooManyAlertsInAll(MAX_ALERTS_TOTAL),
          ),
        },
      },
    },
    async (request, reply) => {
      const { name, query, alert } = request.body;
      const filters = await readViewQuery(request, query);
      const wanted = alert && alertFrom(request, filters, alert, deps);
      const of = owners.create(request, reply, requireVisitor(request));
      const view = await views.create(of, { name: name.trim(), query }, wanted);
      return reply.code(201).send(bodyOf(view));
    },
  );

  const findView = async (request: FastifyRequest<{ Params: { id: string } }>) => {
    const owner = owners.find(request, requireVisitor(request));
    const view = owner === undefined ? undefined : await views.find(owner, request.params.id);
    if (owner === undefined || view === undefined) throw viewNotFound();
    return { owner, view };
  };

  app.patch<{ Params: { id: string }; Body: Static<typeof ViewChange> }>(
    '/views/:id',
    {
      config,
      schema: {
        summary: 'Set or remove the alert of a saved view',
        description:
          'An alert announces records that match the view for the first time after it was set: in `GET /views/{id}/matches` and, with a `webhook_url`, as webhooks `view.matched`. It requires a token. Views with `duplicates` cannot have one.',
        operationId: 'changeView',
        tags,
        params: ViewParams,
        body: ViewChange,
        response: {
          200: describeResponse('Changed.', SavedView, { 'with an alert': WITH_ALERT }),
          403: describeErrors(csrfFailed()),
          404: describeErrors(viewNotFound()),
          409: describeErrors(tooManyAlerts(MAX_ALERTS), tooManyAlertsInAll(MAX_ALERTS_TOTAL)),
        },
      },
    },
    async (request) => {
      const { owner, view } = await findView(request);
      const { alert } = request.body;
      const wanted = alert && (await alertOfView(request, view, alert, deps));
      return bodyOf(await views.changeAlert(owner, view, wanted));
    },
  );

  app.get<{ Params: { id: string }; Querystring: Static<typeof MatchesQuery> }>(
    '/views/:id/matches',
    {
      config: { ...config, page: true },
      schema: {
        summary: 'Records that an alert announced',
        description:
          'The feed of an alert, in the order of the matches. Each record is listed once. HTML with the latest ones if `Accept` contains `text/html`.',
        operationId: 'listMatches',
        tags,
        params: ViewParams,
        querystring: MatchesQuery,
        response: {
          200: describeResponse('The matches after the cursor.', MatchesPage, {
            'no new match': { items: [], next: CURSOR, more: false },
          }),
          403: describeErrors(forbidden()),
          404: describeErrors(viewNotFound(), alertNotFound()),
        },
      },
    },
    async (request, reply) => {
      const { view } = await findView(request);
      if (view.alert?.hidden && !isModerator(request)) throw forbidden();
      if (wantsPage(request.headers.accept)) {
        const matches = await views.latestMatches(view, SHOWN_MATCHES);
        if (matches === undefined) throw alertNotFound();
        return page(request, reply, { view, matches });
      }
      const { after, limit } = request.query;
      const feed = { service: 'catalog.views', principal: view.id };
      const position = after === undefined || after === 'latest' ? (after ?? 0) : cursors.parse(feed, after);
      if (position === undefined) throw invalidCursor();
      const found = await views.matches(view, position, limit);
      if (found === undefined) throw alertNotFound();
      return { items: found.matches.map(matchBody), next: cursors.serialize(feed, found.position), more: found.more };
    },
  );

  app.delete<{ Params: { id: string } }>(
    '/views/:id',
    {
      config,
      schema: {
        summary: 'Delete a saved view',
        operationId: 'deleteView',
        tags,
        params: ViewParams,
        response: {
          204: { description: 'Deleted.', type: 'null' },
          403: describeErrors(csrfFailed()),
          404: describeErrors(viewNotFound()),
        },
      },
    },
    async (request, reply) => {
      const owner = owners.find(request, requireVisitor(request));
      if (owner === undefined || !(await views.remove(owner, request.params.id))) throw viewNotFound();
      return reply.code(204).send();
    },
  );
}

const bodyOf = ({ id, name, query, createdAt, alert }: View) => ({
  ...{ id, name, query, created_at: createdAt.toISOString() },
  ...(alert && { alert: alertBody(alert) }),
});

function alertBody({ webhookUrl, since, lastDelivery }: Alert) {
  return {
    ...(webhookUrl !== null && { webhook_url: webhookUrl }),
    since: since.toISOString(),
    ...(lastDelivery && { last_delivery: deliveryBody(lastDelivery) }),
  };
}

const deliveryBody = ({ state, attempts, responseStatusCode, lastError }: Webhook) =>
  omitUndefined({ state, attempts, response_status_code: responseStatusCode, error: lastError });
