import type { Log } from '../base/log.ts';
import { aborted, sleep } from '../base/loop.ts';
import { OperatorError } from '../base/operator-error.ts';
import type { Gateway } from '../http/gateway.ts';
import type { GatewayContext, OpenService } from '../services/shared/service.ts';

/** A previous process may hold the port for this long while it closes. */
const PORT_TIMEOUT_MS = 12_000;

/** Serves every service until `signal` aborts, then finishes requests in flight and closes. */
export async function serve(deps: {
  services: readonly OpenService[];
  context: GatewayContext;
  host: string;
  onListening: (addresses: Record<string, string>) => void;
  log: Log;
  signal: AbortSignal;
}): Promise<void> {
  const { services, context, host, log, signal } = deps;
  const gateways: Gateway[] = [];
  try {
    const addresses: Record<string, string> = {};
    for (const service of services) {
      const gateway = await service.gateway(context);
      gateways.push(gateway);
      addresses[service.name] = await listen(gateway, { service, host, log, signal });
    }
    deps.onListening(addresses);
    await aborted(signal);
  } finally {
    await Promise.all(gateways.map((gateway) => gateway.close()));
  }
}

async function listen(
  gateway: Gateway,
  deps: { service: OpenService; host: string; log: Log; signal: AbortSignal },
): Promise<string> {
  const { service, host, log, signal } = deps;
  const { name, port } = service;
  let hasWarned = false;
  for (const since = Date.now(); ; await sleep(250, signal)) {
    try {
      return await gateway.listen({ host, port, listenTextResolver: (address) => `listening on ${address}` });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      if (signal.aborted || Date.now() - since > PORT_TIMEOUT_MS) {
        throw new OperatorError(
          `Port ${port} is taken by another program; set ${name.toUpperCase()}_PORT to a free one.`,
        );
      }
      if (!hasWarned) log.warn({ port }, 'the port is in use; waiting for a previous process to release it');
      hasWarned = true;
    }
  }
}
