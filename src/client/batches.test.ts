import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/client.ts';
import { Assay, type Polling } from './index.ts';

const busy = (status: number, retryAfter?: number) => () =>
  new Response(null, { status, headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) } });
const batch = (status: 'in_progress' | 'completed') => () =>
  Response.json({ ok: true, data: { batch_id: 'b', status } });
const lost = () => {
  throw new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } });
};
const times = <T>(count: number, reply: T): T[] => Array.from({ length: count }, () => reply);

/** Waits for a batch whose reads get `replies`. */
async function waitFor(
  replies: readonly (() => Response)[],
  { polling, timeoutSeconds }: { polling?: Polling; timeoutSeconds?: number } = {},
) {
  const clock = createFakeClock();
  let reads = 0;
  const fetch = async () => replies[reads++]!();
  const { stt } = new Assay({ stt: { url: 'https://stt.example.com' }, fetch, clock, polling });
  const ended = await stt.batches.wait('b', { timeoutSeconds }).catch((error: unknown) => error);
  return { ended, reads, slept: clock.slept };
}

describe('batches.wait', () => {
  it('reads at once, then at intervals that double up to 15 seconds', async () => {
    const { ended, slept } = await waitFor([...times(7, batch('in_progress')), batch('completed')]);
    expect(ended).toMatchObject({ status: 'completed' });
    expect(slept).toEqual([0.5, 1, 2, 4, 8, 15, 15]);
  });

  it.each([
    ['local', [0.5, 0.5, 1, 90, 4, 8, 10, 10, 10, 10, 10]],
    ['specification', [0.5, 60, 120, 240, 300, 300, 300, 300, 300, 300, 300]],
  ] as const)('tolerates ten failed reads in a row with polling: %s', async (polling, slept) => {
    const outage = [lost, busy(503), busy(429, 90), ...times(7, busy(502))];
    const replies = [batch('in_progress'), ...outage, batch('completed')];
    expect(await waitFor(replies, { polling })).toMatchObject({ ended: { status: 'completed' }, slept });
    const { ended, reads } = await waitFor(times(20, lost), { polling });
    expect(ended).toMatchObject({ name: 'NetworkProblem' });
    expect(reads).toBe(11);
  });

  it('throws other errors at once and Timeout after its time limit', async () => {
    const unknown = await waitFor([batch('in_progress'), busy(404)]);
    expect(unknown).toMatchObject({ ended: { name: 'NotFound' }, reads: 2 });
    const late = await waitFor(times(9, batch('in_progress')), { timeoutSeconds: 5 });
    expect(late.ended).toMatchObject({
      name: 'Timeout',
      message: 'Batch b did not finish within 5 seconds; it continues.',
    });
    expect(late.slept.reduce((sum, seconds) => sum + seconds, 0)).toBe(5);
  });
});
