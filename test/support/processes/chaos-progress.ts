import type { Audit } from './audit.ts';

const REPORT_INTERVAL_MS = 10_000;

export function startProgressReports(audit: Audit, tell: (what: string) => void): { stop(): void } {
  const report = async () => {
    const { tasks, unfinished, leased, undelivered } = await audit.counts();
    const { rows } = await audit.db.query<{ worker: string; claims: number }>(CLAIMS, [REPORT_INTERVAL_MS / 1000]);
    const claims = rows.map(({ worker, claims }) => `${worker} ${claims}`).join(', ');
    tell(`${tasks} tasks, ${unfinished} unfinished, ${leased} held, ${undelivered} undelivered; claims: ${claims}`);
  };
  const timer = setInterval(() => void report().catch(() => {}), REPORT_INTERVAL_MS);
  return { stop: () => clearInterval(timer) };
}

const CLAIMS = `
  select worker, count(*)::int as claims from audit
   where worker is not null and at > clock_timestamp() - make_interval(secs => $1) group by worker order by worker
`;
