import type { Command } from 'commander';
import { isWithinEdits } from '../base/edit-distance.ts';
import { OperatorError } from '../base/operator-error.ts';

/** Throws for an unknown command or subcommand, which commander would pass to the default command as an argument. */
export function checkCommand(command: Command, [name, ...rest]: readonly string[], path: readonly string[] = []): void {
  if (name === undefined || name.startsWith('-') || name === 'help' || command.commands.length === 0) return;
  const found = command.commands.find((each) => each.name() === name);
  if (found) {
    checkCommand(found, rest, [...path, name]);
    return;
  }
  const names = command.commands.map((each) => each.name());
  const within = (edits: number) => names.find((each) => isWithinEdits(name, each, edits));
  const meant = within(1) ?? (name.length < MIN_LENGTH_OF_TWO_EDITS ? undefined : within(2));
  const hint =
    meant === undefined
      ? `; see \`${['assay', ...path, '--help'].join(' ')}\`.`
      : `. Did you mean "${[...path, meant].join(' ')}"?`;
  throw new OperatorError(`There is no command ${[...path, name].join(' ')}${hint}`);
}

/** Shorter names are two edits away from too many others. */
const MIN_LENGTH_OF_TWO_EDITS = 5;
