// The first import of each benchmark: `--help` prints the comment at the head of the script, before anything is loaded.
import { readFileSync } from 'node:fs';

if (process.argv.includes('--help')) {
  const [head] = /^(\/\/.*\n)+/.exec(readFileSync(process.argv[1], 'utf8'));
  process.stdout.write(head.replace(/^\/\/ ?/gm, ''));
  process.exit(0);
}
