// Tests the mutants of one file from a given number on and prints a JSON line for each. Runs as a separate process, so that
// the caller can kill it when a mutant does not terminate.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createVitest } from 'vitest/node';
import { mutantsOf, mutated } from './mutants.mjs';
import { TARGETS } from './targets.mjs';

const [file, from = '0', count = 'Infinity'] = process.argv.slice(2);
const target = TARGETS.find((each) => each.file === file);
const path = join(process.cwd(), file);
const original = readFileSync(path, 'utf8');
let current = original;

const print = (event) => process.stdout.write(`\n@${JSON.stringify(event)}\n`);
const vitest = await createVitest(
  'test',
  {
    config: false,
    watch: false,
    include: [...target.tests],
    ...(target.database && { globalSetup: ['test/support/database-server.ts'] }),
    reporters: [{}],
    pool: 'threads',
    maxWorkers: 1,
    bail: 1,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    fileParallelism: false,
    sequence: { concurrent: false },
  },
  { plugins: [{ name: 'mutant', enforce: 'pre', load: (id) => (id.split('?')[0] === path ? current : null) }] },
);
const specifications = await vitest.globTestSpecifications();
const findFailure = async () => {
  vitest.invalidateFile(path);
  const { testModules, unhandledErrors } = await vitest.rerunTestSpecifications(specifications);
  const broken = testModules.find((module) => !module.ok());
  if (broken === undefined && unhandledErrors.length === 0 && testModules.length > 0) return undefined;
  if (testModules.length === 0) throw new Error('no test ran');
  const test = broken && [...broken.children.allTests('failed')][0];
  return {
    by: test?.fullName ?? 'the start',
    why: test?.result().errors?.[0]?.message ?? broken?.errors()[0]?.message ?? String(unhandledErrors[0]),
  };
};

if (from === '0') {
  const broken = await findFailure();
  print({ original: broken === undefined, ...broken });
  if (broken) process.exit(1);
}
for (const [i, mutant] of mutantsOf(original).entries()) {
  if (i < Number(from) || i >= Number(from) + Number(count)) continue;
  print({ begins: i });
  current = mutated(original, mutant);
  const killed = await findFailure();
  print({ i, killed: killed !== undefined, by: killed?.by });
}
print({ end: true });
await vitest.close();
process.exit(0);
