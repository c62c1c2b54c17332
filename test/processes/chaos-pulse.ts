import type { Audit } from './audit.ts';

const EVERY_MS = 10_000;

/** Says every ten seconds how far the work has come, for whoever watches a long run or looks for what held it up. */
export function feelPulse(audit: Audit, tell: (what: string) => void): { stop(): void } {
  const beat = async () => {
    const { tasks, unfinished, leased, undelivered } = await audit.counts();
    const { rows } = await audit.db.query<{ worker: string; claims: number }>(CLAIMS, [EVERY_MS / 1000]);
    const claims = rows.map(({ worker, claims }) => `${worker} ${claims}`).join(', ');
    tell(`${tasks} tasks, ${unfinished} unfinished, ${leased} held, ${undelivered} undelivered; claims: ${claims}`);
  };
  // What cannot be said is not said.
  const timer = setInterval(() => void beat().catch(() => {}), EVERY_MS);
  return { stop: () => clearInterval(timer) };
}

const CLAIMS = `
  select worker, count(*)::int as claims from audit
   where worker is not null and at > clock_timestamp() - make_interval(secs => $1) group by worker order by worker
`;
