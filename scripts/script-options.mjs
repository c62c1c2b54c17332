import { parseArgs } from 'node:util';

/**
 * Parses a script's options (in the format of `parseArgs`) and, with `words`, its arguments. `--help` prints `usage` and
 * exits with 0, an unknown option exits with 2.
 */
export function parseScriptOptions(usage, options, { words = false } = {}) {
  try {
    const { values, positionals } = parseArgs({
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: words,
    });
    if (!values.help) return { ...values, words: positionals };
  } catch (error) {
    exitWithUsage(`${error.message.split('. ')[0].replace(/\.$/, '')}.\n${usage}`);
  }
  console.log(usage);
  process.exit(0);
}

export function exitWithUsage(message) {
  console.error(message);
  process.exit(2);
}
