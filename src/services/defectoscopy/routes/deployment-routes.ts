import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { ApiError, queueUnavailable, validationError } from '../../../base/api-error.ts';
import type { Queryable } from '../../../base/db.ts';
import { unixSeconds } from '../../../base/time.ts';
import { describeResponse, errorResponses, success } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { isSandboxPrincipal } from '../../../http/sandbox-credential.ts';
import type { GatewayContext } from '../../shared/service.ts';
import { Models, ShadowPage, ShadowQuery, ShadowRequest, VersionRequest } from '../deployment-schema.ts';
import {
  alreadyDefault,
  defaultChanged,
  defaultVersion,
  type Fleet,
  modelNotInstalled,
  modelPinned,
  noEarlierVersion,
  pinnedVersion,
  problemsOf,
  readFleet,
  requireInstalled,
  versionsOf,
} from '../deployments/deployment.ts';
import { readDifferences, readShadowReports } from '../deployments/shadow-report.ts';
import { type Deployment, deploy, type NewDeployment, readDeployments, readEarlier } from '../deployments/store.ts';
import { readTrainedVersions } from '../deployments/trainings.ts';
import type { DefectoscopySettings } from '../settings.ts';

const deploymentForbidden = () =>
  new ApiError('FORBIDDEN', 403, 'Changing the deployed versions needs a token with the role reviewer.');

