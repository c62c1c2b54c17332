// What a script was asked for: its flags, or a sentence and status 2 where they are others than it has.
import { parseArgs } from 'node:util';

/**
 * The values of a script's flags (`options` as `parseArgs` takes them) and the words beside them, where it takes any.
 * `--help` prints `usage` and ends with 0, anything that it does not have with 2.
 */
export function asked(usage, options, { words = false } = {}) {
  try {
    const { values, positionals } = parseArgs({
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: words,
    });
    if (!values.help) return { ...values, words: positionals };
  } catch (error) {
    refuse(`${error.message.split('. ')[0].replace(/\.$/, '')}.\n${usage}`);
  }
  console.log(usage);
  process.exit(0);
}

export function refuse(sentence) {
  console.error(sentence);
  process.exit(2);
}
