import { banner } from './banner.ts';
import { demonstrateCatalog } from './demo-catalog.ts';
import { createDemoContext, DEMO_STEPS, elapsedSeconds } from './demo-steps.ts';
import { start } from './start.ts';

/** `assay demo`: sends an example to each service, prints the results, and stops unless `keep`. */
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
          console.log(`Listening after ${elapsedSeconds(begun)}.`);
          const recordIds: string[] = [];
          for (const { name, title, credential } of planned.services) {
            const show = DEMO_STEPS.find(({ service }) => service === name);
            const address = addresses[name];
            if (!show || address === undefined) continue;
            console.log(`\n${title}\n`);
            recordIds.push(`${name}:${await show.run(createDemoContext({ address, credential, signal }))}`);
          }
          const catalog = planned.services.find(({ name }) => name === 'catalog');
          const address = addresses['catalog'];
          if (catalog && address !== undefined && recordIds.length > 0) {
            console.log(`\n${catalog.title}\n`);
            await demonstrateCatalog(createDemoContext({ address, credential: catalog.credential, signal }), recordIds);
          }
          if (keep) console.log(banner(planned, addresses));
          else
            console.log(
              '\nThe demo is complete. `npm start` runs Assay; `npm run demo -- --keep` keeps it running after the demo.',
            );
        } catch (error) {
          if (signal.aborted) return;
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
