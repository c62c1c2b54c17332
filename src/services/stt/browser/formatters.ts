import { formatClock } from '../../../ui/browser/clock.ts';
import { createDateFormat } from '../../../ui/browser/date-format.ts';
import { fill } from '../../../ui/browser/dom.ts';
import type { NumberFormats } from '../../../ui/browser/number-formats.ts';
import { RequestError } from '../../../ui/browser/requests.ts';
import type { UiLanguage, UiTexts } from '../../../ui/texts.ts';
import type { Recorded } from '../result.ts';
import { createLanguageNames } from './language-names.ts';
import type { SpeechTexts } from './texts.ts';
import type { TranscriptionJob } from './transcription-job.ts';

export function createFormatters(texts: SpeechTexts, ui: UiTexts, numbers: NumberFormats, language: UiLanguage) {
  const languageName = createLanguageNames(language);
  function resultLine({ stage, state }: TranscriptionJob): string {
    if (stage === 'waiting') return texts.waiting;
    if (stage !== 'done') return ui.steps[stage];
    return state?.result?.transcription || texts.nothing;
  }

  return {
    texts,
    ui,
    numbers,
    clock: formatClock,
    dates: createDateFormat(language),
    errorText: (error: unknown): string =>
      error instanceof RequestError && error.status === 0 ? texts.model.offline : (error as Error).message,

    facts({ language: code, duration_seconds: seconds }: Recorded) {
      const time = formatClock(seconds);
      return fill(texts.facts, { language: code === undefined ? texts.noLanguage : languageName(code), time });
    },

    resultLine,
    /** Shortened for screen readers; the page shows the whole text. */
    announcement: (job: TranscriptionJob) => resultLine(job).slice(0, 200),
  };
}
export type Formatters = ReturnType<typeof createFormatters>;
