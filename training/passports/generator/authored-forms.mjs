// Authored forms in folders as test/passports/accuracy/blind/first, with the places of their values.
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { alignForm, describeDocument } from './align-truth.mjs';

/**
 * Per form its name and both documents: `html`, `truth`, `read` as `readDocument` of browser.mjs gives it, and what {@link alignForm} found.
 * `session` runs a field network that decides between several places.
 */
export async function alignForms(folders, browser, session) {
  const forms = [];
  for (const folder of folders) {
    const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    for (const name of entries.map((entry) => entry.name).sort()) {
      const documents = [];
      for (const number of [1, 2]) {
        const html = await readFile(join(folder, name, `${number}.html`), 'utf8');
        const truth = JSON.parse(await readFile(join(folder, name, `${number}.json`), 'utf8'));
        const read = await browser.readDocument(html);
        documents.push({ html, truth, read, described: await describeDocument(read, session) });
      }
      const aligned = alignForm(documents);
      forms.push({ name, documents: documents.map((one, i) => ({ ...one, ...aligned[i], described: undefined })) });
    }
  }
  return forms;
}

export const languageOf = ({ html }) => (/<html[^>]*lang="?en/.test(html) ? 'en' : 'ru');
