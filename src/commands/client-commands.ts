import { type Command, InvalidArgumentError, Option } from 'commander';
import { stopSignal } from '../base/stop-signal.ts';
import type { EventsOptions } from './events.ts';
import type { ExtractOptions } from './extract.ts';
import { isFolder } from './local-files.ts';
import type { PredictOptions, TranscribeOptions } from './task-commands.ts';

export function addClientCommands(program: Command): void {
  onServer(program.command('predict'), 'defectoscopy')
    .description('classify the surface and its defects on a photo, or on all photos of a folder')
    .argument('<file|url|folder>', 'an image, its https address on an allowed host, or a folder')
    .addOption(new Option('--priority <priority>', 'queue priority').choices(['realtime', 'batch']))
    .option('--model-version <version>', 'an installed model version other than the default')
    .action(async (source: string, options: PredictOptions) =>
      (await isFolder(source))
        ? (await import('./folder/folder-commands.ts')).predictFolder(source, options, stopSignal())
        : (await import('./task-commands.ts')).predictCommand(source, options, stopSignal()),
    );

  onServer(program.command('transcribe'), 'speech to text')
    .description('transcribe a recording, or all recordings of a folder')
    .argument('<file|url|folder>', 'a recording, its https address, or a folder')
    .option('--language <code>', 'spoken language as ISO 639-1 code (en, ru), or auto')
    .addOption(
      new Option('--format <format>', 'transcript format').choices(['txt', 'srt', 'vtt', 'json']).conflicts('json'),
    )
    .action(async (source: string, options: TranscribeOptions) =>
      (await isFolder(source))
        ? (await import('./folder/folder-commands.ts')).transcribeFolder(source, options, stopSignal())
        : (await import('./task-commands.ts')).transcribeCommand(source, options, stopSignal()),
    );

  onServer(program.command('extract'), 'passports')
    .description('extract the fields of technical passports')
    .argument(
      '<path...>',
      'PDFs, and image files that together form one document; or one folder: each PDF, and the images of each subfolder, is a document',
    )
    .option(
      '--api-key <key>',
      'API key to exchange for a token (default: ASSAY_API_KEY; for this machine: the configured key)',
    )
    .addOption(new Option('--language <code>', 'language of the field labels').choices(['en', 'ru']))
    .addOption(
      new Option('--format <format>', 'output format').choices(['text', 'json', 'xlsx', 'pdf']).conflicts('json'),
    )
    .action(async (files: string[], options: ExtractOptions) =>
      files.length === 1 && (await isFolder(files[0]!))
        ? (await import('./folder/folder-commands.ts')).extractFolder(files[0]!, options, stopSignal())
        : (await import('./extract.ts')).extractCommand(files, options, stopSignal()),
    );

  program
    .command('events')
    .description('list the events of the tasks of a credential: ends, deletions and corrections')
    .addOption(
      new Option('--service <name>', 'service of the tasks')
        .choices(['defectoscopy', 'stt', 'passports'])
        .default('defectoscopy'),
    )
    .option('--server <url>', "base address of the service (default: this machine's)")
    .option('--token <token>', 'access token (default: ASSAY_TOKEN; for this machine: the configured token)')
    .option('--api-key <key>', 'API key of passports (default: ASSAY_API_KEY; for this machine: the configured key)')
    .option(
      '--after <id>',
      'start after the event with this id (default: the first stored event, or with --follow the last)',
    )
    .option('--follow', 'wait for new events')
    .option('--json', 'print one JSON object per line')
    .action(async (options: EventsOptions) => (await import('./events.ts')).eventsCommand(options, stopSignal()));
}

const onServer = (command: Command, service: string): Command =>
  command
    .option('--server <url>', `base address of ${service} (default: this machine's)`)
    .option('--token <token>', 'access token (default: ASSAY_TOKEN; for this machine: the configured token)')
    .option('--no-wait', 'print the task id and exit')
    // After --no-wait, which makes it the default.
    .option('--wait', 'wait for the result (the default)')
    .option('--json', 'print one JSON object')
    .option('--output <path>', 'write the output to this file; for a folder: .csv or .jsonl, or a folder for files')
    .addOption(
      new Option('--concurrency <number>', 'tasks at a time for a folder (default: 8)').argParser(parseConcurrency),
    );

function parseConcurrency(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > 64) throw new InvalidArgumentError('Use 1 to 64.');
  return number;
}