/** Which model version answers, and which one only classifies for comparison. */
export function deploymentRoutes(
  app: Gateway,
  deps: {
    context: Pick<GatewayContext, 'db' | 'tasks' | 'workerRegistry'>;
    serviceSettings: Pick<DefectoscopySettings, 'modelVersion'>;
    isReviewer: (principal: string | undefined) => boolean;
    mayDeploy: (principal: string | undefined) => boolean;
    ownTasksOnly: boolean;
  },
): void {
  const { context, serviceSettings, isReviewer, mayDeploy, ownTasksOnly } = deps;
  const { db, tasks, workerRegistry } = context;
  const setting = serviceSettings.modelVersion;

  const currentFleet = () => {
    if (!workerRegistry.isReachable()) throw queueUnavailable();
    return readFleet(workerRegistry);
  };

  const requireUnpinned = (fleet: Fleet) => {
    const version = pinnedVersion(fleet, setting);
    if (version !== undefined) throw modelPinned(version);
  };

  const send = async ({ principal }: FastifyRequest) => {
    const fleet = currentFleet();
    const history = await readDeployments(db);
    const [last] = history;
    const current = defaultVersion(fleet, setting, last?.defaultVersion);
    const earlier = last && (await readEarlier(db, last));
    const rollsBackTo = earlier && defaultVersion(fleet, undefined, earlier.defaultVersion);
    const byVersion = (a: { version: string }, b: { version: string }) =>
      a.version.localeCompare(b.version, 'en', { numeric: true });
    return success({
      ...(current !== undefined && { default: current }),
      ...(last?.shadowVersion != null && { shadow: last.shadowVersion }),
      pinned: pinnedVersion(fleet, setting) !== undefined,
      may_deploy: mayDeploy(principal),
      ...(rollsBackTo !== undefined && { rolls_back_to: rollsBackTo }),
      problems: problemsOf(fleet),
      models: workerRegistry.modelVersions('defectoscopy').toSorted(byVersion),
      history: history.map(({ action, actor, at, ...versions }) => ({
        ...{ action, ...versionsOf(versions), at: unixSeconds(at) },
        ...(mayDeploy(principal) && { actor }),
      })),
    });
  };

  /** Records the deployment that `decide` returns. */
  const change = async (
    request: FastifyRequest,
    decide: (
      tx: Queryable,
      last: Deployment | undefined,
      fleet: Fleet,
    ) => Promise<Omit<NewDeployment, 'actor'> | undefined>,
  ) => {
    if (!mayDeploy(request.principal)) throw deploymentForbidden();
    const fleet = currentFleet();
    await deploy(db, async (tx, last) => {
      const decided = await decide(tx, last, fleet);
      return decided && { ...decided, actor: request.principal };
    });
    return send(request);
  };

  const config = { access: 'bearer', limited: true } as const;
  const answer = describeResponse('The versions, oldest first.', Models);
  const always = [deploymentForbidden(), validationError('version: is required.'), queueUnavailable()];
  const pinned = modelPinned('1.0.0');
  const missing = modelNotInstalled('The version halls-1 is not installed.');

  app.get(
    '/models',
    {
      config,
      schema: {
        summary: 'Installed and deployed model versions',
        description: 'The versions that `model_version` of `POST /predict` may name, with the figures of their cards.',
        operationId: 'listModels',
        tags: ['model'],
        response: {
          200: answer,
          ...errorResponses(queueUnavailable()),
        },
      },
    },
    send,
  );

  app.put<{ Body: Static<typeof VersionRequest> }>(
    '/models/default',
    {
      config,
      schema: {
        summary: 'Promote a version',
        description:
          'Makes it the default of requests without `model_version`, on each worker at its next heartbeat. Tasks in progress keep their version.',
        operationId: 'promoteModel',
        tags: ['model'],
        body: VersionRequest,
        response: {
          200: answer,
          ...errorResponses(...always, pinned, missing, alreadyDefault('1.0.0')),
        },
      },
    },
    (request) =>
      change(request, async (tx, last, fleet) => {
        const { version } = request.body;
        requireUnpinned(fleet);
        if (version === defaultVersion(fleet, undefined, last?.defaultVersion)) throw alreadyDefault(version);
        requireInstalled(fleet, version, await readTrainedVersions(tx));
        const shadowVersion = last?.shadowVersion === version ? null : (last?.shadowVersion ?? null);
        return { action: 'promote', defaultVersion: version, shadowVersion, rollsBackTo: last?.id ?? 0 };
      }),
  );

  app.post<{ Body: Static<typeof VersionRequest> }>(
    '/models/rollback',
    {
      config,
      schema: {
        summary: 'Roll back a promotion',
        description: 'Restores the default before the last promotion that was not rolled back.',
        operationId: 'rollBackModel',
        tags: ['model'],
        body: VersionRequest,
        response: {
          200: answer,
          ...errorResponses(...always, pinned, missing, noEarlierVersion(), defaultChanged('1.0.0')),
        },
      },
    },
    (request) =>
      change(request, async (tx, last, fleet) => {
        requireUnpinned(fleet);
        const earlier = last && (await readEarlier(tx, last));
        if (!earlier) throw noEarlierVersion();
        // Protects a repeated request from undoing two promotions.
        if (request.body.version !== last.defaultVersion) throw defaultChanged(last.defaultVersion ?? undefined);
        const restored = earlier.defaultVersion;
        if (restored !== null) requireInstalled(fleet, restored, await readTrainedVersions(tx));
        const shadowVersion =
          last.shadowVersion === defaultVersion(fleet, undefined, restored) ? null : last.shadowVersion;
        return { action: 'rollback', ...earlier, shadowVersion };
      }),
  );

  app.put<{ Body: Static<typeof ShadowRequest> }>(
    '/models/shadow',
    {
      config,
      schema: {
        summary: 'Set or end the shadow version',
        description:
          'A shadow version classifies the photos of the default version for comparison. Results do not change.',
        operationId: 'shadowModel',
        tags: ['model'],
        body: ShadowRequest,
        response: {
          200: answer,
          ...errorResponses(...always, missing, alreadyDefault('1.0.0')),
        },
      },
    },
    (request) =>
      change(request, async (tx, last, fleet) => {
        const { version } = request.body;
        if (version === (last?.shadowVersion ?? null)) return undefined;
        if (version !== null) {
          if (version === defaultVersion(fleet, setting, last?.defaultVersion)) throw alreadyDefault(version);
          requireInstalled(fleet, version, await readTrainedVersions(tx));
        }
        return {
          action: 'shadow',
          defaultVersion: last?.defaultVersion ?? null,
          shadowVersion: version,
          rollsBackTo: last?.rollsBackTo ?? null,
        };
      }),
  );

  app.get<{ Querystring: Static<typeof ShadowQuery> }>(
    '/models/shadow',
    {
      config,
      schema: {
        summary: 'Comparison of shadow and default versions',
        description: 'How often their main defects agreed, and the last photos on which they differ.',
        operationId: 'readShadow',
        tags: ['model'],
        querystring: ShadowQuery,
        response: { 200: describeResponse('The comparison.', ShadowPage), ...errorResponses(queueUnavailable()) },
      },
    },
    async ({ query, principal }) => {
      const seesAll = !isSandboxPrincipal(principal) && (!ownTasksOnly || isReviewer(principal));
      const sees = (owner: string) => seesAll || owner === principal;
      const [reports, differences] = await Promise.all([readShadowReports(db, query.days), readDifferences(db)]);
      const found = await Promise.all(differences.map(({ taskId }) => tasks.read('defectoscopy', taskId)));
      return success({
        days: query.days,
        comparisons: (seesAll ? reports : []).map(({ shadowVersion, defaultVersion, photos, agreeing, pairs }) => ({
          ...{ shadow: shadowVersion, default: defaultVersion, photos, agreeing },
          pairs: pairs.map((pair) => ({ default: pair.defaultLabel, shadow: pair.shadowLabel, photos: pair.photos })),
        })),
        differing: differences.flatMap(({ taskId, shadowVersion, defaultVersion, at, ...labels }, i) =>
          found[i] && sees(found[i].principal)
            ? [
                {
                  ...{ task_id: taskId, shadow_version: shadowVersion, default_version: defaultVersion },
                  ...{ default: labels.defaultLabel, shadow: labels.shadowLabel, at: unixSeconds(at) },
                },
              ]
            : [],
        ),
      });
    },
  );
}
