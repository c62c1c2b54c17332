import { banner } from './banner.ts';
import { SHOWS } from './demo-shows.ts';
import { seconds, setStage } from './demo-stage.ts';
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
          for (const { name, title, credential } of planned.services) {
            const show = SHOWS.find(({ service }) => service === name);
            const address = addresses[name];
            if (!show || address === undefined) continue;
            console.log(`\n${title}\n`);
            await show.play(setStage({ address, credential, signal }));
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
