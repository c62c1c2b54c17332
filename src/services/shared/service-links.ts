import type { AddressInfo } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { parseUrl } from '../../base/parse-url.ts';
import type { Gateway } from '../../http/gateway.ts';
import type { ServiceLink } from '../../ui/service-links.tsx';

export interface ServiceEntry {
  readonly name: string;
  readonly titles: Readonly<Record<'en' | 'ru', string>>;
  readonly publicUrl: string | undefined;
  readonly port: number;
  /** Of a service without a task queue. */
  readonly gauges?: readonly OverviewGauge[];
}

/** A gauge in the gateway's registry that the overview shows for a service without a task queue. */
export interface OverviewGauge {
  /** The field of `GET /overview.json`. */
  readonly key: string;
  readonly metric: string;
  readonly labels: Readonly<Record<'en' | 'ru', string>>;
}

/** The services of this installation, and the ports that this process listens on. */
export interface ServiceDirectory {
  readonly services: readonly ServiceEntry[];
  /** By service name. A port chosen by the system is added when the listener opens. */
  readonly ports: Map<string, number>;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Absent on a listener without pages. */
    serviceLinks?: (request: FastifyRequest, language: 'en' | 'ru') => readonly ServiceLink[];
  }
}

export const createServiceDirectory = (services: readonly ServiceEntry[]): ServiceDirectory => ({
  services,
  ports: new Map(services.flatMap(({ name, port }) => (port === 0 ? [] : [[name, port]]))),
});

/** Adds the service links to the pages of this listener, and registers its port. */
export function registerServiceLinks(app: Gateway, service: string, { services, ports }: ServiceDirectory): void {
  app.addHook('onListen', async () => {
    ports.set(service, (app.server.address() as AddressInfo).port);
  });
  app.decorate('serviceLinks', (request: FastifyRequest, language: 'en' | 'ru') =>
    services.flatMap(({ name, titles, publicUrl }): ServiceLink[] => {
      const title = titles[language];
      if (name === service) return [{ name, title }];
      const port = ports.get(name);
      const href = publicUrl ? withSlash(publicUrl) : port === undefined ? undefined : sameHost(request, port);
      return href === undefined ? [] : [{ name, title, href }];
    }),
  );
}

export const serviceLinks = (request: FastifyRequest, language: 'en' | 'ru'): readonly ServiceLink[] =>
  request.server.serviceLinks?.(request, language) ?? [];

const withSlash = (url: string) => (url.endsWith('/') ? url : `${url}/`);

/** The same host with another port; undefined if the Host header is invalid. */
function sameHost({ protocol, host }: FastifyRequest, port: number): string | undefined {
  const requested = parseUrl(`${protocol}://${host}`);
  if (!requested) return undefined;
  const url = new URL('/', requested);
  url.port = String(port);
  return url.href;
}
