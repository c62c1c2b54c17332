import { Command } from 'commander';
import { expect, it } from 'vitest';
import { checkCommand } from './check-command.ts';
import { addClientCommands } from './client-commands.ts';

const program = new Command('assay');
addClientCommands(program);

it.each([
  ['batchs', 'There is no command batchs. Did you mean "batches"?'],
  ['batch', 'There is no command batch. Did you mean "batches"?'],
  ['predcit wall.jpg', 'There is no command predcit. Did you mean "predict"?'],
  ['batches stauts b-1', 'There is no command batches stauts. Did you mean "batches status"?'],
  ['batches --json stauts', 'There is no command batches stauts. Did you mean "batches status"?'],
  [
    'batches --service stt --token=any stauts b-1',
    'There is no command batches stauts. Did you mean "batches status"?',
  ],
  ['batches --status failed itmes b-1', 'There is no command batches itmes. Did you mean "batches items"?'],
  ['help stauts', 'There is no command stauts; see `assay --help`.'],
  ['nonsense', 'There is no command nonsense; see `assay --help`.'],
  ['batches stat b-1', 'There is no command batches stat. Did you mean "batches status"?'],
  [
    'batches nonsense',
    'There is no command batches nonsense. The commands are list, submit, status, items, results, cancel, retry.',
  ],
])('rejects `assay %s`', (line, message) => {
  expect(() => checkCommand(program, line.split(' '))).toThrow(message);
});

it.each([
  '',
  '--help',
  'help batches',
  'batches',
  'batches --json',
  'batches --service stt',
  'batches help',
  'batches --unknown value',
  'batches list',
  'events',
  'predict batchs',
])('accepts `assay %s`', (line) => {
  const args = line === '' ? [] : line.split(' ');
  expect(() => checkCommand(program, args)).not.toThrow();
});

it('the help of a subcommand lists the options of its group that it accepts', () => {
  const helpOf = (group: string, name: string) =>
    program.commands
      .find((each) => each.name() === group)!
      .commands.find((each) => each.name() === name)!
      .helpInformation();
  expect(helpOf('batches', 'status')).toMatch(/--json/);
  expect(helpOf('deliveries', 'redeliver')).toMatch(/--since/);
  for (const name of ['resume', 'endpoints', 'test'])
    expect(helpOf('deliveries', name)).not.toMatch(/--state|--task|--since/);
});

it.each(['batches', 'deliveries'])('`assay %s help` prints the help of the group', async (group) => {
  const written: string[] = [];
  const own = new Command('assay').exitOverride().configureOutput({ writeOut: (text) => void written.push(text) });
  addClientCommands(own);
  const help = (args: string[]) => own.parseAsync(args, { from: 'user' }).catch(() => written.splice(0).join(''));
  const expected = await help([group, '--help']);
  expect(expected).toContain(`Usage: assay ${group}`);
  expect(await help([group, 'help'])).toBe(expected);
});
