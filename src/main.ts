import { readFileSync } from 'node:fs';
import { Argument, Command, CommanderError, Option } from 'commander';
import { OperatorError } from './base/operator-error.ts';
import { stopSignal } from './base/stop-signal.ts';
import { checkCommand } from './commands/check-command.ts';
import { addClientCommands } from './commands/client-commands.ts';
import type { ConformOptions } from './commands/conform.ts';
import { exitWithError } from './commands/exit.ts';
import type { PhotoModelsOptions } from './commands/photo-models.ts';
import type { RestoreOptions } from './commands/restore.ts';
import type { CreateOptions, ListOptions, RevokeOptions } from './commands/tokens.ts';
import type { TrainOptions } from './commands/train.ts';
import type { TryModelOptions } from './commands/try-model/try-model.ts';
import { EXIT_CONFIG_ERROR } from './roles/supervise.ts';

/** An option of an earlier version; its use is an error that names the new one. */
const renamedOption = (flag: string, replacement: string) =>
  new Option(`${flag} [value]`)
    .hideHelp()
    .preset('')
    .argParser(() => {
      throw new OperatorError(`${flag} was renamed: use ${replacement}.`);
    });

// Commands are imported on demand, so that a process loads only the code of its role.
const program = new Command('assay')
  .description('Asynchronous ML task services for inspection work.')
  .version(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version)
  .exitOverride();

program
  .command('start', { isDefault: true })
  .description('run everything on this machine (the default): database, listeners, workers, webhooks')
  .action(async () => {
    const { start } = await import('./commands/start.ts');
    const { banner } = await import('./commands/banner.ts');
    const { withShutdownMessage } = await import('./commands/shutdown-message.ts');
    const signal = stopSignal();
    let bannerPrinted = false;
    await withShutdownMessage(signal, () =>
      start({
        // On a terminal only warnings and errors are logged.
        quiet: process.stdout.isTTY,
        signal,
        onListening(planned, addresses) {
          if (!bannerPrinted) console.log(banner(planned, addresses));
          bannerPrinted = true;
        },
      }),
    );
  });

program
  .command('demo')
  .description('start, process the examples, show the results, stop')
  .option('--keep', 'keep running afterwards')
  .action(async (options: { keep?: boolean }) => {
    const { demo } = await import('./commands/demo.ts');
    const { withShutdownMessage } = await import('./commands/shutdown-message.ts');
    const signal = stopSignal();
    if (options.keep) await withShutdownMessage(signal, () => demo({ keep: true, signal }));
    else await demo({ keep: false, signal });
  });

addClientCommands(program);

program
  .command('serve')
  .description('run the listeners')
  .option('--service <name...>', 'only these services')
  .action(async ({ service = [] }: { service?: string[] }) => (await roles()).serveCommand(service));

program
  .command('work')
  .description('run one worker')
  .requiredOption('--service <name>', 'the service whose tasks it processes')
  .action(async ({ service }: { service: string }) => (await roles()).workCommand(service));

program
  .command('deliver')
  .description('deliver webhooks')
  .option('--sweep', 'also run the cleanup in this process')
  .action(async ({ sweep = false }: { sweep?: boolean }) => (await roles()).deliverCommand({ sweep }));

program
  .command('sweep')
  .description('run the cleanup: expired leases, deadlines, deletion of expired tasks')
  .action(async () => (await roles()).sweepCommand());

program
  .command('migrate')
  .description('migrate the database to this version')
  .action(async () => (await import('./commands/migrate.ts')).migrateCommand());

program
  .command('backup')
  .description('write the database, files and keys to one archive; Assay may keep running')
  .argument('<file>', 'target file, replaced only when the new archive is complete; - is standard output')
  .option('--service <name>', 'with several databases: that of this service')
  .action(async (file: string, options: { service?: string }) =>
    (await import('./commands/backup.ts')).backupCommand(file, options, stopSignal()),
  );

program
  .command('restore')
  .description('restore a backup into an empty database and an empty DATA_DIR')
  .argument('<file>', 'archive of `assay backup`; - is standard input')
  .option('--replace', 'delete the existing data first')
  .option('--service <name>', 'with several databases: that of this service')
  .action(async (file: string, options: RestoreOptions) =>
    (await import('./commands/restore.ts')).restoreCommand(file, options, stopSignal()),
  );

const audit = program.command('audit').description('the audit trail of the reports');

audit
  .command('verify', { isDefault: true })
  .description('verify the whole trail: print its length, or the first entry that was changed (the default)')
  .action(async () => (await import('./commands/audit.ts')).verifyCommand());

program
  .command('config')
  .description('show every setting with its effective value, and warnings; secrets are not shown')
  .addArgument(new Argument('[what]', 'optional: `config check` is the same as `config`').choices(['check']))
  .option('--markdown', 'print the reference of all settings as Markdown')
  .action(async (_check: string | undefined, options: { markdown?: boolean }) =>
    (await import('./commands/config.ts')).configCommand(options),
  );

program
  .command('train')
  .description('train the heads of the defectoscopy model on a folder of labelled images or on corrections')
  .argument('[folder]', 'images in folders named by class, or with a labels.csv')
  .option('--anomaly', 'the folder has at least 20 photos of one surface without defects; report what deviates')
  .option('--from-corrections', 'train on the corrections of reviewers in the database, without a folder')
  .option('--name <version>', 'name of the new model version')
  .action(async (folder: string | undefined, options: TrainOptions) =>
    (await import('./commands/train.ts')).trainCommand(folder, options),
  );

