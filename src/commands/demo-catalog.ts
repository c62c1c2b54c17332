import { sleep } from '../base/loop.ts';
import { Assay, type Catalog, type Hit } from '../client/index.ts';
import type { DemoContext } from './demo-steps.ts';

const INDEX_TIMEOUT_MS = 20_000;

/** Finds the records of the other steps, one of them by a misspelt word, and reports one. */
export async function demonstrateCatalog(stage: DemoContext, recordIds: readonly string[]): Promise<void> {
  const { address, credential: token, signal, print, printElapsed } = stage;
  const { catalog } = new Assay({ catalog: { url: address, token } });
  print(`1. GET /search                    records of the ${recordIds.length} results above`);
  const found = await waitUntilIndexed(catalog, recordIds, signal);
  printElapsed(`${found.length} found`);
  for (const { record_id: id, title, snippet } of found) {
    print(`   ${id.split(':')[0]!.padEnd(14)} ${shorten(title, 30).padEnd(30)} ${shorten(snippet, 60)}`);
  }
  const [first] = found;
  if (first === undefined) return;

  const misspelt = misspell(first.title);
  print(`2. GET /search?q=${misspelt}`);
  const { items } = await catalog.search({ q: misspelt, signal });
  print(
    `   ${items.some((hit) => hit.record_id === first.record_id) ? `found ${first.title} in spite of the typo` : 'no results'}`,
  );

  print(`3. POST /reports                  ${first.record_id}`);
  const request = { record_id: first.record_id, action_type: 'other', description: 'Created by the demo.' } as const;
  const report = await catalog.report(request, { signal });
  print(`   ${report.id}  ${report.status}`);
  if (!signal.aborted) print(`   moderators decide on it at ${address}/admin/reports`);
}

async function waitUntilIndexed(catalog: Catalog, recordIds: readonly string[], signal: AbortSignal): Promise<Hit[]> {
  for (const since = Date.now(); ; await sleep(100, signal)) {
    signal.throwIfAborted();
    const { items } = await catalog.search({ sort: 'newest', facets: false, signal });
    const found = items.filter(({ record_id: id }) => recordIds.includes(id));
    if (found.length === recordIds.length || Date.now() - since > INDEX_TIMEOUT_MS) {
      return found.sort((a, b) => recordIds.indexOf(a.record_id) - recordIds.indexOf(b.record_id));
    }
  }
}

function misspell(title: string): string {
  const words = title.match(/\p{L}{4,}/gu) ?? [title];
  const [word = title] = words.sort((a, b) => b.length - a.length);
  return `${word.slice(0, 2)}${word[3] ?? ''}${word[2] ?? ''}${word.slice(4)}`;
}

function shorten(text: string, length: number): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
