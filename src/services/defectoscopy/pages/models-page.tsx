import type { TokenSet } from '../../../http/bearer.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { layout, TokenForm } from '../../../ui/layout.tsx';
import { BackLink, PageIntro, ScriptNotice } from '../../../ui/page-intro.tsx';
import { sendPage } from '../../../ui/send-page.ts';
import { Button, H2, Label, Option } from '../../../ui/text-elements.tsx';
import { classNames } from '../../shared/class-names.ts';
import { serviceLinks } from '../../shared/service-links.ts';
import { preferredLanguage } from '../../shared/task-routes.ts';
import { type ModelsPage, modelsTexts } from '../browser/models-texts.ts';
import { texts } from '../browser/texts.ts';

/** The service whose pages show a photo with its result. */
const CATALOG = 'catalog';
const DAYS = [1, 7, 30, 90];

/** `GET /model-versions`: versions, their comparison, and which one answers. Uses only the public API. */
export function modelsPage(app: Gateway, deps: { version: string; auth: () => TokenSet['state'] }): void {
  const { version, auth } = deps;
  app.get('/model-versions', { config: { access: 'public' }, schema: { hide: true } }, async (request, reply) => {
    const language = preferredLanguage(request.headers['accept-language']);
    const words = modelsTexts[language];
    const services = serviceLinks(request, language);
    const catalog = services.find(({ name }) => name === CATALOG)?.href;
    const data: ModelsPage = {
      texts: words,
      classes: classNames[language],
      needsToken: auth() === 'enforced',
      ...(catalog !== undefined && { catalog }),
    };
    const html = await layout({
      ...{ language, version, assets: await app.assets!(), data, services },
      service: texts[language].service,
      title: words.title,
      styles: ['ui/workspace.css', 'services/defectoscopy/browser/models.css'],
      script: 'services/defectoscopy/browser/models-page.js',
      children: (
        <>
          <BackLink text={words.back} />
          <PageIntro title={words.title} lead={words.lead} />
          <ScriptNotice language={language} />
          <div class="needs-script">
            <TokenForm language={language} />
            <p id="error" class="notice bad" role="alert" hidden></p>
            <p id="pinned" class="notice" hidden safe>
              {words.pinned}
            </p>
            <section class="models" aria-labelledby="versions-title">
              <H2 id="versions-title" tabindex="-1" text={words.versions} />
              <ul id="versions"></ul>
            </section>
            <section class="models" aria-labelledby="training-title">
              <H2 id="training-title" text={words.training} />
              <p id="corrected" class="hint"></p>
              <form id="train" class="tools" hidden>
                <Label for="train-version" text={words.trainVersion} />
                <input id="train-version" maxlength="64" pattern="[A-Za-z0-9][A-Za-z0-9._\-]*" autocomplete="off" />
                <Button id="train-start" text={words.train} />
              </form>
              <div id="training"></div>
            </section>
            <section class="models" aria-labelledby="comparison-title">
              <div class="row">
                <H2 id="comparison-title" text={words.comparison} />
                <span>
                  <Label for="days" text={words.period} />{' '}
                  <select id="days">
                    {DAYS.map((days) => (
                      <Option value={String(days)} selected={days === 7} text={words.days[days]!} />
                    ))}
                  </select>
                </span>
              </div>
              <div id="comparisons"></div>
            </section>
            <section class="models" aria-labelledby="differing-results-title">
              <H2 id="differing-results-title" text={words.differing} />
              <ul id="differing-results"></ul>
            </section>
            <section class="models" aria-labelledby="history-title">
              <H2 id="history-title" text={words.history} />
              <ul id="history"></ul>
            </section>
            <p id="live" class="visually-hidden" role="status"></p>
          </div>
        </>
      ),
    });
    return sendPage(reply, language, html);
  });
}
