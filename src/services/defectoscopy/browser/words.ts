import { fill } from '../../../ui/browser/dom.ts';
import type { Numbers } from '../../../ui/browser/page-data.ts';
import type { UiTexts } from '../../../ui/texts.ts';
import type { Inspection, TaskState } from './inspection.ts';
import type { PhotoTexts } from './texts.ts';

/** How this page says things; everything that turns data into a sentence is here. */
export function openWords(texts: PhotoTexts, ui: UiTexts, numbers: Numbers) {
  const className = (name: string) => texts.classes[name] ?? name.replaceAll('_', ' ');
  const title = (name: string) => {
    const said = className(name);
    return said.charAt(0).toLocaleUpperCase() + said.slice(1);
  };

  /** One line for the whole result. */
  function verdict({ defects }: NonNullable<TaskState['result']>): string {
    if (defects.length === 0) return texts.sound;
    const said = defects.map(({ name, conf }) =>
      fill(texts.found, { defect: className(name), share: numbers.wholeShare(conf) }),
    );
    const line = said.join(' · ');
    return line.charAt(0).toLocaleUpperCase() + line.slice(1);
  }

  return {
    texts,
    ui,
    numbers,
    title,
    verdict,

    /** A line for what became of a photo. */
    said({ stage, state }: Inspection): string {
      if (stage === 'done') return verdict(state!.result!);
      return stage === 'waiting' ? texts.waiting : ui.steps[stage];
    },
    aloud: ({ state }: Inspection) => verdict(state!.result!),
  };
}
export type Words = ReturnType<typeof openWords>;
