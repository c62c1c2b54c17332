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

  return {
    texts,
    ui,
    numbers,
    title,

    /** One line for the whole result. */
    verdict({ defects }: NonNullable<TaskState['result']>): string {
      if (defects.length === 0) return texts.sound;
      const said = defects.map(({ name, conf }) =>
        fill(texts.found, { defect: className(name), share: numbers.wholeShare(conf) }),
      );
      const line = said.join(' · ');
      return line.charAt(0).toLocaleUpperCase() + line.slice(1);
    },

    /** Why it failed; the code's own sentence where the service speaks another language. */
    failure: ({ code, sentence }: { code: string; sentence: string }) =>
      texts.failures[code] ?? ui.refusals[code] ?? sentence,

    /** Why nothing moves, if so; else what to expect while it does not. */
    note({ hitch, stage, estimateSeconds }: Inspection, workerIsWarm: boolean): string {
      if (hitch) {
        const { refusal, seconds } = hitch;
        const sentence = texts.failures[refusal.code] ?? refusal.message;
        return fill(refusal.status === 0 ? ui.hitch.offline : ui.hitch.refused, { sentence, seconds });
      }
      if (stage === 'waiting') return texts.waiting;
      if ((stage !== 'queued' && stage !== 'processing') || estimateSeconds === undefined) return '';
      const time = numbers.duration(estimateSeconds * 1000);
      return fill(workerIsWarm ? texts.estimate : texts.estimateCold, { time });
    },
  };
}
export type Words = ReturnType<typeof openWords>;
