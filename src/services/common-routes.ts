import type { JsonObject } from '../base/json.ts';
import type { TokenSet } from '../http/bearer.ts';
import type { Gateway } from '../http/gateway.ts';
import { metricsHandler } from '../http/metrics.ts';
import { helpRoutes } from './help-routes.ts';
import { overviewRoutes } from './overview-routes.ts';
import { probeRoutes } from './probe-routes.ts';
import type { GatewayHouse, SharedSettings } from './service.ts';

/** What every listener answers beside what its service is there for: the overview, the help, the probes, the metrics. */
export function commonRoutes(
  app: Gateway,
  needs: {
    service: string;
    house: GatewayHouse;
    shared: SharedSettings;
    /** What is asked for at the moment. */
    auth: () => TokenSet['state'];
    /** Where unconfigured tokens leave nothing that could be called. */
    readyNeedsTokens?: boolean;
    /** What else `/ready` tells. */
    more?: () => JsonObject;
  },
): void {
  const { house, shared, readyNeedsTokens = false, ...service } = needs;
  const { roster, metrics, notReady, othersMetrics: others } = house;
  overviewRoutes(app, needs);
  helpRoutes(app, shared);
  probeRoutes(app, { ...service, version: shared.version, roster, notReady, readyNeedsTokens });
  app.get(
    '/metrics',
    { config: { access: 'public', probe: true }, schema: { hide: true } },
    metricsHandler({ registry: metrics.registry, token: shared.metricsToken, others }),
  );
}
