import { isUnavailable } from '../../base/db.ts';
import { AUDIO_MEDIA_TYPES, sniffAudio } from '../../base/sniff-audio.ts';
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
import { AUDIO_MAX_BYTES } from './audio-policy.ts';
import { examples, webhooks } from './examples.ts';
import { healthRoute } from './health-route.ts';
import { pageRoutes } from './page.tsx';
import { present } from './present.ts';
import { TaskState } from './schema.ts';
import type { Own } from './settings.ts';
import { transcribeRoute } from './transcribe-route.ts';
import { transcriptRoute } from './transcript-route.ts';

/** The listener of speech to text: every endpoint of the specification's section 4.2, and what is added to it. */
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
  const { tasks, roster, files, uploads, metrics, log, seal } = house;
  const service = 'stt';
  metrics.authDisabled(service, false);
  if (tokens.state === 'unconfigured') log.warn('no access tokens are configured: speech to text answers nobody');

  const app = await createGateway({
    service,
    title: 'Assay speech to text',
    description: 'A recording in, its text out. Create a task, then read its result; a callback is optional.',
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

  await transcribeRoute(app, { tasks, roster, seal, own, shared });
  const ownTasksOnly = shared.taskVisibility === 'token';
  taskRoutes(app, {
    service,
    tasks,
    present,
    state: TaskState,
    examples,
    ownTasksOnly,
    onCancelled: house.onCancelled,
  });
  transcriptRoute(app, { tasks, ownTasksOnly });
  healthRoute(app, { roster });
  if (shared.filesHost !== undefined) {
    await fileRoutes(app, {
      filesHost: shared.filesHost,
      files,
      uploads,
      ttlSeconds: shared.resultTtlSeconds,
      quotaBytes: shared.filesQuotaBytes,
      maxBytes: AUDIO_MAX_BYTES,
      sniff: mediaTypeOf,
      wanted: 'a recording (WAV, MP3, M4A or MP4, AAC, OGG, Opus, FLAC, WebM or AMR)',
      exampleType: 'audio/mpeg',
    });
  }
  overviewRoutes(app, { service, house, shared });
  helpRoutes(app, shared);
  probeRoutes(app, { service, version: shared.version, roster, auth: tokens.state, readyNeedsTokens: true });
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
  const maxBytes = shared.filesHost === undefined ? undefined : AUDIO_MAX_BYTES;
  pageRoutes(app, { version: shared.version, auth: tokens.state, maxBytes });
  return app;
}

function mediaTypeOf(head: Buffer): string | undefined {
  const type = sniffAudio(head);
  return type && AUDIO_MEDIA_TYPES[type];
}
