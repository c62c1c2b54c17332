import type { PageData } from '../texts.ts';
import { type Api, openApi } from './api.ts';
import { byId, fill } from './dom.ts';
import { openDrop } from './drop.ts';
import { type Errand, isOver } from './errand.ts';
import { openErrandLine } from './errand-line.ts';
import type { ErrandPage, ErrandTexts } from './errand-texts.ts';
import { type ErrandWords, showProgress, showVisit } from './errand-views.ts';
import { openModelLine } from './model-line.ts';
import { openTokens } from './token.ts';

export interface ErrandKind<Job extends Errand> {
  readonly atOnce: number;
  /** Element ids. */
  readonly inputs: readonly string[];
  /** Whether the service certainly does not support this declared media type. */
  unfit(type: string): boolean;
  make(file: File): Job;
  run(job: Job, onChange: () => void): Promise<void>;
  picture(job: Job): HTMLElement;
  /** Shows the file and its details; called on every change. */
  show(job: Job): void;
  showOutcome(job: Job): void;
}

/** For files that a page creates itself, such as recordings. */
export interface ErrandIntake {
  take(files: readonly File[]): void;
  refuse(messages: readonly string[]): void;
}

/** Initialises an upload page. `open` is not called if the server rendered a notice in place of the workspace. */
export function openErrandPage<Job extends Errand>(
  { ui, own }: PageData<ErrandPage<ErrandTexts>>,
  formatters: ErrandWords<Job>,
  open: (api: Api, intake: ErrandIntake) => ErrandKind<Job>,
): void {
  const { texts, needsToken, maxBytes, exampleUrl } = own;
  const model = openModelLine(texts.model);
  if (!document.getElementById('workspace')) return;
  const tokens = openTokens(ui.token);
  const api = openApi({ tokens, needsToken, refusals: ui.refusals });
  const handlers = open(api, { take: addFiles, refuse: showErrors });
  const run = async (job: Job, onChange: () => void) => {
    await handlers.run(job, onChange);
    void model.look();
  };
  const queue = openErrandLine<Job>({
    api,
    atOnce: handlers.atOnce,
    run,
    changed: onChange,
    unexpected: ui.unexpected,
  });
  let current: Job | undefined;

  const { size } = formatters.numbers;
  byId('limits').textContent = fill(texts.drop.limits, { size: size(maxBytes) });
  openDrop({ inputs: handlers.inputs, onFiles: addFiles });
  byId('cancel').addEventListener('click', () => current && void queue.cancel(current));
  const example = document.getElementById('example');
  example?.addEventListener('click', () => exampleUrl && void takeExample(exampleUrl));
  if (needsToken && tokens.current() === undefined) void tokens.ask();
  setInterval(() => {
    if (current && !isOver(current)) showProgress(current, formatters, model.isWarm());
  }, 100);

  function addFiles(files: readonly File[]): void {
    const errors: string[] = [];
    for (const file of files) {
      const reason = unfit(file);
      if (reason) errors.push(reason);
      else queue.join(handlers.make(file));
    }
    showErrors(errors);
    const last = queue.all.at(-1);
    if (last && errors.length < files.length) select(last);
    queue.next();
  }

  /** Only what is certain; the service detects the media type from the bytes. */
  function unfit({ name, size: bytes, type }: File): string | undefined {
    if (bytes === 0) return fill(texts.empty, { name });
    if (bytes > maxBytes) return fill(texts.tooLarge, { name, size: size(bytes), limit: size(maxBytes) });
    return handlers.unfit(type) ? fill(texts.unfit, { name }) : undefined;
  }

  async function takeExample(url: string): Promise<void> {
    try {
      const bytes = await (await fetch(url)).blob();
      addFiles([new File([bytes], url.split('/').at(-1) ?? '', { type: bytes.type })]);
    } catch {
      showErrors([texts.model.offline]);
    }
  }

  function select(job: Job): void {
    current = job;
    byId('drop').classList.add('slim');
    byId('explain').hidden = true;
    byId('drop-title').textContent = texts.drop.more;
    byId('progress').hidden = false;
    onChange(job);
  }

  function onChange(job: Job): void {
    showVisit(queue.all, current, { said: formatters.said, picture: handlers.picture, onChoose: select });
    if (job !== current) return;
    showProgress(job, formatters, model.isWarm());
    handlers.show(job);
    // Keeps the position and focus of an unchanged result.
    const state = `${queue.all.indexOf(job)} ${job.stage}`;
    if (byId('outcome').dataset['of'] === state) return;
    byId('outcome').dataset['of'] = state;
    handlers.showOutcome(job);
  }

  function showErrors(messages: readonly string[]): void {
    const element = byId('refused');
    element.textContent = messages.join(' ');
    element.hidden = messages.length === 0;
  }
}
