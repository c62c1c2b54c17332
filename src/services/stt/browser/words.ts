import { clock } from '../../../ui/browser/clock.ts';
import { fill } from '../../../ui/browser/dom.ts';
import type { Numbers } from '../../../ui/browser/page-data.ts';
import type { UiLanguage, UiTexts } from '../../../ui/texts.ts';
import type { Hearing } from './hearing.ts';
import type { SpeechTexts } from './texts.ts';

/** How this page says things; everything that turns data into a sentence is here. */
export function openWords(texts: SpeechTexts, ui: UiTexts, numbers: Numbers, language: UiLanguage) {
  const names = new Intl.DisplayNames(language, { type: 'language' });
  /** A line for what became of a recording. */
  function said({ stage, state }: Hearing): string {
    if (stage === 'waiting') return texts.waiting;
    if (stage !== 'done') return ui.steps[stage];
    return state?.result?.transcription || texts.nothing;
  }

  return {
    texts,
    ui,
    numbers,
    clock,

    /** What is known of a recording: its language and how long it is. */
    facts({ language: code, duration_seconds: seconds = 0 }: NonNullable<NonNullable<Hearing['state']>['result']>) {
      const spoken = code === undefined ? texts.noLanguage : (names.of(code) ?? code);
      const time = clock(seconds);
      return fill(texts.facts, { language: spoken.charAt(0).toLocaleUpperCase() + spoken.slice(1), time });
    },

    said,
    /** The text itself is there to be read; the whole of it aloud would be too much. */
    aloud: (it: Hearing) => said(it).slice(0, 200),
  };
}
export type Words = ReturnType<typeof openWords>;
