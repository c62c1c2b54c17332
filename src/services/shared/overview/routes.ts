import type { Gateway } from '../../../http/gateway.ts';
import { sendPage } from '../../../ui/send-page.ts';
import type { GatewayContext, SharedSettings } from '../service.ts';
import { registerServiceLinks, serviceLinks } from '../service-links.ts';
import { preferredLanguage } from '../task-routes.ts';
import type { Snapshot } from './overview.ts';
import { overviewPage } from './page.tsx';

/**
 * Neither route needs a token. When METRICS_TOKEN protects `/metrics`, figures that only `/metrics` has are omitted.
 */
export function overviewRoutes(
  app: Gateway,
  deps: {
    service: string;
    context: { serviceDirectory: GatewayContext['serviceDirectory']; overview: GatewayContext['overview'] };
    shared: Pick<SharedSettings, 'metricsToken' | 'version'>;
  },
): void {
  const { service, context, shared } = deps;
  const open = shared.metricsToken === undefined;
  const snapshot = () => context.overview.snapshot({ open });
  registerServiceLinks(app, service, context.serviceDirectory);

  app.get('/overview.json', { config: { access: 'public' }, schema: { hide: true } }, (_request, reply) =>
    reply.header('cache-control', 'no-store').send(toJson(snapshot())),
  );

  app.get('/overview', { config: { access: 'public', page: true }, schema: { hide: true } }, async (request, reply) => {
    const language = preferredLanguage(request.headers['accept-language']);
    const html = await overviewPage({
      ...{ language, open, snapshot: snapshot(), version: shared.version },
      assets: await app.assets!(),
      services: serviceLinks(request, language),
      titles: new Map(context.serviceDirectory.services.map(({ name, titles }) => [name, titles[language]])),
    });
    return sendPage(reply, language, html);
  });
}

/** The gauges of a service are fields next to its other fields. */
const toJson = (snapshot: Snapshot) => ({
  ...snapshot,
  services: snapshot.services.map(({ gauges, ...service }) => ({
    ...service,
    ...Object.fromEntries(gauges.map(({ key, values }) => [key, values])),
  })),
});
