import { setTimeout as delay } from 'node:timers/promises';
import { type EmbeddedPostgresOptions, startEmbeddedPostgres } from '../../src/base/embedded-postgres.ts';
import { createLog } from '../../src/base/log.ts';

// Starts a server, prints its address, and stops it on SIGTERM. Tests kill this program; see node-program.ts.
const options = JSON.parse(process.argv[2] ?? '{}') as Omit<EmbeddedPostgresOptions, 'log'>;
const startedAt = performance.now();
const server = await startEmbeddedPostgres({ ...options, log: createLog('info', 'parent') });
const { url, pid, adopted } = server;
process.stdout.write(`${JSON.stringify({ url, pid, adopted, tookMs: Math.round(performance.now() - startedAt) })}\n`);

process.once('SIGTERM', () => {
  void server.stop().then(() => process.exit(0));
});
await Promise.race([server.exited, delay(60_000)]);
