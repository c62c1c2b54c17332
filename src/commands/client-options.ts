import { type Command, InvalidArgumentError, Option } from 'commander';

/** The services that a command has by its option `--service`. */
export const TASK_SERVICES = ['defectoscopy', 'stt', 'passports'] as const;

export type TaskServiceName = (typeof TASK_SERVICES)[number];

/** Output formats of a result, beside the text of the service. */
export const RESULT_FORMATS = {
  defectoscopy: [],
  stt: ['txt', 'srt', 'vtt', 'json'],
  passports: ['text', 'json', 'xlsx', 'pdf'],
} as const;

export const withTasks = (command: Command, services: readonly string[]): Command =>
  withServer(
    command.addOption(new Option('--service <name>', 'service of the tasks').choices(services).default('defectoscopy')),
  );

export const withServer = (command: Command): Command =>
  command
    .option('--server <url>', "base address of the service (default: this machine's)")
    .option('--token <token>', 'access token (default: ASSAY_TOKEN; for this machine: the configured token)');

export const withKey = (command: Command): Command =>
  command.option(
    '--api-key <key>',
    'API key of passports (default: ASSAY_API_KEY; for this machine: the configured key)',
  );

export const withLanguage = (command: Command): Command =>
  command.addOption(
    new Option(
      '--language <code>',
      'of passports: language of the field labels in text, JSON, XLSX and PDF; all other output is in English',
    ).choices(['en', 'ru']),
  );

export const onServer = (command: Command, service: string, forFolder = 'a .csv or .jsonl file'): Command =>
  command
    .option('--server <url>', `base address of ${service} (default: this machine's)`)
    .option('--token <token>', 'access token (default: ASSAY_TOKEN; for this machine: the configured token)')
    .option('--no-wait', 'print the task id and exit')
    // After --no-wait, which makes it the default.
    .option('--wait', 'wait for the result (the default)')
    .option('--project <name>', 'project of the task, for filters of lists and of the catalog')
    .option('--tag <tag>', 'tag of the task; repeat it for several', collect)
    .option('--json', 'print one JSON object')
    .option('--output <path>', `write the output to this file; for a folder: ${forFolder}`)
    .addOption(
      new Option('--concurrency <number>', 'tasks at a time for a folder (default: 8; 64 on another server)').argParser(
        parseConcurrency,
      ),
    );

export const collect = (value: string, earlier: readonly string[] = []): readonly string[] => [...earlier, value];

function parseConcurrency(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > 64) throw new InvalidArgumentError('Use 1 to 64.');
  return number;
}
