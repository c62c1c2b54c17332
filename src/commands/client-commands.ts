import { type Command, InvalidArgumentError, Option } from 'commander';
import { isInCalendar } from '../base/moment.ts';
import { stopSignal } from '../base/stop-signal.ts';
import type { BatchesOptions } from './batches.ts';
import {
  collect,
  onServer,
  RESULT_FORMATS,
  TASK_SERVICES,
  withKey,
  withLanguage,
  withServer,
  withTasks,
} from './client-options.ts';
import type { ListDeliveriesOptions, RedeliverOptions } from './deliveries.ts';
import type { EventsOptions } from './events.ts';
import type { ExtractOptions } from './extract.ts';
import type { ListenOptions } from './listen.ts';
import { isFolder } from './local-files.ts';
import type { DeleteOptions, ResultOptions, TaskOptions } from './task.ts';
import type { PredictOptions, TranscribeOptions } from './task-commands.ts';

export function addClientCommands(program: Command): void {
  onServer(program.command('predict'), 'defectoscopy')
    .description('classify the surface and its defects on a photo, or on all photos of a folder')
    .argument('<file|url|folder>', 'an image, its https address on an allowed host, or a folder')
    .addOption(new Option('--priority <priority>', 'queue priority').choices(['realtime', 'batch']))
    .option('--model-version <version>', 'an installed model version other than the default')
    .addOption(
      new Option('--inspect <mode>', 'analyse the photo in tiles too (default: auto)').choices([
        'auto',
        'whole',
        'overview',
      ]),
    )
    .action(async (source: string, options: PredictOptions) =>
      (await isFolder(source))
        ? (await import('./folder/folder-commands.ts')).predictFolder(source, options, stopSignal())
        : (await import('./task-commands.ts')).predictCommand(source, options, stopSignal()),
    );

  onServer(
    program.command('transcribe'),
    'speech to text',
    'a folder, for a file per recording, or a .csv or .jsonl file',
  )
    .description('transcribe a recording, or all recordings of a folder')
    .argument('<file|url|folder>', 'a recording, its https address, or a folder')
    .option('--language <code>', 'spoken language as ISO 639-1 code (en, ru), or auto')
    .option('--vocabulary <file>', 'words to prefer: a text file with a term per line, spoken forms after `=`')
    .addOption(new Option('--format <format>', 'transcript format').choices(RESULT_FORMATS.stt).conflicts('json'))
    .action(async (source: string, options: TranscribeOptions) =>
      (await isFolder(source))
        ? (await import('./folder/folder-commands.ts')).transcribeFolder(source, options, stopSignal())
        : (await import('./task-commands.ts')).transcribeCommand(source, options, stopSignal()),
    );

  withLanguage(
    onServer(program.command('extract'), 'passports', 'a .csv or .jsonl file, or with --format xlsx or pdf a folder'),
  )
    .description('extract the fields of technical passports')
    .argument(
      '<path...>',
      'PDFs, and image files that together form one document; or one folder: each PDF, and the images of each subfolder, is a document',
    )
    .option(
      '--api-key <key>',
      'API key to exchange for a token (default: ASSAY_API_KEY; for this machine: the configured key)',
    )
    .addOption(new Option('--format <format>', 'output format').choices(RESULT_FORMATS.passports).conflicts('json'))
    .action(async (files: string[], options: ExtractOptions) =>
      files.length === 1 && (await isFolder(files[0]!))
        ? (await import('./folder/folder-commands.ts')).extractFolder(files[0]!, options, stopSignal())
        : (await import('./extract.ts')).extractCommand(files, options, stopSignal()),
    );

  withKey(withTasks(program.command('timeline'), TASK_SERVICES))
    .description('show when a task was accepted, claimed, repeated and ended, with its steps and delivery attempts')
    .argument('<task>', 'a task id')
    .option('--json', 'print one JSON object')
    .action(async (id: string, options: TaskOptions) =>
      (await import('./timeline.ts')).timelineCommand(id, options, stopSignal()),
    );

  withLanguage(withKey(withTasks(program.command('result'), TASK_SERVICES)))
    .description('print the result of a task, or its state while it is unfinished')
    .argument('<task>', 'a task id')
    .option('--json', 'print one JSON object')
    .option('--output <path>', 'write the output to this file')
    .addOption(
      new Option('--format <format>', 'output format, as of `transcribe` and `extract`')
        .choices([...new Set(Object.values(RESULT_FORMATS).flat())])
        .conflicts('json'),
    )
    .action(async (id: string, options: ResultOptions) =>
      (await import('./task.ts')).resultCommand(id, options, stopSignal()),
    );

  withTasks(program.command('cancel'), TASK_SERVICES)
    .description('cancel an unfinished photo or recording; documents of passports are deleted instead, with `delete`')
    .argument('<task>', 'a task id')
    .option('--json', 'print one JSON object')
    .action(async (id: string, options: TaskOptions) =>
      (await import('./task.ts')).cancelCommand(id, options, stopSignal()),
    );

  withKey(withServer(program.command('delete')))
    .description('delete a document of technical passports and its file, also while it is processed')
    .argument('<task>', 'a task id')
    .option('--json', 'print one JSON object')
    .action(async (id: string, options: DeleteOptions) =>
      (await import('./task.ts')).deleteCommand(id, options, stopSignal()),
    );

  withKey(withTasks(program.command('events'), TASK_SERVICES))
    .description('list the events of the tasks of a credential: ends, deletions and corrections')
    .option(
      '--after <id>',
      'start after the event with this id (default: the first stored event, or with --follow the last)',
    )
    .option('--follow', 'wait for new events')
    .option('--json', 'print one JSON object per line')
    .action(async (options: EventsOptions) => (await import('./events.ts')).eventsCommand(options, stopSignal()));

  const deliveries = withTasks(program.command('deliveries'), ['defectoscopy', 'stt'])
    .description('list the webhook deliveries of the tasks of a credential with their attempts, newest first')
    .helpCommand(true)
    .addOption(new Option('--state <state>', 'list only these deliveries').choices(['pending', 'delivered', 'failed']))
    .option('--task <id>', 'list only the delivery of this task')
    .addOption(
      new Option('--since <time>', 'only deliveries attempted since then, for example 2026-01-31T08:00Z').argParser(
        parseTime,
      ),
    )
    .option('--json', 'print one JSON object per line')
    .action(async (options: ListDeliveriesOptions) =>
      (await import('./deliveries.ts')).listDeliveriesCommand(options, stopSignal()),
    )
    // Commander accepts the options of the list in its subcommands, which ignore them.
    .hook('preAction', (list, command) => {
      if (command === list) return;
      for (const name of listOptionsRefusedBy(command))
        if (list.getOptionValue(name) !== undefined)
          command.error(`error: option '--${name}' cannot be used with '${command.name()}'`);
    });

  deliveries
    .command('test')
    .description('send a signed test event to a receiver')
    .argument('<url>', 'the receiver, under the rules of webhooks')
    .option('--secret <secret>', 'secret that signs the event (default: that of the token)')
    .configureHelp(HELP_WITH_GROUP_OPTIONS)
    .action(async (url: string, _: object, command: Command) =>
      (await import('./deliveries.ts')).testWebhookCommand(url, command.optsWithGlobals(), stopSignal()),
    );

  deliveries
    .command('redeliver')
    .description('send webhooks again, with the same delivery ids: those of tasks, or with --since all failed ones')
    .argument('[task...]', 'task ids')
    .option('--pending', 'with --since: also deliveries that wait for a retry or are held')
    .configureHelp(HELP_WITH_GROUP_OPTIONS)
    .action(async (tasks: string[], _: object, command: Command) =>
      (await import('./deliveries.ts')).redeliverCommand(
        tasks,
        command.optsWithGlobals<RedeliverOptions>(),
        stopSignal(),
      ),
    );

  deliveries
    .command('endpoints')
    .description('list the receivers whose last attempts failed; those that failed for a day are paused')
    .configureHelp(HELP_WITH_GROUP_OPTIONS)
    .action(async (_: object, command: Command) =>
      (await import('./deliveries.ts')).listEndpointsCommand(command.optsWithGlobals(), stopSignal()),
    );

  deliveries
    .command('resume')
    .description('resume a paused receiver and send its held webhooks')
    .argument('<url>', 'the receiver, or any URL of it')
    .configureHelp(HELP_WITH_GROUP_OPTIONS)
    .action(async (url: string, _: object, command: Command) =>
      (await import('./deliveries.ts')).resumeEndpointCommand(url, command.optsWithGlobals(), stopSignal()),
    );

  addBatchCommands(program);

  withTasks(program.command('listen'), ['defectoscopy', 'stt'])
    .description('send the result of each task that ends to a local address, signed like a webhook')
    .requiredOption('--forward <url>', 'the receiver, for example http://localhost:3000/hook')
    .option('--secret <secret>', 'secret that signs (default: ASSAY_WEBHOOK_SECRET, or a new one, which is printed)')
    .option('--after <id>', 'start after the event with this id (default: with new events)')
    .action(async (options: ListenOptions) => (await import('./listen.ts')).listenCommand(options, stopSignal()));
}

