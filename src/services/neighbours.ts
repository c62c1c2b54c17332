import type { AddressInfo } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { parsedUrl } from '../base/parsed-url.ts';
import type { Gateway } from '../http/gateway.ts';
import type { ServiceLink } from '../ui/service-links.tsx';

/** A service of this installation, as the pages of the others link to it. */
export interface Neighbour {
  readonly name: string;
  /** As its pages call it. */
  readonly titles: Readonly<Record<'en' | 'ru', string>>;
  /** Its base address, where the operator has said one. */
  readonly publicUrl: string | undefined;
  readonly port: number;
  /** False where it works on nothing that is queued. */
  readonly takesTasks: boolean;
}

/** The services of this installation, and where those listen that this process has opened. */
export interface Neighbourhood {
  readonly all: readonly Neighbour[];
  /** By name; a port that the system chose is known once it is listened on. */
  readonly ports: Map<string, number>;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The links to every service of this installation; absent on a listener that has no pages. */
    serviceLinks?: (request: FastifyRequest, language: 'en' | 'ru') => readonly ServiceLink[];
  }
}

export const openNeighbourhood = (all: readonly Neighbour[]): Neighbourhood => ({
  all,
  ports: new Map(all.flatMap(({ name, port }) => (port === 0 ? [] : [[name, port]]))),
});

/** Makes the other services known to the pages of this listener, and this listener to theirs. */
export function joinNeighbours(app: Gateway, service: string, { all, ports }: Neighbourhood): void {
  app.addHook('onListen', async () => {
    ports.set(service, (app.server.address() as AddressInfo).port);
  });
  app.decorate('serviceLinks', (request: FastifyRequest, language: 'en' | 'ru') =>
    all.flatMap(({ name, titles, publicUrl }): ServiceLink[] => {
      const title = titles[language];
      if (name === service) return [{ name, title }];
      const port = ports.get(name);
      const href = publicUrl ? withSlash(publicUrl) : port === undefined ? undefined : sameHost(request, port);
      return href === undefined ? [] : [{ name, title, href }];
    }),
  );
}

/** What the header of a page links to. */
export const serviceLinks = (request: FastifyRequest, language: 'en' | 'ru'): readonly ServiceLink[] =>
  request.server.serviceLinks?.(request, language) ?? [];

const withSlash = (url: string) => (url.endsWith('/') ? url : `${url}/`);

/** Another port of the host that this page was asked for at; undefined where the client named none that is one. */
function sameHost({ protocol, host }: FastifyRequest, port: number): string | undefined {
  const asked = parsedUrl(`${protocol}://${host}`);
  if (!asked) return undefined;
  const url = new URL('/', asked);
  url.port = String(port);
  return url.href;
}
