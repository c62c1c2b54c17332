import { rest } from '../base/loop.ts';
import type { Stage } from './demo-stage.ts';

interface Hit {
  readonly record_id: string;
  readonly title: string;
  readonly snippet: string;
}
interface Found {
  readonly items: readonly Hit[];
}

/** What ends is found within two seconds; a machine that has just started everything may take longer. */
const PATIENCE_MS = 20_000;

/** Finds what the other shows have made (records, by their ids), one of them by a misspelt word, and reports one. */
export async function showCatalog(stage: Stage, made: readonly string[]): Promise<void> {
  const { address, signal, say, sayAfter } = stage;
  say(`1. GET /search                    ${made.length} results of a moment ago, as records`);
  const found = await whenIndexed(stage, made);
  sayAfter(`${found.length} found`);
  for (const { record_id: id, title, snippet } of found) {
    say(`   ${id.split(':')[0]!.padEnd(14)} ${title.slice(0, 30).padEnd(30)} ${oneLine(snippet)}`);
  }
  const [first] = found;
  if (first === undefined) return;

  const misspelt = swapped(first.title);
  say(`2. GET /search?q=${misspelt}`);
  const { items } = await call<Found>(stage, `/search?${new URLSearchParams({ q: misspelt })}`);
  say(
    `   ${items.some((hit) => hit.record_id === first.record_id) ? `finds ${first.title} all the same` : 'finds nothing'}`,
  );

  say(`3. POST /reports                  ${first.record_id}`);
  const asked = { record_id: first.record_id, action_type: 'other', description: 'The demo was here.' };
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(asked) };
  const report = await call<{ id: string; status: string }>(stage, '/reports', init);
  say(`   ${report.id}  ${report.status}`);
  if (!signal.aborted) say(`   moderators decide on it at ${address}/admin/reports`);
}

/** Those of `made` that can be found, as soon as all can, or as many as can after a while. */
async function whenIndexed(stage: Stage, made: readonly string[]): Promise<Hit[]> {
  for (const since = Date.now(); ; await rest(100, stage.signal)) {
    stage.signal.throwIfAborted();
    const { items } = await call<Found>(stage, '/search?sort=newest&facets=false');
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

async function call<T>({ address, credential, signal }: Stage, path: string, init: RequestInit = {}): Promise<T> {
  const response = await fetch(address + path, {
    ...init,
    headers: { ...init.headers, authorization: `Bearer ${credential ?? ''}` },
    signal: AbortSignal.any([signal, AbortSignal.timeout(60_000)]),
  });
  const body = (await response.json()) as T & { error?: { message: string } };
  if (response.ok) return body;
  throw new Error(`${path} answered ${response.status}: ${body.error?.message ?? 'no reason given'}`);
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').slice(0, 60);
