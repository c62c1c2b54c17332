import { fill } from '../../../ui/browser/dom.ts';
import type { NumberFormats } from '../../../ui/browser/number-formats.ts';
import type { UiTexts } from '../../../ui/texts.ts';
import type { Inspection, Result } from './inspection.ts';
import type { PhotoTexts } from './texts.ts';

export function createFormatters(texts: PhotoTexts, ui: UiTexts, numbers: NumberFormats) {
  const className = (name: string) => texts.classes[name] ?? name.replaceAll('_', ' ');
  const title = (name: string) => {
    const text = className(name);
    return text.charAt(0).toLocaleUpperCase() + text.slice(1);
  };

  function summary(result: Result): string {
    return isUnfamiliar(result) ? `${texts.unfamiliar}: ${findings(result)}` : findings(result);
  }

  function findings({ defects, regions = [] }: Result): string {
    if (defects.length === 0) return regions.length > 0 ? texts.onlyRegions : texts.sound;
    const parts = defects.map(({ name, conf }) =>
      fill(texts.found, { defect: className(name), share: numbers.wholeShare(conf) }),
    );
    const line = parts.join(' · ');
    return line.charAt(0).toLocaleUpperCase() + line.slice(1);
  }

  return {
    texts,
    ui,
    numbers,
    title,
    summary,
    findings,

    resultLine({ stage, state }: Inspection): string {
      if (stage === 'done') return summary(state!.result!);
      return stage === 'waiting' ? texts.waiting : ui.steps[stage];
    },
    announcement: ({ state }: Inspection) => summary(state!.result!),
  };
}
export const isUnfamiliar = ({ warnings }: Result) => warnings?.includes('UNFAMILIAR_IMAGE') ?? false;

export type Formatters = ReturnType<typeof createFormatters>;
