import { type Static, Type } from 'typebox';
import { describeErrors, describeResponse } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { VISIBLE_NAME } from '../../../http/text-patterns.ts';
import { csrfFailed } from '../../shared/same-site.ts';
import { tooManyViews, viewExists, viewNotFound } from '../api-errors.ts';
import { requireVisitor } from '../auth/auth-guard.ts';
import { MAX_VIEWS, type View, type ViewOwners, type Views } from '../views/views.ts';

export const NewView = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100, pattern: VISIBLE_NAME }),
  query: Type.String({
    maxLength: 4000,
    pattern: '^[!-~]*$',
    description: 'Query string of the search page without `?`.',
  }),
});

export const ViewParams = Type.Object({ id: Type.String({ maxLength: 64, pattern: '^[A-Za-z0-9_-]*$' }) });

const SavedView = Type.Object({
  id: Type.String(),
  name: Type.String(),
  query: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
});

const EXAMPLE = { name: 'Cracks this year', query: 'defect=crack&from=2026-01-01' };
const SAVED = { id: 'view_01JQ8Z5V3N6T9W2X4Y7A1B3C5D', ...EXAMPLE, created_at: '2026-11-20T09:30:00.000Z' };

export function viewRoutes(app: Gateway, { views, owners }: { views: Views; owners: ViewOwners }): void {
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

  app.post<{ Body: Static<typeof NewView> }>(
    '/views',
    {
      config,
      schema: {
        summary: 'Save a view',
        description: 'With public access and no token, the view belongs to a cookie that the response sets.',
        operationId: 'createView',
        tags,
        body: NewView,
        response: {
          201: describeResponse('Saved.', SavedView, { saved: SAVED }),
          403: describeErrors(csrfFailed()),
          409: describeErrors(viewExists(), tooManyViews(MAX_VIEWS)),
        },
      },
    },
    async (request, reply) => {
      const { name, query } = request.body;
      const of = owners.create(request, reply, requireVisitor(request));
      const view = await views.create(of, { name: name.trim(), query });
      return reply.code(201).send(bodyOf(view));
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

const bodyOf = ({ id, name, query, createdAt }: View) => ({ id, name, query, created_at: createdAt.toISOString() });
