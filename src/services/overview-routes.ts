import type { Gateway } from '../http/gateway.ts';
import { sendPage } from '../ui/send-page.ts';
import { joinNeighbours, serviceLinks } from './neighbours.ts';
import { overviewPage } from './overview-page.tsx';
import type { GatewayHouse, SharedSettings } from './service.ts';
import { languageOf } from './task-routes.ts';

/**
 * Links the pages of this listener with those of the others, and adds what shows all services at once: `GET /overview`
 * for people and `GET /overview.json` for programs. Both are open to everybody, like `/ready`, and tell no more than
 * that and `/metrics` do; where METRICS_TOKEN closes `/metrics`, what only it tells is left out.
 */
export function overviewRoutes(
  app: Gateway,
  needs: {
    service: string;
    house: Pick<GatewayHouse, 'neighbours' | 'overview'>;
    shared: Pick<SharedSettings, 'metricsToken' | 'version'>;
  },
): void {
  const { service, house, shared } = needs;
  const open = shared.metricsToken === undefined;
  const snapshot = () => house.overview.snapshot({ open });
  joinNeighbours(app, service, house.neighbours);

  app.get('/overview.json', { config: { access: 'public' }, schema: { hide: true } }, (_request, reply) =>
    reply.header('cache-control', 'no-store').send(snapshot()),
  );

  app.get('/overview', { config: { access: 'public', page: true }, schema: { hide: true } }, async (request, reply) => {
    const language = languageOf(request.headers['accept-language']);
    const html = await overviewPage({
      ...{ language, open, snapshot: snapshot(), version: shared.version },
      assets: await app.assets!(),
      services: serviceLinks(request, language),
      titles: new Map(house.neighbours.all.map(({ name, titles }) => [name, titles[language]])),
    });
    return sendPage(reply, language, html);
  });
}
