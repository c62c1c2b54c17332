import { type Command, Option } from 'commander';
import { stopSignal } from '../base/stop-signal.ts';
import type { ExtractOptions } from './extract.ts';
import type { PredictOptions } from './predict.ts';
import type { TranscribeOptions } from './transcribe.ts';

/** The commands that use a server as any client does, here or elsewhere. */
export function addClientCommands(program: Command): void {
  onServer(program.command('predict'), 'defectoscopy')
    .description('what is wrong with the surface on a photo')
    .argument('<file|url>', 'an image, or its https address on one of the allowed hosts')
    .addOption(new Option('--priority <priority>', 'which tasks go first').choices(['realtime', 'batch']))
    .option('--model-version <version>', 'an installed model version other than the default')
    .action(async (source: string, options: PredictOptions) => {
      const { predictCommand } = await import('./predict.ts');
      await predictCommand(source, options, stopSignal());
    });

  onServer(program.command('transcribe'), 'speech to text')
    .description('what was said in a recording')
    .argument('<file|url>', 'a recording, or its https address')
    .option('--language <code>', 'what is spoken, as ISO 639-1 (en, ru), or auto')
    .addOption(
      new Option('--format <format>', 'the transcript alone').choices(['txt', 'srt', 'vtt', 'json']).conflicts('json'),
    )
    .action(async (source: string, options: TranscribeOptions) => {
      const { transcribeCommand } = await import('./transcribe.ts');
      await transcribeCommand(source, options, stopSignal());
    });

  onServer(program.command('extract'), 'passports')
    .description('the fields of technical passports')
    .argument('<file...>', 'PDFs; files of other kinds are photos of pages, together one document')
    .option(
      '--api-key <key>',
      'what is exchanged for a token (default: ASSAY_API_KEY; on this machine: the configured one)',
    )
    .addOption(new Option('--language <code>', 'of the labels').choices(['en', 'ru']))
    .addOption(
      new Option('--format <format>', 'how a document is told')
        .choices(['text', 'json', 'xlsx', 'pdf'])
        .conflicts('json'),
    )
    .action(async (files: string[], options: ExtractOptions) => {
      const { extractCommand } = await import('./extract.ts');
      await extractCommand(files, options, stopSignal());
    });
}

const onServer = (command: Command, service: string): Command =>
  command
    .option('--server <url>', `base address of ${service} (default: this machine's)`)
    .option('--token <token>', 'what opens it (default: ASSAY_TOKEN; on this machine: the configured one)')
    .option('--no-wait', 'the id of the task is enough')
    // Behind its opposite, which makes it the default without help saying so twice.
    .option('--wait', 'until the result is there (the default)')
    .option('--json', 'for programs: one JSON object')
    .option('--output <file>', 'where to write what would be shown');
