import type { Static } from 'typebox';
import { AUDIO_MEDIA_TYPES, sniffAudio } from '../../base/sniff-audio.ts';
import { createBearerGuard, currentTokens, type TokenSet } from '../../http/bearer.ts';
import type { Gateway } from '../../http/gateway.ts';
import type { Task } from '../../tasks/task.ts';
import { archivesOf } from '../shared/batches/archive-items.ts';
import { batchRoutes } from '../shared/batches/batch-routes.ts';
import { resultTable } from '../shared/batches/results.ts';
import { commonRoutes } from '../shared/common-routes.ts';
import { deliveryRoutes } from '../shared/delivery-routes.ts';
import { deliveryTestRoute } from '../shared/delivery-test-route.ts';
import { endpointRoutes } from '../shared/endpoint-routes.ts';
import { createSinglePageErrorPage } from '../shared/error-page.tsx';
import { fileRoutes } from '../shared/file-routes.ts';
import { healthRoute } from '../shared/health-route.ts';
import { createListener } from '../shared/listener.ts';
import { createSandboxInputReader } from '../shared/sandbox/accept.ts';
import type { GatewayContext, SharedSettings } from '../shared/service.ts';
import { taskEventRoutes } from '../shared/task-events.ts';
import { taskRoutes } from '../shared/task-routes.ts';
import { uploadedFileRoute } from '../shared/uploaded-file-route.ts';
import { EventPage, Health, TaskState, TranscribeRequest, Transcription } from './api-schema.ts';
import { texts } from './browser/texts.ts';
import { createCorrectionStore } from './corrections/store.ts';
import { examples, webhooks } from './examples.ts';
import { openAiErrors } from './openai/errors.ts';
import { openAiRoutes } from './openai/routes.ts';
import { pageRoutes } from './pages/page-routes.tsx';
import { present } from './present.ts';
import type { WorkerInfo } from './result.ts';
import { transcribeRoute, transcribeTasks } from './routes/transcribe-route.ts';
import { transcriptRoutes } from './routes/transcript-route.ts';
import { vocabularyRoutes } from './routes/vocabulary-routes.ts';
import { sandbox } from './sandbox.ts';
import { estimatesOf, type SttSettings } from './settings.ts';
import { summarizeRecordings } from './summaries.ts';
import { AUDIO_MAX_BYTES, webhookPolicy } from './url-policy.ts';
import { createVocabularyStore } from './vocabulary.ts';

export async function createSttGateway(deps: {
  context: GatewayContext;
  serviceSettings: SttSettings;
  shared: SharedSettings;
  tokens: TokenSet;
}): Promise<Gateway> {
  const { context, serviceSettings, shared } = deps;
  const { tasks, workerRegistry, admission, estimates, metrics, log, seal } = context;
  const service = 'stt';
  const tokens = currentTokens(deps.tokens, () => context.issued.of(service));
  const auth = () => tokens().state;
  metrics.authDisabled(service, false);
  if (auth() === 'unconfigured') log.warn('no access tokens are configured: speech-to-text requests return 503');

  const guard = createBearerGuard(tokens);
  const app = await createListener(context, shared, {
    service,
    title: 'Assay speech to text',
    description: 'Transcribes recordings. Create a task, then read its result; a webhook is optional.',
    publicUrl: serviceSettings.publicUrl,
    guard,
    limiter: context.limits.window(service, { limit: serviceSettings.rateLimitPerMinute }),
    errorPage: createSinglePageErrorPage({
      assets: () => app.assets!(),
      version: shared.version,
      titles: { en: texts.en.service, ru: texts.ru.service },
    }),
    webhooks,
    pathErrors: { prefix: '/v1', format: openAiErrors },
  });

  const vocabularies = createVocabularyStore(context.db, service);
  const sandboxInput = createSandboxInputReader({ service, sandbox, context });
  const openAiDeps = { tasks, admission, estimates, vocabularies, serviceSettings, sandboxInput, shared, context };
  await openAiRoutes(app, { ...openAiDeps, guard });
  const ownTasksOnly = shared.taskVisibility === 'token';
  const toTask = transcribeTasks({ seal, serviceSettings, sandboxInput, shared });
  const taskDeps = { tasks, admission, estimates, shared };
  await transcribeRoute(app, { ...taskDeps, toTask, vocabularies });
  const callbacks = webhookPolicy(serviceSettings, shared);
  await batchRoutes(app, {
    ...{ service, context, deps: taskDeps, ownTasksOnly, item: TranscribeRequest, callbacks },
    estimateSettings: estimatesOf(serviceSettings),
    ...{
      present: (task: Task) => present(task),
      table: resultTable(Transcription),
      summarize: summarizeRecordings(context.db),
      archives: archivesOf('url', { type: RECORDINGS, context, shared }),
    },
    open({ principal }) {
      let stored: ReturnType<typeof vocabularies.read> | undefined;
      const vocabulary = () => (stored ??= vocabularies.read(principal));
      return (body, text) => toTask(body as Static<typeof TranscribeRequest>, text, principal, vocabulary);
    },
  });
  vocabularyRoutes(app, { vocabularies });
  taskRoutes(app, { service, context, present, state: TaskState, examples, ownTasksOnly });
  taskEventRoutes(app, { service, context, tokens, page: EventPage });
  deliveryRoutes(app, { service, context });
  endpointRoutes(app, { ...context, policy: callbacks });
  deliveryTestRoute(app, {
    ...{ service, context, policy: callbacks },
    example: examples.delivered,
    secretsFor: () => [],
  });
  const file = { name: 'recording', urlField: 'url', types: ['audio/*', 'video/*'] } as const;
  uploadedFileRoute(app, { service, file, context, shared, ownTasksOnly });
  transcriptRoutes(app, { tasks, corrections: createCorrectionStore(context.db), ownTasksOnly });
  healthRoute(app, {
    ...{ service, workerRegistry, tag: 'service', schema: Health },
    fields: ['model', 'providers'] satisfies (keyof WorkerInfo)[],
  });
  await fileRoutes(app, { context, shared, sandboxInput, type: RECORDINGS, exampleType: 'audio/mpeg' });
  commonRoutes(app, { service, context, shared, auth, readyNeedsTokens: true });
  const maxBytes = shared.filesHost === undefined ? undefined : AUDIO_MAX_BYTES;
  pageRoutes(app, { version: shared.version, auth, maxBytes });
  return app;
}

function mediaTypeOf(head: Buffer): string | undefined {
  const type = sniffAudio(head);
  return type && AUDIO_MEDIA_TYPES[type];
}

const RECORDINGS = {
  maxBytes: AUDIO_MAX_BYTES,
  sniff: mediaTypeOf,
  expected: 'a recording (WAV, MP3, M4A or MP4, AAC, OGG, Opus, FLAC, WebM or AMR)',
};
