import type { PageData } from '../texts.ts';
import { type Api, openApi } from './api.ts';
import { byId, fill } from './dom.ts';
import { openDrop } from './drop.ts';
import { type Errand, isOver } from './errand.ts';
import { openErrandLine } from './errand-line.ts';
import type { ErrandPage, ErrandTexts } from './errand-texts.ts';
import { showProgress } from './errand-views.ts';
import type { ErrandWords } from './errand-words.ts';
import { openModelLine } from './model-line.ts';
import { openTokens } from './token.ts';
import { showVisit } from './visit-list.ts';

/** What is particular to the files of one page. */
export interface ErrandKind<It extends Errand> {
  /** Files that are on their way at once; more would only take the line from each other. */
  readonly atOnce: number;
  /** The file inputs, by id. */
  readonly inputs: readonly string[];
  /** Whether a file that calls itself this type is certainly none for the service. */
  unfit(type: string): boolean;
  make(file: File): It;
  /** Takes it through the public API as any client would. */
  run(it: It, changed: () => void): Promise<void>;
  /** What stands before its name in the list of this visit. */
  picture(it: It): HTMLElement;
  /** Shows the file itself and what is known of it; called whenever that changes. */
  show(it: It): void;
  /** Shows how it ended, or nothing yet. */
  showOutcome(it: It): void;
}

/** What a page can do with files that come in a way of its own. */
export interface ErrandIntake {
  take(files: readonly File[]): void;
  refuse(sentences: readonly string[]): void;
}

/**
 * Brings a page to life on which files are given and followed. `open` is called where the page can send something: where
 * it cannot, the server has said so in place of the workspace.
 */
export function openErrandPage<It extends Errand>(
  { ui, own }: PageData<ErrandPage<ErrandTexts>>,
  words: ErrandWords<It>,
  open: (api: Api, intake: ErrandIntake) => ErrandKind<It>,
): void {
  const { texts, needsToken, maxBytes, exampleUrl } = own;
  const model = openModelLine(texts.model);
  if (!document.getElementById('workspace')) return;
  const tokens = openTokens(ui.token);
  const api = openApi({ tokens, needsToken, refusals: ui.refusals });
  const kind = open(api, { take, refuse });
  const run = async (it: It, tell: () => void) => {
    await kind.run(it, tell);
    void model.look();
  };
  const line = openErrandLine<It>({ api, atOnce: kind.atOnce, run, changed, unexpected: ui.unexpected });
  let current: It | undefined;

  const { size } = words.numbers;
  byId('limits').textContent = fill(texts.drop.limits, { size: size(maxBytes) });
  openDrop({ inputs: kind.inputs, onFiles: take });
  byId('cancel').addEventListener('click', () => current && void line.cancel(current));
  const example = document.getElementById('example');
  example?.addEventListener('click', () => exampleUrl && void takeExample(exampleUrl));
  if (needsToken && tokens.current() === undefined) void tokens.ask();
  // The clock of the step that is being taken.
  setInterval(() => {
    if (current && !isOver(current)) showProgress(current, words, model.isWarm());
  }, 100);

  function take(files: readonly File[]): void {
    const refusals: string[] = [];
    for (const file of files) {
      const why = unfit(file);
      if (why) refusals.push(why);
      else line.join(kind.make(file));
    }
    refuse(refusals);
    const last = line.all.at(-1);
    if (last && refusals.length < files.length) choose(last);
    line.next();
  }

  /** Only what is certain: what the bytes are, the service finds out. */
  function unfit({ name, size: bytes, type }: File): string | undefined {
    if (bytes === 0) return fill(texts.empty, { name });
    if (bytes > maxBytes) return fill(texts.tooLarge, { name, size: size(bytes), limit: size(maxBytes) });
    return kind.unfit(type) ? fill(texts.unfit, { name }) : undefined;
  }

  async function takeExample(url: string): Promise<void> {
    try {
      const bytes = await (await fetch(url)).blob();
      take([new File([bytes], url.split('/').at(-1) ?? '', { type: bytes.type })]);
    } catch {
      refuse([texts.model.offline]);
    }
  }

  function choose(it: It): void {
    current = it;
    byId('drop').classList.add('slim');
    byId('explain').hidden = true;
    byId('drop-title').textContent = texts.drop.more;
    byId('progress').hidden = false;
    changed(it);
  }

  function changed(it: It): void {
    showVisit(line.all, current, { said: words.said, picture: kind.picture, onChoose: choose });
    if (it !== current) return;
    showProgress(it, words, model.isWarm());
    kind.show(it);
    // What is there already keeps its place and focus.
    const mark = `${line.all.indexOf(it)} ${it.stage}`;
    if (byId('outcome').dataset['of'] === mark) return;
    byId('outcome').dataset['of'] = mark;
    kind.showOutcome(it);
  }

  function refuse(sentences: readonly string[]): void {
    const place = byId('refused');
    place.textContent = sentences.join(' ');
    place.hidden = sentences.length === 0;
  }
}
