import { expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/client.ts';
import { Assay } from './index.ts';

it('events reports a lost connection once, also after the rate limit', async () => {
  const limited = () => {
    const error = { code: 'RATE_LIMIT_EXCEEDED', message: 'Not now.' };
    return Response.json({ ok: false, error }, { status: 429, headers: { 'retry-after': '1' } });
  };
  const lost = () => {
    throw new TypeError('fetch failed');
  };
  const page = () => Response.json({ ok: true, data: { events: [{ id: '1' }], next: '1', more: false } });
  const responses = [limited, limited, lost, lost, limited, lost, page];
  const { defectoscopy } = new Assay({
    defectoscopy: { url: 'http://other.example.com' },
    fetch: async () => responses.shift()!(),
    clock: createFakeClock(),
  });
  const outages: (string | undefined)[] = [];
  const events = defectoscopy.events({ onOutage: (error) => outages.push(error?.name) });
  expect((await events.next()).value).toEqual({ id: '1' });
  expect(outages).toEqual(['RateLimited', 'NetworkProblem', undefined]);
});
