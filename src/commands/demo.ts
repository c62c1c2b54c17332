import { readFile } from 'node:fs/promises';
import { rest } from '../base/loop.ts';
import { PACKAGE_ROOT } from '../plan.ts';
import type { Recorded } from '../services/defectoscopy/result.ts';
import { banner } from './banner.ts';
import { start } from './start.ts';

/** Starts everything, sends the example photo through the public API, shows what comes out, and stops (unless `keep`). */
export async function demo({ keep, signal }: { keep: boolean; signal: AbortSignal }): Promise<void> {
  const done = new AbortController();
  let shown: Promise<void> | undefined;
  const begun = Date.now();
  console.log('Starting the database, the listeners and the worker…');
  await start({
    quiet: true,
    signal: AbortSignal.any([signal, done.signal]),
    onListening(planned, addresses) {
      shown ??= (async () => {
        try {
          const address = addresses['defectoscopy']!;
          const token = planned.services.find(({ name }) => name === 'defectoscopy')?.token ?? '';
          console.log(`Listening after ${seconds(begun)}.\n`);
          await showPhoto({ address, token, signal });
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

async function showPhoto({
  address,
  token,
  signal,
}: {
  address: string;
  token: string;
  signal: AbortSignal;
}): Promise<void> {
  const photo = await readFile(new URL('examples/wall.jpg', PACKAGE_ROOT));
  const call = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const response = await fetch(address + path, {
      ...init,
      headers: { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) },
      signal: AbortSignal.any([signal, AbortSignal.timeout(60_000)]),
    });
    const body = (await response.json()) as Answer & { error?: { code: string; message: string } };
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${body.error?.message}`);
    return body;
  };

  console.log(`1. POST /files                    examples/wall.jpg, ${Math.round(photo.length / 1024)} KiB`);
  const { url } = (await call('/files', { method: 'POST', body: photo, headers: { 'content-type': 'image/jpeg' } }))
    .data;
  console.log(`   ${url}`);

  console.log('2. POST /predict                  a reference in, a task id out at once');
  const body = JSON.stringify({ image_url: url });
  const task = (await call('/predict', { method: 'POST', body, headers: { 'content-type': 'application/json' } })).data;
  console.log(`   ${task.task_id}  ${task.status}`);

  console.log(`3. GET ${task.status_url}`);
  const asked = Date.now();
  for (let status = task.status; !signal.aborted; ) {
    const state = (await call(task.status_url!, { headers: { prefer: 'wait=1' } })).data;
    if (state.status !== status) console.log(`   ${seconds(asked).padStart(7)}  ${state.status}`);
    status = state.status;
    if (state.status === 'failed') throw new Error(state.error);
    if (state.status === 'done') return print(state.result!, state.processing_time_ms!);
    await rest(50, signal);
  }
}

function print(result: Recorded, processingMs: number): void {
  console.log(`\n   surface    ${result.surface}   (${processingMs} ms of work)`);
  const bars = (title: string, scored: Recorded['masters']) =>
    scored.forEach(({ name, conf }, i) => {
      const bar = '█'.repeat(Math.round(conf * 30)).padEnd(30, '·');
      console.log(
        `   ${(i === 0 ? title : '').padEnd(10)} ${name.padEnd(18)} ${bar} ${(conf * 100).toFixed(1).padStart(5)} %`,
      );
    });
  bars('groups', result.masters);
  bars('defects', result.defects);
  if (result.defects.length === 0) console.log('   defects    none: the surface looks sound');
}

interface Answer {
  data: {
    url?: string;
    task_id?: string;
    status_url?: string;
    status?: string;
    result?: Recorded;
    processing_time_ms?: number;
    error?: string;
  };
}

const seconds = (since: number) => `${((Date.now() - since) / 1000).toFixed(1)} s`;
