import type { UiLanguage } from '../../../ui/texts.ts';
import { createLanguageNames } from '../browser/language-names.ts';
import type { SpeechTexts } from '../browser/texts.ts';

/** Languages in the selection; most models support them. */
const LANGUAGES = ['en', 'ru', 'uk', 'kk', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'cs', 'tr', 'zh', 'ja', 'ko'];

/** The language and the terms of recordings; read by `browser/transcription-inputs.ts`. */
export function TranscriptionInputs({
  words,
  language,
}: {
  words: Pick<SpeechTexts, 'language' | 'vocabulary'>;
  language: UiLanguage;
}): JSX.Element {
  const languageName = createLanguageNames(language);
  return (
    <>
      <label class="language-choice">
        <span safe>{words.language.label}</span>
        <select id="language">
          <option value="auto" safe>
            {words.language.auto}
          </option>
          {LANGUAGES.map((code) => (
            <option value={code} safe>
              {languageName(code)}
            </option>
          ))}
        </select>
      </label>
      <details class="terms">
        <summary safe>{words.vocabulary.label}</summary>
        <label for="vocabulary" class="hint" safe>
          {words.vocabulary.hint}
        </label>
        <textarea id="vocabulary" rows="5" spellcheck="false"></textarea>
      </details>
    </>
  );
}
