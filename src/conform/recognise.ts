import { Breach } from './breach.ts';
import type { Exchange } from './exchange.ts';
import { NoAnswer, type Probe } from './probe.ts';
import { type Subject, subjects } from './services.ts';
import { isRecord } from './shape.ts';

/**
 * Which service stands at this address, by its description, else by what it says of itself at `/ready`; undefined where
 * neither tells. Throws `NoAnswer` where nothing answers at all.
 */
export async function recognise(probe: Probe): Promise<Subject | undefined> {
  const description = await readable(() => probe.get('/openapi.json'));
  const paths = isRecord(description?.json) ? description.json['paths'] : undefined;
  const described = subjects.filter(({ path }) => isRecord(paths) && Object.hasOwn(paths, path));
  if (described.length === 1) return described[0];
  const ready = await readable(() => probe.get('/ready'));
  const data = isRecord(ready?.json) ? ready.json['data'] : undefined;
  return subjects.find(({ name }) => isRecord(data) && data['service'] === name);
}

async function readable(ask: () => Promise<Exchange>): Promise<Exchange | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof NoAnswer || !(error instanceof Breach)) throw error;
    return undefined;
  }
}
