import type { JsonObject } from '../../base/json.ts';
import type { TokenSet } from '../../http/bearer.ts';
import type { Gateway } from '../../http/gateway.ts';
import { createMetricsHandler } from '../../http/metrics.ts';
import { helpRoutes } from './help-routes.ts';
import { overviewRoutes } from './overview/routes.ts';
import { probeRoutes } from './probe-routes.ts';
import type { GatewayContext, SharedSettings } from './service.ts';

/** Adds the routes that every listener has: overview, help, probes and metrics. */
export function commonRoutes(
  app: Gateway,
  deps: {
    service: string;
    context: GatewayContext;
    shared: SharedSettings;
    auth: () => TokenSet['state'];
    /** The service has no usable route while its tokens are unconfigured. */
    readyNeedsTokens?: boolean;
    extra?: () => JsonObject;
  },
): void {
  const { context, shared, readyNeedsTokens = false, ...service } = deps;
  const { workerRegistry, metrics, notReady, othersMetrics: others } = context;
  overviewRoutes(app, deps);
  helpRoutes(app, shared);
  probeRoutes(app, { ...service, version: shared.version, workerRegistry, notReady, readyNeedsTokens });
  app.get(
    '/metrics',
    { config: { access: 'public', probe: true }, schema: { hide: true } },
    createMetricsHandler({ registry: metrics.registry, token: shared.metricsToken, others }),
  );
}
