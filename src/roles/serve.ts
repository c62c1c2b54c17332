import type { Log } from '../base/log.ts';
import { rest } from '../base/loop.ts';
import { OperatorError } from '../base/operator-error.ts';
import type { Gateway } from '../http/gateway.ts';
import type { GatewayHouse, OpenService } from '../services/service.ts';

/** A port that somebody else has: a plain sentence for the operator instead of a stack. */
export class PortTaken extends OperatorError {
  override readonly name = 'PortTaken';
}

/** A predecessor that was killed or still closes may hold the port for this long. */
const PORT_PATIENCE_MS = 12_000;

/** Listens for every service until `signal` aborts, then answers what is in flight and closes. */
export async function serve(needs: {
  services: readonly OpenService[];
  house: GatewayHouse;
  host: string;
  onListening: (addresses: Record<string, string>) => void;
  log: Log;
  signal: AbortSignal;
}): Promise<void> {
  const { services, house, host, log, signal } = needs;
  const gateways: Gateway[] = [];
  try {
    const addresses: Record<string, string> = {};
    for (const service of services) {
      const gateway = await service.gateway(house);
      gateways.push(gateway);
      addresses[service.name] = await listen(gateway, { service, host, log, signal });
    }
    needs.onListening(addresses);
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  } finally {
    await Promise.all(gateways.map((gateway) => gateway.close()));
  }
}

async function listen(
  gateway: Gateway,
  needs: { service: OpenService; host: string; log: Log; signal: AbortSignal },
): Promise<string> {
  const { service, host, log, signal } = needs;
  const { name, port } = service;
  let told = false;
  for (const since = Date.now(); ; await rest(250, signal)) {
    try {
      return await gateway.listen({ host, port, listenTextResolver: (address) => `listening on ${address}` });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      if (signal.aborted || Date.now() - since > PORT_PATIENCE_MS) {
        throw new PortTaken(`Port ${port} is taken by another program; set ${name.toUpperCase()}_PORT to a free one.`);
      }
      if (!told) log.warn({ port }, 'the port is taken; maybe a predecessor is about to leave it');
      told = true;
    }
  }
}
