import type { TokenSet } from '../../http/bearer.ts';
import type { Gateway } from '../../http/gateway.ts';
import { assetRoutes } from '../../ui/assets.ts';
import { batchTexts } from '../../ui/browser/batch-texts.ts';
import { deliveriesTexts } from '../../ui/browser/deliveries-texts.ts';
import { fill } from '../../ui/browser/fill.ts';
import { createNumberFormats } from '../../ui/browser/number-formats.ts';
import type { UploadPageData, UploadTexts } from '../../ui/browser/upload-texts.ts';
import { layout, TokenForm } from '../../ui/layout.tsx';
import { DocsNotice, PageIntro, ScriptNotice } from '../../ui/page-intro.tsx';
import { sendPage } from '../../ui/send-page.ts';
import { A } from '../../ui/text-elements.tsx';
import type { UiLanguage } from '../../ui/texts.ts';
import { type BatchInputs, batchPage } from './batch-page.tsx';
import { deliveriesPage } from './deliveries-page.tsx';
import { serviceLinks } from './service-links.ts';
import { preferredLanguage } from './task-routes.ts';

export interface UploadPageOptions<Texts extends UploadTexts> {
  readonly service: string;
  readonly example: string;
  readonly styles: readonly string[];
  readonly script: string;
  /** Of supported media types. */
  readonly typePrefixes: readonly string[];
  /** Codes of failures that a retry repeats. */
  readonly permanentErrors: readonly string[];
  texts(language: UiLanguage): Texts;
  /** A link in the header. */
  nav?(words: Texts): JSX.Element;
  dropZone(page: UploadPageParts<Texts>): JSX.Element;
  /** Below the progress steps: {@link Note} and service-specific content. */
  belowSteps(words: Texts): JSX.Element;
  readonly batchInputs?: BatchInputs;
  /** Between the progress steps and the result. */
  besideResult?(words: Texts): JSX.Element;
}

export interface UploadPageParts<Texts> {
  readonly words: Texts;
  readonly language: UiLanguage;
  readonly example: boolean;
}

export interface UploadPageDeps {
  readonly version: string;
  readonly auth: () => TokenSet['state'];
  /** Of a file for `POST /files`; undefined if the route is disabled. */
  readonly maxBytes: number | undefined;
}

/**
 * The upload page at `/`, with that of the webhook deliveries. It uses only the public API; its script is
 * `ui/browser/upload-page.ts`.
 */
export function uploadPage<Texts extends UploadTexts>(
  app: Gateway,
  kind: UploadPageOptions<Texts>,
  deps: UploadPageDeps,
): void {
  const { version, auth, maxBytes } = deps;
  const open = assetRoutes(app, { folders: ['ui', `services/${kind.service}`], files: [kind.example] });

  app.get('/', { config: { access: 'public' }, schema: { hide: true } }, async (request, reply) => {
    const language = preferredLanguage(request.headers['accept-language']);
    const words = kind.texts(language);
    const assets = await open();
    const authState = auth();
    const exampleUrl = assets.address(kind.example);
    const data: UploadPageData<Texts> = {
      texts: words,
      needsToken: authState === 'enforced',
      maxBytes: maxBytes ?? 0,
      ...(exampleUrl !== undefined && { exampleUrl }),
    };
    const disabledReason =
      maxBytes === undefined ? words.uploadsDisabled : authState === 'unconfigured' ? words.unconfigured : undefined;
    const page = { words, language, example: exampleUrl !== undefined };
    const html = await layout({
      ...{ language, version, assets, data, services: serviceLinks(request, language) },
      service: words.service,
      title: words.title,
      styles: ['ui/drop.css', 'ui/workspace.css', ...kind.styles],
      script: kind.script,
      nav: (
        <>
          {kind.nav?.(words) ?? ''}
          {disabledReason === undefined ? <A href="batch" text={batchTexts[language].link} /> : ''}
          <A href="webhooks" text={deliveriesTexts[language].link} />
        </>
      ),
      children: (
        <>
          <PageIntro title={words.heading} lead={words.lead}>
            <p id="model" class="model" hidden>
              <span class="dot" aria-hidden="true"></span>
              <span id="model-status"></span>
            </p>
          </PageIntro>
          <ScriptNotice language={language} />
          {disabledReason === undefined ? <Workspace kind={kind} page={page} /> : <DocsNotice text={disabledReason} />}
          <p id="live" class="visually-hidden" role="status"></p>
        </>
      ),
    });
    return sendPage(reply, language, html);
  });
  const titles = { en: kind.texts('en').service, ru: kind.texts('ru').service };
  deliveriesPage(app, { version, auth, titles });
  const failures = (language: UiLanguage) => kind.texts(language).failures;
  const { typePrefixes, permanentErrors, batchInputs: inputs } = kind;
  const limits = (language: UiLanguage) =>
    fill(kind.texts(language).drop.limits, { size: createNumberFormats(language).size(maxBytes ?? 0) });
  if (maxBytes !== undefined)
    batchPage(app, { version, auth, titles, typePrefixes, limits, failures, permanentErrors, inputs });
}

export const Note = (): JSX.Element => <p id="note" class="hint"></p>;

function Workspace<Texts extends UploadTexts>({
  kind,
  page,
}: {
  kind: UploadPageOptions<Texts>;
  page: UploadPageParts<Texts>;
}): JSX.Element {
  const { words, language } = page;
  return (
    <div class="needs-script">
      <TokenForm language={language} />
      <p id="error" class="notice bad" role="alert" hidden></p>
      <div id="workspace" class="workspace">
        {kind.dropZone(page)}
        <section id="instructions" class="panel instructions" aria-labelledby="instructions-title">
          <h2 id="instructions-title" safe>
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
          {kind.belowSteps(words)}
        </section>
        {kind.besideResult?.(words) ?? ''}
        <section id="outcome" class="panel outcome" aria-labelledby="result-title" hidden></section>
      </div>
      <section id="session-uploads" class="session-uploads" aria-labelledby="session-uploads-title" hidden>
        <h2 id="session-uploads-title" safe>
          {words.sessionUploads}
        </h2>
        <ul id="session-upload-list"></ul>
      </section>
    </div>
  );
}
