import { type BarGroup, showBars } from '../../../ui/browser/bars.ts';
import { el } from '../../../ui/browser/dom.ts';
import { showOutcome } from '../../../ui/browser/upload-views.ts';
import type { Region } from '../result.ts';
import { type Formatters, isUnfamiliar } from './formatters.ts';
import type { Inspection, Result, TaskState } from './inspection.ts';
import { regionList } from './region-boxes.ts';

interface Choices {
  readonly onChoose: (name: string) => void;
  readonly onChooseRegion: (region: Region) => void;
}

export function showResult(job: Inspection, words: Formatters, choices: Choices): void {
  const version = job.state?.model_version;
  showOutcome<Result, TaskState>(job, words, {
    result: (result) => resultView(job, result, words, choices),
    facts: version === undefined ? [] : [[words.texts.modelVersion, version]],
  });
}

function resultView(job: Inspection, result: Result, words: Formatters, { onChoose, onChooseRegion }: Choices) {
  const { texts, numbers, title, findings } = words;
  const hasNoDefects = result.defects.length === 0;
  const hasRegions = (result.regions ?? []).length > 0;
  const unfamiliar = isUnfamiliar(result);
  const bar = ({ name, conf }: { name: string; conf: number }) => ({ name, label: title(name), value: conf });
  const groups: BarGroup[] = [
    { title: texts.defects, bars: result.defects.map(bar), emptyText: texts.noDefects, tone: 'strong' },
    { title: texts.groups, bars: result.masters.map(bar), tone: 'quiet' },
  ];
  const classes = el('div', { role: 'radiogroup', 'aria-label': texts.chooseClass });
  showBars(classes, groups, {
    chosen: job.selectedClass,
    share: numbers.wholeShare,
    onChoose: ({ name }) => onChoose(name),
  });
  return [
    ...(unfamiliar
      ? [
          el(
            'div',
            { class: 'result-head', 'data-unfamiliar': '' },
            el('h2', {}, texts.unfamiliar),
            el('p', {}, texts.unfamiliarWhy),
          ),
        ]
      : []),
    el(
      'div',
      { class: 'result-head', 'data-positive': String(hasNoDefects && !hasRegions && !unfamiliar) },
      el('h2', { id: 'result-title' }, findings(result)),
      ...(hasNoDefects ? [el('p', {}, hasRegions ? texts.onlyRegionsWhy : texts.soundWhy)] : []),
      el('p', { class: 'surface' }, el('span', {}, texts.surface), el('strong', {}, title(result.surface))),
    ),
    ...regionList(result, words, onChooseRegion),
    classes,
    el('p', { class: 'hint' }, texts.chooseClass),
    ...(job.correctionForm ? [job.correctionForm] : []),
  ];
}
