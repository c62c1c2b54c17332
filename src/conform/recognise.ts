import { Breach } from './breach.ts';
import type { Exchange } from './exchange.ts';
import { NoAnswer, type Probe } from './probe.ts';
import { type Subject, subjects } from './services.ts';
import { isRecord } from './shape.ts';

/** Detects the service by its OpenAPI description or `/ready`; undefined if unknown. Throws `NoResponse`. */
export async function recognise(probe: Probe): Promise<Subject | undefined> {
  const description = await ignoreFailure(() => probe.get('/openapi.json'));
  const paths = isRecord(description?.json) ? description.json['paths'] : undefined;
  const described = subjects.filter(({ path }) => isRecord(paths) && Object.hasOwn(paths, path));
  if (described.length === 1) return described[0];
  const ready = await ignoreFailure(() => probe.get('/ready'));
  const data = isRecord(ready?.json) ? ready.json['data'] : undefined;
  return subjects.find(({ name }) => isRecord(data) && data['service'] === name);
}

async function ignoreFailure(request: () => Promise<Exchange>): Promise<Exchange | undefined> {
  try {
    return await request();
  } catch (error) {
    if (error instanceof NoAnswer || !(error instanceof Breach)) throw error;
    return undefined;
  }
}
