import { readFileSync } from 'node:fs';
import { Argument, Command, CommanderError } from 'commander';
import { OperatorError } from './base/operator-error.ts';
import { stopSignal } from './base/stop-signal.ts';
import { addClientCommands } from './commands/client-commands.ts';
import type { ConformOptions } from './commands/conform.ts';
import { endWith } from './commands/ending.ts';
import type { CreateOptions } from './commands/tokens.ts';
import { MISCONFIGURED } from './roles/supervise.ts';

// Each command is imported when it is called: a gateway loads no supervisor, a sweep no listener.
const program = new Command('assay')
  .description('Asynchronous ML task services for inspection work.')
  .version(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version)
  .exitOverride();

program
  .command('start', { isDefault: true })
  .description('everything on this machine: database, listeners, workers, deliveries (the default)')
  .action(async () => {
    const { start } = await import('./commands/start.ts');
    const { banner } = await import('./commands/banner.ts');
    const { withGoodbye } = await import('./commands/goodbye.ts');
    const signal = stopSignal();
    let greeted = false;
    await withGoodbye(signal, () =>
      start({
        // On a terminal the log is for what goes wrong; whoever collects it gets all of it.
        quiet: process.stdout.isTTY,
        signal,
        onListening(planned, addresses) {
          if (!greeted) console.log(banner(planned, addresses));
          greeted = true;
        },
      }),
    );
  });

program
  .command('demo')
  .description('start, send the example photo, show its result, stop')
  .option('--keep', 'stay up afterwards')
  .action(async (options: { keep?: boolean }) => {
    const { demo } = await import('./commands/demo.ts');
    const { withGoodbye } = await import('./commands/goodbye.ts');
    const signal = stopSignal();
    if (options.keep) await withGoodbye(signal, () => demo({ keep: true, signal }));
    else await demo({ keep: false, signal });
  });

addClientCommands(program);

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
  .command('backup')
  .description('everything as it is now (database, files, keys) in one file, also while Assay works')
  .argument('<file>', 'where to; an older one stays until this one is complete; - is standard output')
  .action(async (file: string) => {
    const { backupCommand } = await import('./commands/backup.ts');
    await backupCommand(file, stopSignal());
  });

program
  .command('restore')
  .description('put a backup into an empty database and an empty DATA_DIR')
  .argument('<file>', 'made by `assay backup`; - is standard input')
  .option('--replace', 'lose what is there')
  .action(async (file: string, { replace = false }: { replace?: boolean }) => {
    const { restoreCommand } = await import('./commands/restore.ts');
    await restoreCommand(file, { replace, signal: stopSignal() });
  });

const audit = program.command('audit').description('the audit trail of the reports');

audit
  .command('verify', { isDefault: true })
  .description('walk the whole trail, and say how long it is or where it was changed (the default)')
  .action(async () => {
    const { verifyCommand } = await import('./commands/audit.ts');
    await verifyCommand();
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

program
  .command('conform')
  .description('check a deployment against the specification, line by line, and print what fails')
  .argument('<url>', 'its base address')
  .option('--service <name>', 'what it is: defectoscopy, stt, passports or catalog; it tells by itself as a rule')
  .option(
    '--token <token>',
    'an access token of defectoscopy, stt or the catalog (on this machine: the one that is configured)',
  )
  .option('--api-key <key>', 'a key of passports (on this machine: the one that is configured)')
  .option('--image-url <url>', 'an image that tasks may name, where the deployment keeps no files itself')
  .option('--audio-url <url>', 'a recording that tasks may name, where the deployment keeps no files itself')
  .option('--webhook-url <url>', 'an https address that may be called back; it leads nowhere as a rule')
  .option('--only <id...>', 'only these checks, or those below them')
  .option('--patience <seconds>', 'how long a task may take', '300')
  .option('--flood', 'ask until it refuses: for a minute nobody else with this token is answered')
  .option('--cleanup', 'call the cleanup of passports, which deletes old documents (all, where a bound is not kept)')
  .option('--json', 'for programs')
  .action(async (url: string, options: ConformOptions) => {
    const { conformCommand } = await import('./commands/conform.ts');
    if (!(await conformCommand(url, options, { signal: stopSignal() }))) process.exitCode = 1;
  });

const tokens = program.command('tokens').description('access tokens and keys, beside those of the settings');

tokens
  .command('create')
  .description('print a new token, once; of passports it is a key')
  .requiredOption('--service <name>', 'what it opens')
  .requiredOption('--name <name>', 'what people call it: whose it is')
  .option('--role <role>', 'catalog: reader or moderator; passports: user or admin (default: the first of them)')
  .option('--expires <time>', 'how long it is good: 90d, 12h, 30m (default: until it is revoked)')
  .option('--json', 'for programs')
  .action(async (options: CreateOptions) => {
    const { createToken } = await import('./commands/tokens.ts');
    await createToken(options);
  });

tokens
  .command('list', { isDefault: true })
  .description('whose there are, and until when; never a token (the default)')
  .option('--service <name>', 'only those of this service')
  .option('--json', 'for programs')
  .action(async (options: { service?: string; json?: boolean }) => {
    const { listTokens } = await import('./commands/tokens.ts');
    await listTokens(options);
  });

tokens
  .command('revoke')
  .description('take one away: within two seconds it opens nothing')
  .argument('<name>', 'as it was created')
  .option('--service <name>', 'whose, where several services have one of that name')
  .action(async (name: string, options: { service?: string }) => {
    const { revokeToken } = await import('./commands/tokens.ts');
    await revokeToken(name, options);
  });

const models = program.command('models').description('the speech models that STT_MODEL can name');

models
  .command('list', { isDefault: true })
  .description('which there are, which are here, and how to get the others (the default)')
  .action(async () => {
    const { listModels } = await import('./commands/models.ts');
    await listModels();
  });

models
  .command('pull')
  .description('download a model; a pull that broke off goes on')
  .argument('<name>', 'one of the list')
  .option('--mirror <url>', 'take it from there instead, under the same path')
  .action(async (name: string, { mirror }: { mirror?: string }) => {
    const { pullCommand } = await import('./commands/models.ts');
    await pullCommand(name, { mirror, signal: stopSignal() });
  });

const roles = () => import('./commands/roles.ts');

try {
  // Otherwise it would be an argument of the default command.
  const asked = process.argv[2];
  const isCommand = asked === 'help' || program.commands.some((command) => command.name() === asked);
  if (asked !== undefined && !asked.startsWith('-') && !isCommand) {
    throw new OperatorError(`There is no command ${asked}; see \`assay --help\`.`);
  }
  await program.parseAsync();
} catch (error) {
  // The command line's own: it has said what there is to say, a help that was asked for or what is wrong with it.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : MISCONFIGURED;
  else endWith(error);
}
