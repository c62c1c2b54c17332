import type { Gateway } from '../../../http/gateway.ts';
import { acceptRoute } from './accept-route.ts';
import type { BatchDeps } from './batch-deps.ts';
import { changeRoutes } from './change-routes.ts';
import { readRoutes } from './read-routes.ts';

/** Adds `/batches`: many tasks in one request. */
export async function batchRoutes(app: Gateway, options: BatchDeps): Promise<void> {
  await acceptRoute(app, options);
  readRoutes(app, options);
  changeRoutes(app, options);
}
