import { AssertionFailure } from './assertion-failure.ts';
import type { Exchange } from './exchange.ts';
import { NoResponse, type Probe } from './probe.ts';
import { type ServiceChecks, serviceChecks } from './services.ts';
import { isRecord } from './shape.ts';

/** Detects the service by its OpenAPI description or `/ready`; undefined if unknown. Throws `NoResponse`. */
export async function detectService(probe: Probe): Promise<ServiceChecks | undefined> {
  const description = await ignoreFailure(() => probe.get('/openapi.json'));
  const paths = isRecord(description?.json) ? description.json['paths'] : undefined;
  const described = serviceChecks.filter(({ path }) => isRecord(paths) && Object.hasOwn(paths, path));
  if (described.length === 1) return described[0];
  const ready = await ignoreFailure(() => probe.get('/ready'));
  const data = isRecord(ready?.json) ? ready.json['data'] : undefined;
  return serviceChecks.find(({ name }) => isRecord(data) && data['service'] === name);
}

async function ignoreFailure(request: () => Promise<Exchange>): Promise<Exchange | undefined> {
  try {
    return await request();
  } catch (error) {
    if (error instanceof NoResponse || !(error instanceof AssertionFailure)) throw error;
    return undefined;
  }
}
