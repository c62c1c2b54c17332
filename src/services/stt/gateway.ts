import { AUDIO_MEDIA_TYPES, sniffAudio } from '../../base/sniff-audio.ts';
import { bearerGuard, type TokenSet, tokensNow } from '../../http/bearer.ts';
import type { Gateway } from '../../http/gateway.ts';
import { commonRoutes } from '../common-routes.ts';
import { fileRoutes } from '../file-routes.ts';
import { openListener } from '../listener.ts';
import type { GatewayHouse, SharedSettings } from '../service.ts';
import { taskRoutes } from '../task-routes.ts';
import { unknownPage } from '../refusal-page.tsx';
import { AUDIO_MAX_BYTES } from './audio-policy.ts';
import { texts } from './browser/texts.ts';
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
  tokens: settled,
}: {
  house: GatewayHouse;
  own: Own;
  shared: SharedSettings;
  tokens: TokenSet;
}): Promise<Gateway> {
  const { tasks, roster, admission, metrics, log, seal } = house;
  const service = 'stt';
  const tokens = tokensNow(settled, () => house.issued.of(service));
  const auth = () => tokens().state;
  metrics.authDisabled(service, false);
  if (auth() === 'unconfigured') log.warn('no access tokens are configured: speech to text answers nobody');

  const app = await openListener(house, shared, {
    service,
    title: 'Assay speech to text',
    description: 'A recording in, its text out. Create a task, then read its result; a callback is optional.',
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

  await transcribeRoute(app, { tasks, roster, admission, seal, own, shared });
  const ownTasksOnly = shared.taskVisibility === 'token';
  taskRoutes(app, {
    service,
    house,
    present,
    state: TaskState,
    examples,
    ownTasksOnly,
  });
  transcriptRoute(app, { tasks, ownTasksOnly });
  healthRoute(app, { roster });
  await fileRoutes(app, {
    house,
    shared,
    maxBytes: AUDIO_MAX_BYTES,
    sniff: mediaTypeOf,
    wanted: 'a recording (WAV, MP3, M4A or MP4, AAC, OGG, Opus, FLAC, WebM or AMR)',
    exampleType: 'audio/mpeg',
  });
  commonRoutes(app, { service, house, shared, auth, readyNeedsTokens: true });
  const maxBytes = shared.filesHost === undefined ? undefined : AUDIO_MAX_BYTES;
  pageRoutes(app, { version: shared.version, auth, maxBytes });
  return app;
}

function mediaTypeOf(head: Buffer): string | undefined {
  const type = sniffAudio(head);
  return type && AUDIO_MEDIA_TYPES[type];
}
