import type { TokenSet } from '../../http/bearer.ts';
import type { Gateway } from '../../http/gateway.ts';
import { type Assets, assetRoutes } from '../../ui/assets.ts';
import { DropZone, SoundIcon } from '../../ui/drop.tsx';
import { layout, TokenForm } from '../../ui/layout.tsx';
import { sendPage } from '../../ui/send-page.ts';
import type { ServiceLink } from '../../ui/service-links.tsx';
import { type UiLanguage, uiTexts } from '../../ui/texts.ts';
import { failureTexts } from '../failure-texts.ts';
import { serviceLinks } from '../neighbours.ts';
import { languageOf } from '../task-routes.ts';
import { type SpeechPage, type SpeechTexts, texts } from './browser/texts.ts';

const EXAMPLE = 'examples/voice-note.mp3';

/** The languages that the page offers by name: those that the usual engines know best. */
const SPOKEN = ['en', 'ru', 'uk', 'kk', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'cs', 'tr', 'zh', 'ja', 'ko'];

interface Needs {
  readonly version: string;
  readonly auth: TokenSet['state'];
  /** The largest recording that `POST /files` takes; undefined where there is no such route. */
  readonly maxBytes: number | undefined;
}

/** The page at `/`: a recording in, its text shown. It is a client of the public API like any other. */
export function pageRoutes(app: Gateway, needs: Needs): void {
  const assets = assetRoutes(app, { folders: ['ui', 'services/stt'], files: [EXAMPLE] });

  app.get('/', { config: { access: 'public' }, schema: { hide: true } }, async (request, reply) => {
    const language = languageOf(request.headers['accept-language']);
    return sendPage(
      reply,
      language,
      await speechPage(language, await assets(), serviceLinks(request, language), needs),
    );
  });
}

function speechPage(
  language: UiLanguage,
  assets: Assets,
  services: readonly ServiceLink[],
  { version, auth, maxBytes }: Needs,
): Promise<string> {
  const words: SpeechTexts = { ...texts[language], failures: failureTexts.stt[language] };
  const exampleUrl = assets.address(EXAMPLE);
  const own: SpeechPage = {
    texts: words,
    needsToken: auth === 'enforced',
    maxBytes: maxBytes ?? 0,
    ...(exampleUrl !== undefined && { exampleUrl }),
  };
  const useless = maxBytes === undefined ? words.off : auth === 'unconfigured' ? words.unconfigured : undefined;
  return layout({
    ...{ language, version, assets, own, services },
    service: words.service,
    title: words.title,
    styles: ['ui/drop.css', 'ui/workspace.css', 'ui/transcript.css', 'services/stt/browser/speech.css'],
    script: 'services/stt/browser/speech-page.js',
    children: (
      <>
        <div class="intro">
          <h1 safe>{words.heading}</h1>
          <p class="lead" safe>
            {words.lead}
          </p>
          <p id="model" class="model" hidden>
            <span class="dot" aria-hidden="true"></span>
            <span id="model-says"></span>
          </p>
        </div>
        <noscript>
          <p class="notice">
            <span safe>{uiTexts[language].needsScript}</span> <a href="docs">/docs</a>
          </p>
        </noscript>
        {useless === undefined ? (
          <Workspace words={words} language={language} example={exampleUrl !== undefined} />
        ) : (
          <p class="notice">
            <span safe>{useless}</span> <a href="docs">/docs</a>
          </p>
        )}
        <p id="live" class="visually-hidden" role="status"></p>
      </>
    ),
  });
}

function Workspace({
  words,
  language,
  example,
}: {
  words: SpeechTexts;
  language: UiLanguage;
  example: boolean;
}): JSX.Element {
  return (
    <div class="needs-script">
      <TokenForm language={language} />
      <p id="refused" class="notice bad" role="alert" hidden></p>
      <div id="workspace" class="workspace">
        <DropZone
          words={words.drop}
          accept="audio/*,video/*,.m4a,.aac,.amr,.opus,.flac"
          icon={<SoundIcon />}
          example={example}
        >
          <Ways words={words} language={language} />
        </DropZone>
        <section id="explain" class="panel explain" aria-labelledby="explain-title">
          <h2 id="explain-title" safe>
            {words.stepsTitle}
          </h2>
          <ol>
            {words.steps.map((step) => (
              <li safe>{step}</li>
            ))}
          </ol>
        </section>
        <Progress words={words} />
        <section id="outcome" class="panel outcome" aria-labelledby="verdict" hidden></section>
      </div>
      <section id="visit" class="visit" aria-labelledby="visit-title" hidden>
        <h2 id="visit-title" safe>
          {words.visit}
        </h2>
        <ul id="visits"></ul>
      </section>
    </div>
  );
}

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

function Progress({ words }: { words: SpeechTexts }): JSX.Element {
  return (
    <section id="progress" class="panel progress" aria-labelledby="file-name" hidden>
      <div class="row">
        <h2 id="file-name" safe>
          {words.title}
        </h2>
        <button type="button" id="cancel" safe>
          {words.cancel}
        </button>
      </div>
      <ol id="steps" class="steps"></ol>
      <label id="heard" class="heard" hidden>
        <span safe>{words.heard}</span>
        <progress id="heard-bar" max="1" value="0"></progress>
      </label>
      <p id="note" class="hint"></p>
      <div id="player" class="player" hidden>
        {/* biome-ignore lint/a11y/useMediaCaption: what is said stands beside it, as text that follows. */}
        <audio id="audio" controls="controls" preload="metadata"></audio>
        <p id="no-player" class="hint" hidden></p>
      </div>
    </section>
  );
}
