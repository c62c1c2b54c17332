import { type BarGroup, showBars } from '../../../ui/browser/bars.ts';
import { highlightBox, scrollToBox } from '../../../ui/browser/boxes.ts';
import { byId, el } from '../../../ui/browser/dom.ts';
import type { Heatmap } from '../../../ui/browser/heatmap.ts';
import { createHeatmapView } from '../../../ui/browser/heatmap-view.ts';
import { showLocalTimes } from '../../../ui/browser/local-times.ts';
import { createNumberFormats } from '../../../ui/browser/number-formats.ts';
import { pageData } from '../../../ui/browser/page-data.ts';
import { createPlayer } from '../../../ui/browser/player.ts';
import { confirmLeaving, hasInput } from '../../../ui/browser/unsent-input.ts';
import { createWordHighlight } from '../../../ui/browser/word-highlight.ts';
import { isTyping, keyOf } from './keyboard.ts';
import type { RecordPageData } from './row-data.ts';

const { data } = pageData<RecordPageData>();

showLocalTimes(document);
bindNeighbourKeys();
const photo = document.getElementById('photo');
if (photo instanceof HTMLImageElement) showPhoto(photo);
if (document.getElementById('audio')) bindTranscript();
if (document.querySelector('.box')) linkBoxes();

/** Not with an unsent report: the other page would discard it. */
function bindNeighbourKeys(): void {
  const report = byId<HTMLFormElement>('report-form');
  confirmLeaving(() => [report]);
  const linkIds: Readonly<Record<string, string>> = { ArrowLeft: 'newer', k: 'newer', ArrowRight: 'older', j: 'older' };
  addEventListener('keydown', (event) => {
    const id = linkIds[keyOf(event)];
    if (id === undefined || isTyping(event) || (event.target as Element).closest?.('form') || hasInput(report)) return;
    const link = document.getElementById(id);
    if (link instanceof HTMLAnchorElement) location.assign(link.href);
  });
}

function showPhoto(img: HTMLImageElement): void {
  const frame = byId('frame');
  frame.style.setProperty('--ratio', String(img.width / img.height));
  const { heat, titles, classes } = data;
  const title = (name: string) => {
    const text = Object.hasOwn(classes, name) ? classes[name]! : name.replaceAll('_', ' ');
    return text.charAt(0).toLocaleUpperCase() + text.slice(1);
  };
  if (heat === null || document.getElementById('classes') === null) return;
  const view = createHeatmapView(data.heatTexts, title);
  const bar = ({ name, conf }: { name: string; conf: number }) => ({ name, label: title(name), value: conf });
  const groups: BarGroup[] = [
    { title: titles.defects, bars: data.defects.map(bar), emptyText: titles.noDefects, tone: 'strong' },
    { title: titles.groups, bars: data.masters.map(bar), tone: 'quiet' },
  ];
  const choices = el('div', { role: 'radiogroup', 'aria-label': titles.chooseClass });
  const first = data.defects[0]?.name;
  const choose = (name: string) => view.show({ name, heat: heatOf(name) });
  const share = createNumberFormats(data.language).wholeShare;
  showBars(choices, groups, { chosen: first, share, onChoose: ({ name }) => choose(name) });
  byId('classes').replaceChildren(choices);
  byId('choose-class-hint').hidden = false;
  if (first !== undefined) choose(first);

  function heatOf(name: string): Heatmap | null {
    if (heat === null || !Object.hasOwn(heat.maps, name)) return null;
    const bytes = heat.maps[name]!;
    const values = Array.from(atob(bytes), (byte) => byte.charCodeAt(0) / 255);
    return { name, width: heat.width, height: heat.height, values };
  }
}

function bindTranscript(): void {
  const marks = createWordHighlight();
  const player = createPlayer(marks.follow, () => {
    for (const button of document.querySelectorAll<HTMLButtonElement>('.transcript .time[data-at]'))
      button.disabled = true;
  });
  const text = document.getElementById('transcript');
  const words = [...(text?.querySelectorAll<HTMLElement>('.word') ?? [])];
  marks.set(
    words.map((element) => ({
      start: Number(element.dataset['at']),
      end: Number(element.dataset['end']),
      element,
    })),
  );
  text?.addEventListener('click', ({ target }) => {
    const at = (target as HTMLElement).closest<HTMLElement>('[data-at]')?.dataset['at'];
    if (at !== undefined && !player.audio.hidden) player.playFrom(Number(at));
  });
}

function linkBoxes(): void {
  const values = document.querySelector('.values');
  const show = ({ target }: Event) => {
    const key = (target as HTMLElement).closest<HTMLElement>('[data-key]')?.dataset['key'];
    if (key === undefined) return;
    const box = highlightBox(key);
    if (box !== null) scrollToBox(box);
  };
  values?.addEventListener('focusin', show);
  values?.addEventListener('pointerover', show);
  document.querySelector('.pages')?.addEventListener('click', ({ target }) => {
    const { key } = (target as SVGElement).dataset;
    if (key !== undefined) values?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus();
  });
}