program
  .command('conform')
  .description('check a deployment against the specification and print the result of each check')
  .argument('<url>', 'base URL of the deployment')
  .option('--service <name>', 'defectoscopy, stt, passports or catalog (default: detected)')
  .option(
    '--token <token>',
    'access token of defectoscopy, stt or catalog (default: the one configured on this machine)',
  )
  .option('--api-key <key>', 'API key of passports (default: the one configured on this machine)')
  .option('--image-url <url>', 'URL of an image for test tasks, for a deployment without file uploads')
  .option('--audio-url <url>', 'URL of a recording for test tasks, for a deployment without file uploads')
  .option('--webhook-url <url>', 'https URL for test webhooks (default: an address that does not exist)')
  .option('--only <id...>', 'run only these checks and those below them')
  .option('--timeout <seconds>', 'time limit of one task', '300')
  .option('--check-rate-limit', 'also check the rate limit: blocks other clients of this token for a minute')
  .addOption(renamedOption('--patience', '--timeout'))
  .addOption(renamedOption('--flood', '--check-rate-limit'))
  .option('--cleanup', 'also check the cleanup of passports: deletes old documents (all, if the age limit is broken)')
  .option('--json', 'print JSON')
  .action(async (url: string, options: ConformOptions) => {
    const { conformCommand } = await import('./commands/conform.ts');
    if (!(await conformCommand(url, options, { signal: stopSignal() }))) process.exitCode = 1;
  });

const tokens = program
  .command('tokens')
  .description('manage access tokens and API keys, in addition to those of the settings');

tokens
  .command('create')
  .description('create a token (for passports: an API key) and print it once')
  .requiredOption('--service <name>', 'service that it gives access to')
  .requiredOption('--name <name>', 'name of the token, for example its owner')
  .option(
    '--role <role>',
    'catalog: reader or moderator; defectoscopy: client or reviewer; passports: user or admin (default: the first of them); sandbox for all but the catalog',
  )
  .option('--expires <time>', 'lifetime: 90d, 12h, 30m (default: until it is revoked)')
  .option('--owner <name>', 'client of the token: its tokens share workers as one client')
  .option('--json', 'print JSON')
  .action(async (options: CreateOptions) => (await import('./commands/tokens.ts')).createToken(options));

tokens
  .command('list', { isDefault: true })
  .description('list the names and expiry of tokens, never the tokens themselves (the default)')
  .option('--service <name>', 'only tokens of this service')
  .option('--json', 'print JSON')
  .action(async (options: ListOptions) => (await import('./commands/tokens.ts')).listTokens(options));

tokens
  .command('revoke')
  .description('revoke a token; takes effect within two seconds')
  .argument('<name>', 'name of the token')
  .option('--service <name>', 'service of the token, if several services have one of that name')
  .action(async (name: string, options: RevokeOptions) =>
    (await import('./commands/tokens.ts')).revokeToken(name, options),
  );

const models = program.command('models').description('list models and manage the speech models of STT_MODEL');

models
  .command('list', { isDefault: true })
  .description('list available and installed speech models (the default)')
  .action(async () => (await import('./commands/models.ts')).listModels());

models
  .command('pull')
  .description('download a model; resumes an interrupted download')
  .argument('<name>', 'a name from `models list`')
  .option('--mirror <url>', 'download from this server instead, under the same path')
  .action(async (name: string, { mirror }: { mirror?: string }) =>
    (await import('./commands/models.ts')).pullCommand(name, { mirror, signal: stopSignal() }),
  );

models
  .command('try')
  .description('word errors, speed and memory of a speech model beside the current one; installs it if needed')
  .argument('<name>', 'a name from `models list`')
  .option('--folder <folder>', 'also recordings of this folder that have a .txt file with their text beside them')
  .option('--json', 'print one JSON object')
  .action(async (name: string, options: TryModelOptions) =>
    (await import('./commands/try-model/try-model.ts')).tryModel(name, options, stopSignal()),
  );

const onDefectoscopy = (command: Command): Command =>
  command
    .option('--server <url>', "base address of defectoscopy (default: this machine's)")
    .option('--token <token>', 'access token (default: ASSAY_TOKEN; for this machine: the configured token)')
    .option('--json', 'print one JSON object');

onDefectoscopy(models.command('photos'))
  .description('list the model versions of a defectoscopy service with the figures of their cards')
  .action(async (options: PhotoModelsOptions) =>
    (await import('./commands/photo-models.ts')).listPhotoModels(options, stopSignal()),
  );

onDefectoscopy(models.command('promote'))
  .description('make a version of defectoscopy the default; every worker follows within seconds')
  .argument('<version>', 'a version from `models photos`')
  .action(async (version: string, options: PhotoModelsOptions) =>
    (await import('./commands/photo-models.ts')).promoteModel(version, options, stopSignal()),
  );

onDefectoscopy(models.command('rollback'))
  .description('undo the last promotion')
  .action(async (options: PhotoModelsOptions) =>
    (await import('./commands/photo-models.ts')).rollBackModel(options, stopSignal()),
  );

onDefectoscopy(models.command('shadow'))
  .description('let a version classify live photos for comparison, without answering')
  .argument('<version|off>', 'a version from `models photos`, or off')
  .action(async (version: string, options: PhotoModelsOptions) =>
    (await import('./commands/photo-models.ts')).shadowModel(version, options, stopSignal()),
  );

// `--version` after a command is an unknown option. Set last, because commands inherit it: options of `batches` may stand after its commands.
program.enablePositionalOptions();

const roles = () => import('./commands/roles.ts');

try {
  checkCommand(program, process.argv.slice(2));
  await program.parseAsync();
} catch (error) {
  // commander has already printed the help or the usage error.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : EXIT_CONFIG_ERROR;
  else exitWithError(error);
}
