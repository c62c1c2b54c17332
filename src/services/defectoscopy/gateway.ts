import type { Static } from 'typebox';
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
import { createListener } from '../shared/listener.ts';
import { AUTHORIZATION_DISABLED } from '../shared/probe-routes.ts';
import { createSandboxInputReader } from '../shared/sandbox/accept.ts';
import type { GatewayContext, SharedSettings } from '../shared/service.ts';
import { taskEventRoutes } from '../shared/task-events.ts';
import { taskRoutes } from '../shared/task-routes.ts';
import { uploadedFileRoute } from '../shared/uploaded-file-route.ts';
import { webhookPolicy } from '../shared/webhook-policy.ts';
import { Classification, EventPage, PredictRequest, TaskState } from './api-schema.ts';
import { texts } from './browser/texts.ts';
import { createReviewerCheck } from './corrections/reviewers.ts';
import { examples, webhooks } from './examples.ts';
import { pageRoutes } from './pages/page-routes.tsx';
import { PHOTOS } from './photo-type.ts';
import { present } from './present.ts';
import { correctionRoutes } from './routes/correction-routes.ts';
import { deploymentRoutes } from './routes/deployment-routes.ts';
import { modelRoutes } from './routes/model-routes.ts';
import { predictRoute, predictTasks } from './routes/predict-route.ts';
import { trainingRoutes } from './routes/training-routes.ts';
import { sandbox } from './sandbox.ts';
import { type DefectoscopySettings, estimatesOf, reviewerEntries } from './settings.ts';
import { summarizePhotos } from './summaries.ts';
import { IMAGE_MAX_BYTES, imageHosts } from './url-policy.ts';
import { unknownPrincipals } from './webhook-secrets.ts';

export async function createDefectoscopyGateway(deps: {
  context: GatewayContext;
  serviceSettings: DefectoscopySettings;
  shared: SharedSettings;
  tokens: TokenSet;
  /** By principal. */
  secrets: ReadonlyMap<string, readonly string[]>;
  isLocal: boolean;
}): Promise<Gateway> {
  const { context, serviceSettings, shared, tokens: configuredTokens, secrets, isLocal } = deps;
  const { tasks, workerRegistry, admission, estimates, metrics, log } = context;
  const service = 'defectoscopy';
  const tokens = currentTokens(configuredTokens, () => context.issued.of(service));
  const auth = () => tokens().state;
  if (configuredTokens.state === 'disabled') log.warn(AUTHORIZATION_DISABLED);
  if (auth() === 'unconfigured')
    log.warn('no access tokens are configured: task requests return 503 QUEUE_UNAVAILABLE');
  for (const principal of unknownPrincipals(secrets, tokens())) {
    log.warn({ principal }, 'a secret in DEFECTOSCOPY_WEBHOOK_SECRETS is unused: no such token exists');
  }
  metrics.authDisabled(service, configuredTokens.state === 'disabled');

  const guard = createBearerGuard(tokens);
  const app = await createListener(context, shared, {
    service,
    title: 'Assay defectoscopy',
    description: 'Detects defects on photos of surfaces. Create a task, then read its result; a webhook is optional.',
    publicUrl: serviceSettings.publicUrl,
    guard,
    limiter: context.limits.window(service, { limit: serviceSettings.rateLimitPerMinute }),
    errorPage: createSinglePageErrorPage({
      assets: () => app.assets!(),
      version: shared.version,
      titles: { en: texts.en.service, ru: texts.ru.service },
    }),
    webhooks,
  });

  const sandboxInput = createSandboxInputReader({ service, sandbox, context });
  const toTask = predictTasks({ workerRegistry, serviceSettings, sandboxInput, shared });
  const taskDeps = { tasks, admission, estimates, shared };
  const ownTasksOnly = shared.taskVisibility === 'token';
  predictRoute(app, { ...taskDeps, toTask });
  const callbacks = webhookPolicy(shared);
  await batchRoutes(app, {
    ...{ service, context, deps: taskDeps, ownTasksOnly, item: PredictRequest, callbacks },
    estimateSettings: estimatesOf(serviceSettings),
    ...{
      present: (task: Task) => present(task),
      table: resultTable(Classification),
      summarize: summarizePhotos(context.db),
      archives: archivesOf('image_url', { type: PHOTOS, context, shared }),
    },
    open:
      ({ principal }) =>
      (body) =>
        toTask(body as Static<typeof PredictRequest>, principal),
  });
  taskRoutes(app, { service, context, present, state: TaskState, examples, ownTasksOnly });
  taskEventRoutes(app, { service, context, tokens, page: EventPage });
  deliveryRoutes(app, { service, context });
  endpointRoutes(app, { ...context, policy: callbacks });
  deliveryTestRoute(app, {
    ...{ service, context, policy: callbacks },
    example: examples.delivered,
    secretsFor: (principal) => secrets.get(principal) ?? [],
  });
  const file = { name: 'photo', urlField: 'image_url', types: ['image/*'] } as const;
  uploadedFileRoute(app, { service, file, context, shared, ownTasksOnly });
  modelRoutes(app, { tasks, workerRegistry, ownTasksOnly });
  const { isReviewer, mayCorrect } = createReviewerCheck({
    tokens: configuredTokens,
    reviewers:
      serviceSettings.reviewerTokens === undefined ? undefined : reviewerEntries(serviceSettings.reviewerTokens),
    isLocal,
    issued: () => context.issued.of(service),
  });
  correctionRoutes(app, { context, isReviewer, mayCorrect, ownTasksOnly });
  deploymentRoutes(app, { context, serviceSettings, isReviewer, mayDeploy: mayCorrect, ownTasksOnly });
  trainingRoutes(app, { context, mayTrain: mayCorrect });
  await fileRoutes(app, { context, shared, sandboxInput, type: PHOTOS, exampleType: 'image/jpeg' });
  const extra = () => ({ image_hosts: imageHosts(serviceSettings) });
  commonRoutes(app, { service, context, shared, auth, extra });
  const maxBytes = shared.filesHost === undefined ? undefined : IMAGE_MAX_BYTES;
  pageRoutes(app, { version: shared.version, auth, maxBytes });
  return app;
}
