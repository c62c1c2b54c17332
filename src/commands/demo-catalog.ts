import { rest } from '../base/loop.ts';
import { Assay, type Catalog, type Hit } from '../client/index.ts';
import type { Stage } from './demo-stage.ts';

/** What ends is found within two seconds; a machine that has just started everything may take longer. */
const PATIENCE_MS = 20_000;

/** Finds what the other shows have made (records, by their ids), one of them by a misspelt word, and reports one. */
export async function showCatalog(stage: Stage, made: readonly string[]): Promise<void> {
  const { address, credential: token, signal, say, sayAfter } = stage;
  const { catalog } = new Assay({ catalog: { url: address, token } });
  say(`1. GET /search                    ${made.length} results of a moment ago, as records`);
  const found = await whenIndexed(catalog, made, signal);
  sayAfter(`${found.length} found`);
  for (const { record_id: id, title, snippet } of found) {
    say(`   ${id.split(':')[0]!.padEnd(14)} ${title.slice(0, 30).padEnd(30)} ${oneLine(snippet)}`);
  }
  const [first] = found;
  if (first === undefined) return;

  const misspelt = swapped(first.title);
  say(`2. GET /search?q=${misspelt}`);
  const { items } = await catalog.search({ q: misspelt, signal });
  say(
    `   ${items.some((hit) => hit.record_id === first.record_id) ? `finds ${first.title} all the same` : 'finds nothing'}`,
  );

  say(`3. POST /reports                  ${first.record_id}`);
  const asked = { record_id: first.record_id, action_type: 'other', description: 'The demo was here.' } as const;
  const report = await catalog.report(asked, { signal });
  say(`   ${report.id}  ${report.status}`);
  if (!signal.aborted) say(`   moderators decide on it at ${address}/admin/reports`);
}

/** Those of `made` that can be found, as soon as all can, or as many as can after a while. */
async function whenIndexed(catalog: Catalog, made: readonly string[], signal: AbortSignal): Promise<Hit[]> {
  for (const since = Date.now(); ; await rest(100, signal)) {
    signal.throwIfAborted();
    const { items } = await catalog.search({ sort: 'newest', facets: false, signal });
    const found = items.filter(({ record_id: id }) => made.includes(id));
    if (found.length === made.length || Date.now() - since > PATIENCE_MS) {
      return found.sort((a, b) => made.indexOf(a.record_id) - made.indexOf(b.record_id));
    }
  }
}

/** The longest word of a title with two of its letters exchanged, as fingers do it. */
function swapped(title: string): string {
  const words = title.match(/\p{L}{4,}/gu) ?? [title];
  const [word = title] = words.sort((a, b) => b.length - a.length);
  return `${word.slice(0, 2)}${word[3] ?? ''}${word[2] ?? ''}${word.slice(4)}`;
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').slice(0, 60);
