import { clock } from '../../../ui/browser/clock.ts';
import { fill } from '../../../ui/browser/dom.ts';
import type { Numbers } from '../../../ui/browser/page-data.ts';
import type { UiLanguage, UiTexts } from '../../../ui/texts.ts';
import type { Hearing } from './hearing.ts';
import type { SpeechTexts } from './texts.ts';

export function openWords(texts: SpeechTexts, ui: UiTexts, numbers: Numbers, language: UiLanguage) {
  const names = new Intl.DisplayNames(language, { type: 'language' });
  function resultLine({ stage, state }: Hearing): string {
    if (stage === 'waiting') return texts.waiting;
    if (stage !== 'done') return ui.steps[stage];
    return state?.result?.transcription || texts.nothing;
  }

  return {
    texts,
    ui,
    numbers,
    clock,

    facts({ language: code, duration_seconds: seconds = 0 }: NonNullable<NonNullable<Hearing['state']>['result']>) {
      const languageName = code === undefined ? texts.noLanguage : (names.of(code) ?? code);
      const time = clock(seconds);
      return fill(texts.facts, { language: languageName.charAt(0).toLocaleUpperCase() + languageName.slice(1), time });
    },

    said: resultLine,
    /** Shortened for screen readers; the page shows the whole text. */
    aloud: (job: Hearing) => resultLine(job).slice(0, 200),
  };
}
export type Words = ReturnType<typeof openWords>;
