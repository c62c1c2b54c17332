import { sniffImage } from '../../base/sniff.ts';
import { bearerGuard, type TokenSet, tokensNow } from '../../http/bearer.ts';
import type { Gateway } from '../../http/gateway.ts';
import { commonRoutes } from '../common-routes.ts';
import { fileRoutes } from '../file-routes.ts';
import { openListener } from '../listener.ts';
import { AUTHORIZATION_DISABLED } from '../probe-routes.ts';
import { unknownPage } from '../refusal-page.tsx';
import type { GatewayHouse, SharedSettings } from '../service.ts';
import { taskRoutes } from '../task-routes.ts';
import { texts } from './browser/texts.ts';
import { examples, webhooks } from './examples.ts';
import { IMAGE_MAX_BYTES, imageHosts } from './image-policy.ts';
import { modelRoutes } from './model-routes.ts';
import { pageRoutes } from './page.tsx';
import { predictRoute } from './predict-route.ts';
import { present } from './present.ts';
import { TaskState } from './schema.ts';
import type { Own } from './settings.ts';
import { strangers } from './webhook-secrets.ts';

export async function openGateway({
  house: context,
  own: serviceSettings,
  shared,
  tokens: configuredTokens,
  secrets,
}: {
  house: GatewayHouse;
  own: Own;
  shared: SharedSettings;
  tokens: TokenSet;
  /** By principal. */
  secrets: ReadonlyMap<string, string>;
}): Promise<Gateway> {
  const { tasks, roster, admission, metrics, log } = context;
  const service = 'defectoscopy';
  const tokens = tokensNow(configuredTokens, () => context.issued.of(service));
  const auth = () => tokens().state;
  if (configuredTokens.state === 'disabled') log.warn(AUTHORIZATION_DISABLED);
  if (auth() === 'unconfigured')
    log.warn('no access tokens are configured: task requests return 503 QUEUE_UNAVAILABLE');
  for (const principal of strangers(secrets, tokens())) {
    log.warn({ principal }, 'a secret in DEFECTOSCOPY_WEBHOOK_SECRETS is unused: no such token exists');
  }
  metrics.authDisabled(service, configuredTokens.state === 'disabled');

  const app = await openListener(context, shared, {
    service,
    title: 'Assay defectoscopy',
    description: 'Detects defects on photos of surfaces. Create a task, then read its result; a webhook is optional.',
    publicUrl: serviceSettings.publicUrl,
    guard: bearerGuard(tokens),
    limiter: context.limits.window(service, { limit: serviceSettings.rateLimitPerMinute }),
    refusalPage: unknownPage({
      assets: () => app.assets!(),
      version: shared.version,
      titles: { en: texts.en.service, ru: texts.ru.service },
    }),
    webhooks,
  });

  predictRoute(app, { tasks, roster, admission, own: serviceSettings, shared });
  const ownTasksOnly = shared.taskVisibility === 'token';
  taskRoutes(app, {
    service,
    house: context,
    present,
    state: TaskState,
    examples,
    ownTasksOnly,
  });
  modelRoutes(app, { tasks, roster, ownTasksOnly });
  await fileRoutes(app, {
    house: context,
    shared,
    maxBytes: IMAGE_MAX_BYTES,
    sniff: sniffImage,
    wanted: 'an image (JPEG, PNG, WebP, TIFF, GIF, AVIF or HEIC)',
    exampleType: 'image/jpeg',
  });
  commonRoutes(app, {
    service,
    house: context,
    shared,
    auth,
    more: () => ({ image_hosts: imageHosts(serviceSettings) }),
  });
  const maxBytes = shared.filesHost === undefined ? undefined : IMAGE_MAX_BYTES;
  pageRoutes(app, { version: shared.version, auth, maxBytes });
  return app;
}
