import { Argument, Command } from 'commander';
import { OperatorError } from './base/operator-error.ts';
import { stopSignal } from './base/stop-signal.ts';
import { MISCONFIGURED } from './roles/supervise.ts';

// Each command is imported when it is called: a gateway loads no supervisor, a sweep no listener.
const program = new Command('assay').description('Asynchronous ML task services for inspection work.');

program
  .command('start', { isDefault: true })
  .description('everything on this machine: database, listeners, workers, deliveries')
  .action(async () => {
    const { start } = await import('./commands/start.ts');
    const { banner } = await import('./commands/banner.ts');
    let greeted = false;
    await start({
      signal: stopSignal(),
      onListening(planned, addresses) {
        if (!greeted) console.log(banner(planned, addresses));
        greeted = true;
      },
    });
  });

program
  .command('demo')
  .description('start, send the example photo, show its result, stop')
  .option('--keep', 'stay up afterwards')
  .action(async (options: { keep?: boolean }) => {
    const { demo } = await import('./commands/demo.ts');
    await demo({ keep: options.keep === true, signal: stopSignal() });
  });

program
  .command('serve')
  .description('the listeners')
  .option('--service <name...>', 'only these services')
  .action(async ({ service = [] }: { service?: string[] }) => (await roles()).serveCommand(service));

program
  .command('work')
  .description('one worker')
  .requiredOption('--service <name>', 'the service that it works for')
  .action(async ({ service }: { service: string }) => (await roles()).workCommand(service));

program
  .command('deliver')
  .description('webhooks')
  .option('--sweep', 'keep house in the same process')
  .action(async ({ sweep = false }: { sweep?: boolean }) => (await roles()).deliverCommand({ sweep }));

program
  .command('sweep')
  .description('housekeeping: lost leases, deadlines, expiry')
  .action(async () => (await roles()).sweepCommand());

program
  .command('migrate')
  .description('bring the database to this version')
  .action(async () => {
    const { migrateCommand } = await import('./commands/migrate.ts');
    await migrateCommand();
  });

program
  .command('config')
  .description('every setting with the value in force, and what they come to; secrets are not shown')
  .addArgument(new Argument('[what]', 'the same, in the words of the documentation').choices(['check']))
  .option('--markdown', 'the document of all settings')
  .action(async (_check: string | undefined, { markdown = false }: { markdown?: boolean }) => {
    const { configCommand } = await import('./commands/config.ts');
    await configCommand({ markdown });
  });

program
  .command('train')
  .description('fit the heads of the defectoscopy model on a folder of your own labelled images')
  .argument('<folder>', 'images in folders named by class, or with a labels.csv')
  .option('--name <version>', 'the name of the new model version')
  .action(async (folder: string, options: { name?: string }) => {
    const { trainCommand } = await import('./commands/train.ts');
    await trainCommand(folder, options);
  });

const roles = () => import('./commands/roles.ts');

try {
  await program.parseAsync();
} catch (error) {
  // A configuration that cannot work is a sentence; only what nobody thought of is worth a stack.
  const expected = error instanceof OperatorError;
  if (!expected || error.message !== '') console.error(expected ? error.message : error);
  process.exitCode = expected ? MISCONFIGURED : 1;
}
