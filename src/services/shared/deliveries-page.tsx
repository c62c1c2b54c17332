import type { TokenSet } from '../../http/bearer.ts';
import type { Gateway } from '../../http/gateway.ts';
import { type DeliveriesPage, type DeliveriesTexts, deliveriesTexts } from '../../ui/browser/deliveries-texts.ts';
import { layout, TokenForm } from '../../ui/layout.tsx';
import { BackLink, PageIntro, ScriptNotice } from '../../ui/page-intro.tsx';
import { sendPage } from '../../ui/send-page.ts';
import { Button, H2, Label, P, Span } from '../../ui/text-elements.tsx';
import { serviceLinks } from './service-links.ts';
import { preferredLanguage } from './task-routes.ts';

/** `GET /webhooks`: the deliveries of a token. Uses only the public API; the script is `ui/browser/deliveries-page.ts`. */
export function deliveriesPage(
  app: Gateway,
  deps: {
    version: string;
    /** The display name of the service. */
    titles: Readonly<Record<'en' | 'ru', string>>;
    auth: () => TokenSet['state'];
  },
): void {
  const { version, titles, auth } = deps;
  app.get('/webhooks', { config: { access: 'public', page: true }, schema: { hide: true } }, async (request, reply) => {
    const language = preferredLanguage(request.headers['accept-language']);
    const texts = deliveriesTexts[language];
    const html = await layout({
      ...{ language, version, assets: await app.assets!(), services: serviceLinks(request, language) },
      data: { texts, needsToken: auth() === 'enforced' } satisfies DeliveriesPage,
      service: titles[language],
      title: texts.title,
      styles: ['ui/deliveries.css'],
      script: 'ui/browser/deliveries-page.js',
      children: (
        <>
          <BackLink text={texts.back} />
          <PageIntro title={texts.title} lead={texts.lead} />
          <ScriptNotice language={language} />
          <div class="needs-script webhooks">
            <TokenForm language={language} />
            <p id="error" class="notice bad" role="alert" hidden></p>
            <Endpoints texts={texts} />
            <List texts={texts} />
            <div class="forms">
              <RedeliverForm texts={texts} />
              <TestForm texts={texts} />
            </div>
          </div>
          <p id="live" class="visually-hidden" role="status"></p>
        </>
      ),
    });
    return sendPage(reply, language, html);
  });
}

interface Props {
  readonly texts: DeliveriesTexts;
}

const Endpoints = ({ texts }: Props): JSX.Element => (
  <section id="endpoints" class="panel" aria-labelledby="endpoints-title" hidden>
    <H2 id="endpoints-title" text={texts.endpoints.title} />
    <P class="hint" text={texts.endpoints.why} />
    <ul id="endpoint-list" class="entries"></ul>
  </section>
);

const List = ({ texts: { list, filters } }: Props): JSX.Element => (
  <section class="panel" aria-labelledby="list-title">
    <div class="row">
      <H2 id="list-title" tabindex="-1" text={list.title} />
      <fieldset id="filter">
        <legend class="visually-hidden" safe>
          {list.filter}
        </legend>
        {Object.entries({ '': list.all, ...filters }).map(([state, label]) => (
          <label>
            <input type="radio" name="state" value={state} checked={state === ''} />
            <Span text={label} />
          </label>
        ))}
      </fieldset>
    </div>
    <ul id="deliveries" class="entries"></ul>
    <P id="no-deliveries" class="hint" hidden text={list.none} />
    <div id="delivery-list-end">
      <Button type="button" id="more" hidden text={list.more} />
    </div>
  </section>
);

const RedeliverForm = ({ texts: { redeliver } }: Props): JSX.Element => (
  <form id="redeliver" class="panel" aria-labelledby="redeliver-title">
    <H2 id="redeliver-title" text={redeliver.title} />
    <Label for="since" text={redeliver.since} />
    <input id="since" type="datetime-local" required />
    <label class="check">
      <input id="pending" type="checkbox" />
      <Span text={redeliver.pending} />
    </label>
    <Button type="submit" text={redeliver.send} />
    <p id="redeliver-result" class="hint" role="status"></p>
  </form>
);

const TestForm = ({ texts: { test } }: Props): JSX.Element => (
  <form id="test" class="panel" aria-labelledby="test-title">
    <H2 id="test-title" text={test.title} />
    <Label for="receiver" text={test.url} />
    <input id="receiver" type="url" maxlength="2048" required autocomplete="off" placeholder="https://" />
    <Label for="secret" text={test.secret} />
    <input id="secret" type="text" maxlength="512" autocomplete="off" spellcheck="false" />
    <Button type="submit" text={test.send} />
    <p id="test-result" class="hint" role="status"></p>
  </form>
);
