import type { Command } from 'commander';
import { isWithinEdits } from '../base/edit-distance.ts';
import { OperatorError } from '../base/operator-error.ts';

/** Throws for an unknown command or subcommand, which commander would pass to the default command as an argument. */
export function checkCommand(command: Command, args: readonly string[], path: readonly string[] = []): void {
  const [name, ...rest] = withoutOptions(command, args);
  if (name === undefined || name.startsWith('-') || command.commands.length === 0) return;
  const found = name === 'help' ? command : command.commands.find((each) => each.name() === name);
  if (found) {
    checkCommand(found, rest, found === command ? path : [...path, name]);
    return;
  }
  const names = command.commands.map((each) => each.name());
  const within = (edits: number) => names.find((each) => isWithinEdits(name, each, edits));
  const isBeginning = (each: string) => name.length >= MIN_BEGINNING && each.startsWith(name);
  const meant = within(1) ?? names.find(isBeginning) ?? (name.length < MIN_LENGTH_OF_TWO_EDITS ? undefined : within(2));
  const instead = path.length > 0 ? `. The commands are ${names.join(', ')}.` : '; see `assay --help`.';
  const hint = meant === undefined ? instead : `. Did you mean "${[...path, meant].join(' ')}"?`;
  throw new OperatorError(`There is no command ${[...path, name].join(' ')}${hint}`);
}

/** `args` after options and their values: those of `command`, or of its subcommands, one of which may be the default. */
function withoutOptions(command: Command, args: readonly string[]): readonly string[] {
  const [first, ...rest] = args;
  const [flag, value] = first?.split('=', 2) ?? [];
  const options = [command, ...command.commands].flatMap((each) => each.options);
  const option = flag && options.find(({ long, short }) => flag === long || flag === short);
  if (!option) return args;
  return withoutOptions(command, option.required && value === undefined ? rest.slice(1) : rest);
}

/** Chosen: of three letters, few commands begin alike. */
const MIN_BEGINNING = 3;
/** Shorter names are two edits away from too many others. */
const MIN_LENGTH_OF_TWO_EDITS = 5;