function addBatchCommands(program: Command): void {
  const list = async (_: object, command: Command) =>
    (await import('./batches.ts')).listBatchesCommand(command.optsWithGlobals<BatchesOptions>(), stopSignal());
  const batches = withKey(withTasks(program.command('batches'), TASK_SERVICES))
    .description('list the batches of a credential, newest first')
    .helpCommand(true)
    .option('--json', 'print JSON')
    .action(list);
  batches.command('list', { hidden: true }).description('the same').action(list);

  batches
    .command('submit')
    .description(
      'create a task for each line of a file, or for each file of a ZIP archive: for all of them, or for none',
    )
    .argument(
      '<file>',
      'JSON lines, CSV (.csv) with field names as header, or an archive (.zip); of passports only an archive',
    )
    .option('--wait', 'wait until the last item has ended')
    .option('--skip-invalid', 'leave out invalid items, and list the first 20, instead of refusing the file')
    .option('--webhook-url <url>', 'called once when the last item has ended')
    .option('--project <name>', 'project of items without one')
    .option('--tag <tag>', 'tag of items without tags; repeat it for several', collect)
    .option('--idempotency-key <key>', 'returns the first batch for a repeated submission of the same file')
    .configureHelp(HELP_WITH_GROUP_OPTIONS)
    .action(async (file: string, _: object, command: Command) =>
      (await import('./batches.ts')).submitBatchCommand(file, command.optsWithGlobals(), stopSignal()),
    );

  batches
    .command('status')
    .description('show the state of a batch with its first errors')
    .argument('<batch>', 'batch id')
    .configureHelp(HELP_WITH_GROUP_OPTIONS)
    .action(async (id: string, _: object, command: Command) =>
      (await import('./batches.ts')).batchStatusCommand(id, command.optsWithGlobals(), stopSignal()),
    );

  batches
    .command('items')
    .description('list the items of a batch')
    .argument('<batch>', 'batch id')
    .addOption(
      new Option('--status <status>', 'only these items; failed ones without cancelled ones').choices([
        ...['queued', 'processing', 'done', 'failed', 'cancelled', 'deleted'],
      ]),
    )
    .configureHelp(HELP_WITH_GROUP_OPTIONS)
    .action(async (id: string, _: object, command: Command) =>
      (await import('./batches.ts')).listItemsCommand(id, command.optsWithGlobals(), stopSignal()),
    );

  batches
    .command('results')
    .description('write the results of a completed batch')
    .argument('<batch>', 'batch id')
    .addOption(new Option('--format <format>', 'file format').choices(['jsonl', 'csv', 'xlsx', 'zip']).default('jsonl'))
    .option('--output <path>', 'write to this file')
    .configureHelp(HELP_WITH_GROUP_OPTIONS)
    .action(async (id: string, _: object, command: Command) =>
      (await import('./batches.ts')).batchResultsCommand(id, command.optsWithGlobals(), stopSignal()),
    );

  for (const [change, description] of [
    ['cancel', 'cancel the unfinished items of a batch'],
    ['retry', 'queue the failed items of a completed batch again'],
  ] as const) {
    batches
      .command(change)
      .description(description)
      .argument('<batch>', 'batch id')
      .configureHelp(HELP_WITH_GROUP_OPTIONS)
      .action(async (id: string, _: object, command: Command) =>
        (await import('./batches.ts')).changeBatchCommand(change, id, command.optsWithGlobals(), stopSignal()),
      );
  }
}

/** Options of the list `deliveries` that one of its subcommands cannot have. */
function listOptionsRefusedBy(command: Command): readonly string[] {
  if (command.parent?.name() !== 'deliveries') return [];
  return command.name() === 'redeliver' ? ['state', 'task'] : ['state', 'task', 'since'];
}

/** Without `--version`, which is an option of `assay` itself only. */
const HELP_WITH_GROUP_OPTIONS = {
  showGlobalOptions: true,
  visibleGlobalOptions: (command: Command) =>
    command.parent!.options.filter((option) => !listOptionsRefusedBy(command).includes(option.attributeName())),
};

function parseTime(text: string): Date {
  const time = new Date(text);
  const isMissingDay = /^\d{4}-\d{2}-\d{2}/.test(text) && !isInCalendar(text);
  if (Number.isNaN(time.getTime()) || time.getTime() < 0 || isMissingDay)
    throw new InvalidArgumentError('Use a date or a time like 2026-01-31T08:00Z.');
  return time;
}
