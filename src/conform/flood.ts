import { admitted, asOwner, nobodys } from './access.ts';
import { skip } from './breach.ts';
import type { Visit } from './check.ts';
import type { Exchange } from './exchange.ts';

// Three times the specification's default of 1000 a minute.
const MOST = 3_000;
const AT_ONCE = 50;
const WITHIN_MS = 50_000;

/** Asks until it is refused, and answers the refusal; throws a `Skip` where that was not allowed, or does not come. */
export async function flooded(visit: Visit): Promise<Exchange> {
  if (!visit.mayFlood) skip('it takes more than a thousand requests; --flood sends them');
  await admitted(visit);
  const end = Date.now() + WITHIN_MS;
  let asked = 0;
  while (asked < MOST && Date.now() < end) {
    const ask = () => visit.probe.get(`/result/${nobodys(visit)}`, asOwner(visit));
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, ask));
    const refusal = answers.find(({ status }) => status !== 404 && status !== 200);
    if (refusal) return refusal;
    asked += AT_ONCE;
  }
  return skip(`${asked} requests were not refused: the limit is a setting`);
}
