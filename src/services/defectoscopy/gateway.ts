import { isUnavailable } from '../../base/db.ts';
import { sniffImage } from '../../base/sniff.ts';
import { bearerGuard, type TokenSet } from '../../http/bearer.ts';
import { createGateway, type Gateway } from '../../http/gateway.ts';
import { metricsHandler } from '../../http/metrics.ts';
import { slidingWindow } from '../../http/rate-limit.ts';
import { fileRoutes } from '../file-routes.ts';
import { helpRoutes } from '../help-routes.ts';
import { overviewRoutes } from '../overview-routes.ts';
import { probeRoutes } from '../probe-routes.ts';
import type { GatewayHouse, SharedSettings } from '../service.ts';
import { taskRoutes } from '../task-routes.ts';
import { examples, webhooks } from './examples.ts';
import { IMAGE_MAX_BYTES, imageHosts } from './image-policy.ts';
import { modelRoutes } from './model-routes.ts';
import { pageRoutes } from './page.tsx';
import { predictRoute } from './predict-route.ts';
import { present } from './present.ts';
import { TaskState } from './schema.ts';
import type { Own } from './settings.ts';

/** The listener of defectoscopy: every endpoint of the specification's section 4.1, and what contract.md adds to it. */
export async function openGateway({
  house,
  own,
  shared,
  tokens,
}: {
  house: GatewayHouse;
  own: Own;
  shared: SharedSettings;
  tokens: TokenSet;
}): Promise<Gateway> {
  const { tasks, roster, files, uploads, metrics, log } = house;
  const service = 'defectoscopy';
  if (tokens.state === 'disabled') log.warn('authorization is disabled: everybody who reaches the port may use it');
  metrics.authDisabled(service, tokens.state === 'disabled');

  const app = await createGateway({
    service,
    title: 'Assay defectoscopy',
    description:
      'A photo of a surface in, defect classes out. Create a task, then read its result; a callback is optional.',
    version: shared.version,
    publicUrl: own.publicUrl,
    log,
    metrics,
    guard: bearerGuard(tokens),
    limiter: slidingWindow({ limit: own.rateLimitPerMinute }),
    trustProxy: shared.trustProxy,
    corsAllowOrigins: shared.corsAllowOrigins,
    isUnavailable,
    webhooks,
  });

  predictRoute(app, { tasks, roster, own, shared });
  const ownTasksOnly = shared.taskVisibility === 'token';
  taskRoutes(app, {
    service,
    tasks,
    present: (task, language) => JSON.stringify(present(task, language)),
    state: TaskState,
    examples,
    ownTasksOnly,
    onCancelled: house.onCancelled,
  });
  modelRoutes(app, { tasks, roster, ownTasksOnly });
  if (shared.filesHost !== undefined) {
    const kept = {
      filesHost: shared.filesHost,
      files,
      uploads,
      ttlSeconds: shared.resultTtlSeconds,
      quotaBytes: shared.filesQuotaBytes,
    };
    await fileRoutes(app, {
      ...kept,
      maxBytes: IMAGE_MAX_BYTES,
      sniff: sniffImage,
      wanted: 'an image (JPEG, PNG, WebP, TIFF, GIF, AVIF or HEIC)',
      exampleType: 'image/jpeg',
    });
  }
  overviewRoutes(app, { service, house, shared });
  helpRoutes(app, shared);
  probeRoutes(app, {
    service,
    version: shared.version,
    roster,
    auth: tokens.state,
    readyNeedsTokens: false,
    more: () => ({ image_hosts: imageHosts(own) }),
  });
  app.get(
    '/metrics',
    { config: { access: 'public' }, schema: { hide: true } },
    metricsHandler({ registry: metrics.registry, token: shared.metricsToken, others: house.othersMetrics }),
  );
  app.get(
    '/.well-known/webhook-keys.json',
    { config: { access: 'public' }, schema: { hide: true } },
    () => house.webhookKeys,
  );
  const maxBytes = shared.filesHost === undefined ? undefined : IMAGE_MAX_BYTES;
  pageRoutes(app, { version: shared.version, auth: tokens.state, maxBytes });
  return app;
}
