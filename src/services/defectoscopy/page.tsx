import type { TokenSet } from '../../http/bearer.ts';
import type { Gateway } from '../../http/gateway.ts';
import { type Assets, assetRoutes } from '../../ui/assets.ts';
import { DropZone, PhotoIcon } from '../../ui/drop.tsx';
import { layout, TokenForm } from '../../ui/layout.tsx';
import { PictureFrame } from '../../ui/picture-frame.tsx';
import { sendPage } from '../../ui/send-page.ts';
import type { ServiceLink } from '../../ui/service-links.tsx';
import { type UiLanguage, uiTexts } from '../../ui/texts.ts';
import { classNames } from '../class-names.ts';
import { failureTexts } from '../failure-texts.ts';
import { serviceLinks } from '../neighbours.ts';
import { languageOf } from '../task-routes.ts';
import { type PhotoPage, type PhotoTexts, texts } from './browser/texts.ts';

const EXAMPLE = 'examples/wall.jpg';

interface Needs {
  readonly version: string;
  readonly auth: TokenSet['state'];
  /** The largest photo that `POST /files` takes; undefined where there is no such route. */
  readonly maxBytes: number | undefined;
}

/** The page at `/`: a photo in, its defects shown. It is a client of the public API like any other. */
export function pageRoutes(app: Gateway, needs: Needs): void {
  const assets = assetRoutes(app, { folders: ['ui', 'services/defectoscopy'], files: [EXAMPLE] });

  app.get('/', { config: { access: 'public' }, schema: { hide: true } }, async (request, reply) => {
    const language = languageOf(request.headers['accept-language']);
    return sendPage(reply, language, await photoPage(language, await assets(), serviceLinks(request, language), needs));
  });
}

function photoPage(
  language: UiLanguage,
  assets: Assets,
  services: readonly ServiceLink[],
  { version, auth, maxBytes }: Needs,
): Promise<string> {
  const words: PhotoTexts = {
    ...texts[language],
    classes: classNames[language],
    failures: failureTexts.defectoscopy[language],
  };
  const exampleUrl = assets.address(EXAMPLE);
  const own: PhotoPage = {
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
    styles: ['ui/drop.css', 'ui/workspace.css', 'ui/picture.css', 'services/defectoscopy/browser/photo.css'],
    script: 'services/defectoscopy/browser/photo-page.js',
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
          <Workspace words={words} language={language} maxBytes={maxBytes!} example={exampleUrl !== undefined} />
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

function Workspace(page: { words: PhotoTexts; language: UiLanguage; maxBytes: number; example: boolean }): JSX.Element {
  const { words, language } = page;
  return (
    <div class="needs-script">
      <TokenForm language={language} />
      <p id="refused" class="notice bad" role="alert" hidden></p>
      <div id="workspace" class="workspace">
        <DropZone
          words={words.drop}
          accept="image/*,.heic,.heif,.tif,.tiff"
          icon={<PhotoIcon />}
          camera
          example={page.example}
        />
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
          <p id="note" class="hint"></p>
        </section>
        <PictureFrame words={words.map} hidden>
          <img id="photo" alt="" />
        </PictureFrame>
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
