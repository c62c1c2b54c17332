import type { Gateway } from '../../../http/gateway.ts';
import { AudioIcon, DropZone } from '../../../ui/dropzone.tsx';
import { GroupingInputs } from '../../../ui/grouping-inputs.tsx';
import type { UiLanguage } from '../../../ui/texts.ts';
import { Note, type UploadPageDeps, uploadPage } from '../../shared/upload-page.tsx';
import { type SpeechTexts, texts } from '../browser/texts.ts';
import { failureTexts, PERMANENT_ERRORS } from '../failures.ts';
import { TranscriptionInputs } from './transcription-inputs.tsx';

const INPUT_STYLES = 'services/stt/browser/transcription-inputs.css';

export const pageRoutes = (app: Gateway, deps: UploadPageDeps): void =>
  uploadPage<SpeechTexts>(
    app,
    {
      service: 'stt',
      example: 'examples/voice-note.mp3',
      styles: ['ui/transcript.css', 'services/stt/browser/speech.css', INPUT_STYLES],
      typePrefixes: ['audio/', 'video/'],
      permanentErrors: PERMANENT_ERRORS,
      script: 'services/stt/browser/speech-page.js',
      texts: (language) => ({ ...texts[language], failures: failureTexts[language] }),
      dropZone: ({ words, language, example }) => (
        <DropZone
          words={words.drop}
          accept="audio/*,video/*,.m4a,.aac,.amr,.opus,.flac"
          icon={<AudioIcon />}
          example={example}
        >
          <InputControls words={words} language={language} />
        </DropZone>
      ),
      batchInputs: {
        element: (language) => <TranscriptionInputs words={texts[language]} language={language} />,
        styles: [INPUT_STYLES],
        script: 'services/stt/browser/batch-page.js',
      },
      belowSteps: (words) => <ProgressAndPlayer words={words} />,
    },
    deps,
  );

function InputControls({ words, language }: { words: SpeechTexts; language: UiLanguage }): JSX.Element {
  const { record } = words;
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
      <TranscriptionInputs words={words} language={language} />
      <GroupingInputs words={words.grouping} />
    </>
  );
}

const ProgressAndPlayer = ({ words }: { words: SpeechTexts }): JSX.Element => (
  <>
    <label id="transcription-progress" class="transcription-progress" hidden>
      <span safe>{words.progress}</span>
      <progress id="transcription-bar" max="1" value="0"></progress>
    </label>
    <Note />
    <div id="player" class="player" hidden>
      {/* biome-ignore lint/a11y/useMediaCaption: the page shows the transcript with highlighted words. */}
      <audio id="audio" controls="controls" preload="metadata"></audio>
      <p id="playback-error" class="hint" hidden></p>
      <div id="recording-missing" hidden>
        <p class="hint" safe>
          {words.recordingMissing}
        </p>
        <label class="button">
          <input
            type="file"
            id="choose-recording"
            class="visually-hidden"
            accept="audio/*,video/*,.m4a,.aac,.amr,.opus,.flac"
          />
          <span safe>{words.chooseRecording}</span>
        </label>
      </div>
    </div>
  </>
);
