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
    return state?.result?.transcription || emptyText(state?.result);
  }
  const emptyText = (result: Recorded | undefined) => (result?.warnings ? texts.notRecognized : texts.nothing);

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
    /** Of a result without text. */
    emptyText,
    /** The speech that the text does not have, at most ten parts; undefined if it has all. */
    incomplete({ unrecognized = [] }: Recorded): string | undefined {
      if (unrecognized.length === 0) return undefined;
      const times = unrecognized.slice(0, 10).map(({ start, end }) => `${formatClock(start)}–${formatClock(end)}`);
      return fill(texts.incomplete, { times: [...times, ...(unrecognized.length > 10 ? ['…'] : [])].join(', ') });
    },
    /** Shortened for screen readers; the page shows the whole text. */
    announcement: (job: TranscriptionJob) => resultLine(job).slice(0, 200),
  };
}
export type Formatters = ReturnType<typeof createFormatters>;
