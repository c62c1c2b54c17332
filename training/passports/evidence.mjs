// Collects the evidence for each value that the network reads in forms that it was not trained on, for calibrate.py.
// node --import ./test/support/read-types.mjs training/passports/evidence.mjs FORMS CACHE > evidence.json
// FORMS is a folder as test/passports/accuracy/blind/first; CACHE holds its pages as bench/documents-accuracy.mjs keeps them.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSession } from '../../src/ml/session.ts';
import { bundledFile } from '../../src/services/passports/model/bundled-file.ts';
import { evidenceOf, inputsOf } from '../../src/services/passports/model/field-network/confidence.ts';
import { readWithNetwork } from '../../src/services/passports/model/field-network/extract-with-network.ts';
import { describeParts } from '../../src/services/passports/model/field-network/page-reading.ts';
import { runNetwork } from '../../src/services/passports/model/field-network/run-network.ts';
import { extractByLabels } from '../../src/services/passports/model/fields/extract.ts';
import { valueTokens } from '../../src/services/passports/model/fields/page-tokens.ts';
import { everyField } from '../../src/services/passports/schema/keys.ts';
import { loadSchema } from '../../src/services/passports/schema/load-schema.ts';
import { readBlindForms } from '../../test/passports/accuracy/blind-forms.ts';
import { compareFields } from '../../test/passports/accuracy/compare.ts';

const [folder, cache, network] = process.argv.slice(2);
const schema = loadSchema();
const specs = new Map([...everyField(schema)].map(({ key, spec }) => [key, spec]));
const session = await openSession({ path: network ?? (await bundledFile('fields.onnx')), poolSize: 1 });

const rows = [];
for (const { name: form, documents } of await readBlindForms(folder)) {
  for (const { number, truth } of documents) {
    for (const kind of ['pdf', 'scan', 'photo']) {
      const path = join(cache, `${form}.${number}.${kind}.json`);
      if (!existsSync(path)) continue;
      const pages = JSON.parse(readFileSync(path, 'utf8'));
      rows.push(...(await readDocument(pages, truth)).map((row) => ({ form, number, kind, ...row })));
    }
  }
}
await session.close();
process.stdout.write(JSON.stringify(rows));

async function readDocument(pages, { values: truth, accept }) {
  const outputs = [];
  for (const sheet of valueTokens(pages)) {
    const parts = [];
    for (const part of describeParts(sheet)) parts.push(await runNetwork((feeds) => session.run(feeds), part));
    outputs.push(parts);
  }
  const byLabels = extractByLabels(pages, schema);
  const printed = Object.keys(truth).filter((key) => !/:\d/u.test(key)).length;
  return [...readWithNetwork(pages, schema, outputs, byLabels).values]
    .filter(([key]) => key !== 'notes:text')
    .map(([key, read]) => {
      const values = { [key]: truth[key] };
      const isRight = key in truth && compareFields({ [key]: read }, { values, accept }).wrong.length === 0;
      const inputs = inputsOf(evidenceOf(read, byLabels[key], specs.get(key)));
      return { key, value: read.value, isRight, printed, inputs };
    });
}
