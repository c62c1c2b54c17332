import { sniffImage } from '../../base/sniff.ts';
import { bearerGuard, type TokenSet, tokensNow } from '../../http/bearer.ts';
import type { Gateway } from '../../http/gateway.ts';
import { commonRoutes } from '../common-routes.ts';
import { fileRoutes } from '../file-routes.ts';
import { openListener } from '../listener.ts';
import { AUTHORIZATION_DISABLED } from '../probe-routes.ts';
import type { GatewayHouse, SharedSettings } from '../service.ts';
import { taskRoutes } from '../task-routes.ts';
import { unknownPage } from '../unknown-page.tsx';
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

/** The listener of defectoscopy: every endpoint of the specification's section 4.1, and what contract.md adds to it. */
export async function openGateway({
  house,
  own,
  shared,
  tokens: settled,
  secrets,
}: {
  house: GatewayHouse;
  own: Own;
  shared: SharedSettings;
  tokens: TokenSet;
  /** What callbacks are signed with, by principal. */
  secrets: ReadonlyMap<string, string>;
}): Promise<Gateway> {
  const { tasks, roster, admission, metrics, log } = house;
  const service = 'defectoscopy';
  const tokens = tokensNow(settled, () => house.issued.of(service));
  const auth = () => tokens().state;
  if (settled.state === 'disabled') log.warn(AUTHORIZATION_DISABLED);
  if (auth() === 'unconfigured') log.warn('no access tokens are configured: tasks are answered 503 QUEUE_UNAVAILABLE');
  for (const principal of strangers(secrets, tokens())) {
    log.warn({ principal }, 'a secret of DEFECTOSCOPY_WEBHOOK_SECRETS signs nothing now: there is no such token');
  }
  metrics.authDisabled(service, settled.state === 'disabled');

  const app = await openListener(house, shared, {
    service,
    title: 'Assay defectoscopy',
    description:
      'A photo of a surface in, defect classes out. Create a task, then read its result; a callback is optional.',
    publicUrl: own.publicUrl,
    guard: bearerGuard(tokens),
    limiter: house.limits.window(service, { limit: own.rateLimitPerMinute }),
    refusalPage: unknownPage({
      assets: () => app.assets!(),
      version: shared.version,
      titles: { en: texts.en.service, ru: texts.ru.service },
    }),
    webhooks,
  });

  predictRoute(app, { tasks, roster, admission, own, shared });
  const ownTasksOnly = shared.taskVisibility === 'token';
  taskRoutes(app, {
    service,
    house,
    present,
    state: TaskState,
    examples,
    ownTasksOnly,
  });
  modelRoutes(app, { tasks, roster, ownTasksOnly });
  await fileRoutes(app, {
    house,
    shared,
    maxBytes: IMAGE_MAX_BYTES,
    sniff: sniffImage,
    wanted: 'an image (JPEG, PNG, WebP, TIFF, GIF, AVIF or HEIC)',
    exampleType: 'image/jpeg',
  });
  commonRoutes(app, { service, house, shared, auth, more: () => ({ image_hosts: imageHosts(own) }) });
  const maxBytes = shared.filesHost === undefined ? undefined : IMAGE_MAX_BYTES;
  pageRoutes(app, { version: shared.version, auth, maxBytes });
  return app;
}
