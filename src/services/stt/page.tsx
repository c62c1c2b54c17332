import type { Gateway } from '../../http/gateway.ts';
import { DropZone, SoundIcon } from '../../ui/drop.tsx';
import type { UiLanguage } from '../../ui/texts.ts';
import { type ErrandNeeds, errandPage, Note } from '../errand-page.tsx';
import { failureTexts } from '../failure-texts.ts';
import { type SpeechTexts, texts } from './browser/texts.ts';

/** The languages that the page offers by name: those that the usual engines know best. */
const SPOKEN = ['en', 'ru', 'uk', 'kk', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'cs', 'tr', 'zh', 'ja', 'ko'];

/** The page at `/`: a recording in, its text shown. */
export const pageRoutes = (app: Gateway, needs: ErrandNeeds): void =>
  errandPage<SpeechTexts>(
    app,
    {
      service: 'stt',
      example: 'examples/voice-note.mp3',
      styles: ['ui/transcript.css', 'services/stt/browser/speech.css'],
      script: 'services/stt/browser/speech-page.js',
      words: (language) => ({ ...texts[language], failures: failureTexts.stt[language] }),
      drop: ({ words, language, example }) => (
        <DropZone
          words={words.drop}
          accept="audio/*,video/*,.m4a,.aac,.amr,.opus,.flac"
          icon={<SoundIcon />}
          example={example}
        >
          <Ways words={words} language={language} />
        </DropZone>
      ),
      below: (words) => <Hearing words={words} />,
    },
    needs,
  );

/** The microphone, and which language is spoken. */
function Ways({ words, language }: { words: SpeechTexts; language: UiLanguage }): JSX.Element {
  const { record } = words;
  const names = new Intl.DisplayNames(language, { type: 'language' });
  return (
    <>
      <button type="button" id="record" hidden safe>
        {record.start}
      </button>
      <fieldset id="recording" class="recording" aria-labelledby="recording-time" hidden>
        <span id="recording-time"></span>
        <button type="button" id="record-stop" class="primary" safe>
          {record.stop}
        </button>
        <button type="button" id="record-discard" safe>
          {record.discard}
        </button>
      </fieldset>
      <label class="speaks">
        <span safe>{words.language.label}</span>
        <select id="language">
          <option value="auto" safe>
            {words.language.auto}
          </option>
          {SPOKEN.map((code) => (
            <option value={code} safe>
              {names.of(code) ?? code}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}

/** How much of it was heard, and the recording itself. */
const Hearing = ({ words }: { words: SpeechTexts }): JSX.Element => (
  <>
    <label id="heard" class="heard" hidden>
      <span safe>{words.heard}</span>
      <progress id="heard-bar" max="1" value="0"></progress>
    </label>
    <Note />
    <div id="player" class="player" hidden>
      {/* biome-ignore lint/a11y/useMediaCaption: what is said stands beside it, as text that follows. */}
      <audio id="audio" controls="controls" preload="metadata"></audio>
      <p id="no-player" class="hint" hidden></p>
    </div>
  </>
);
