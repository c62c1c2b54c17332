// Time that the network for fields takes per page, on one core.
// node --import ./test/support/read-types.mjs bench/field-network.mjs [first|…|thirtyfirst|FOLDER] [RUNS]
//   Prints the forms of a folder as described in test/passports/accuracy/blind/README.md to PDF, and runs the network RUNS times (5)
//   on each page, with its features. The median of each page counts.
import './help.mjs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSession } from '../src/ml/session.ts';
import { bundledFile } from '../src/services/passports/model/bundled-file.ts';
import { describeParts } from '../src/services/passports/model/field-network/page-reading.ts';
import { runNetwork } from '../src/services/passports/model/field-network/run-network.ts';
import { valueTokens } from '../src/services/passports/model/fields/page-tokens.ts';
import { readBlindForms } from '../test/passports/accuracy/blind-forms.ts';
import { openBlindReader } from '../test/passports/accuracy/blind-reading.ts';

const [name = 'twentythird', runs = '5'] = process.argv.slice(2);
const forms = /^\w+$/u.test(name)
  ? fileURLToPath(new URL(`../test/passports/accuracy/blind/${name}`, import.meta.url))
  : name;
const cache = await mkdtemp(join(tmpdir(), 'field-network-'));
const reader = openBlindReader({ cache, ocr: 'system' });
const session = await openSession({ path: await bundledFile('fields.onnx'), poolSize: 1 });
const median = (sorted) => sorted[sorted.length >> 1];
const sort = (numbers) => numbers.toSorted((a, b) => a - b);

/** CPU time of all threads does not count waiting for other processes of the machine. */
async function timesOf(sheet) {
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  for (const part of describeParts(sheet)) await runNetwork((feeds) => session.run(feeds), part);
  const { user, system } = process.cpuUsage(cpu);
  return { elapsed: performance.now() - start, cpu: (user + system) / 1000 };
}

const pages = [];
for (const form of await readBlindForms(forms)) {
  for (const document of form.documents) {
    for (const sheet of valueTokens(await reader.read(form.name, document, 'pdf'))) {
      const times = [];
      for (let i = 0; i <= Number(runs); i++) times.push(await timesOf(sheet));
      // Without the first run, which allocates the memory for this number of words.
      const middle = (key) => median(sort(times.slice(1).map((time) => time[key])));
      pages.push({ words: sheet.tokens.length, elapsed: middle('elapsed'), cpu: middle('cpu') });
    }
  }
}
const all = (key) => sort(pages.map((page) => page[key]));
const describe = (sorted) => `p50 ${median(sorted).toFixed(1)} ms, maximum ${sorted.at(-1).toFixed(1)} ms`;
const words = all('words');
console.log(`${pages.length} pages of ${name}: ${words[0]} to ${words.at(-1)} words, median ${median(words)}`);
console.log(`Per page: ${describe(all('elapsed'))}; CPU time: ${describe(all('cpu'))}`);
await Promise.all([session.close(), reader.close(), rm(cache, { recursive: true })]);
