import { readFile } from 'node:fs/promises';
import { rest } from '../base/loop.ts';
import { PACKAGE_ROOT } from '../plan.ts';
import { banner } from './banner.ts';
import { SHOWS, type Show } from './demo-shows.ts';
import { start } from './start.ts';

/**
 * Starts everything, sends an example to each service through its public API, shows what comes out, and stops (unless
 * `keep`).
 */
export async function demo({ keep, signal }: { keep: boolean; signal: AbortSignal }): Promise<void> {
  const done = new AbortController();
  let shown: Promise<void> | undefined;
  const begun = Date.now();
  console.log('Starting the database, the listeners and the workers…');
  await start({
    quiet: true,
    signal: AbortSignal.any([signal, done.signal]),
    onListening(planned, addresses) {
      shown ??= (async () => {
        try {
          console.log(`Listening after ${seconds(begun)}.`);
          for (const { name, title, token = '' } of planned.services) {
            const show = SHOWS.find(({ service }) => service === name);
            const address = addresses[name];
            if (!show || address === undefined) continue;
            console.log(`\n${title}\n`);
            await present(show, { address, token, signal });
          }
          if (keep) console.log(banner(planned, addresses));
          else console.log('\nThat was the demo. `npm start` stays up; `npm run demo -- --keep` does both.');
        } catch (error) {
          console.error(`The demo failed: ${error instanceof Error ? error.message : String(error)}`);
          process.exitCode = 1;
        } finally {
          if (!keep || process.exitCode === 1) done.abort();
        }
      })();
    },
  });
  await shown;
}

async function present(
  show: Show,
  { address, token, signal }: { address: string; token: string; signal: AbortSignal },
) {
  const call = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const response = await fetch(address + path, {
      ...init,
      headers: { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) },
      signal: AbortSignal.any([signal, AbortSignal.timeout(60_000)]),
    });
    const body = (await response.json()) as { data: Answer; error?: { code: string; message: string } };
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${body.error?.message}`);
    return body.data;
  };

  const { example, contentType, path } = show;
  const bytes = await readFile(new URL(example, PACKAGE_ROOT));
  console.log(`1. POST /files                    ${example}, ${Math.round(bytes.length / 1024)} KiB`);
  const { url } = await call('/files', { method: 'POST', body: bytes, headers: { 'content-type': contentType } });
  console.log(`   ${url}`);

  console.log(`${`2. POST ${path}`.padEnd(33)} a reference in, a task id out at once`);
  const body = JSON.stringify(show.body(url!));
  const task = await call(path, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  console.log(`   ${task.task_id}  ${task.status}`);

  console.log(`3. GET ${task.status_url}`);
  const asked = Date.now();
  for (let status = task.status; !signal.aborted; ) {
    const state = await call(task.status_url!, { headers: { prefer: 'wait=1' } });
    if (state.status !== status) console.log(`   ${seconds(asked).padStart(7)}  ${state.status}`);
    status = state.status;
    if (state.status === 'failed') throw new Error(state.error);
    if (state.status === 'done') {
      const lines = show.told(state.result as never);
      console.log(`\n${[...lines, `(${state.processing_time_ms} ms of work)`].map((line) => `   ${line}`).join('\n')}`);
      return;
    }
    await rest(50, signal);
  }
}

interface Answer {
  readonly url?: string;
  readonly task_id?: string;
  readonly status_url?: string;
  readonly status?: string;
  readonly result?: unknown;
  readonly processing_time_ms?: number;
  readonly error?: string;
}

const seconds = (since: number) => `${((Date.now() - since) / 1000).toFixed(1)} s`;
