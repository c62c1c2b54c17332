import { setTimeout as delay } from 'node:timers/promises';
import { type EmbeddedPostgresOptions, startEmbeddedPostgres } from '../embedded-postgres.ts';
import { createLog } from '../log.ts';

// A program that starts a server, says so, and stops it gently when asked: what tests kill. See node-program.ts.
const options = JSON.parse(process.argv[2] ?? '{}') as Omit<EmbeddedPostgresOptions, 'log'>;
const began = performance.now();
const server = await startEmbeddedPostgres({ ...options, log: createLog('info', 'parent') });
const { url, pid, adopted } = server;
process.stdout.write(`${JSON.stringify({ url, pid, adopted, tookMs: Math.round(performance.now() - began) })}\n`);

process.once('SIGTERM', () => {
  void server.stop().then(() => process.exit(0));
});
await Promise.race([server.exited, delay(60_000)]);
