import type { Assets } from './assets.ts';
import type { Root } from './root.ts';
import { type ServiceLink, ServiceLinks } from './service-links.tsx';
import { A, Button, H2, Label, P, Span } from './text-elements.tsx';
import { type PageData, type UiLanguage, uiTexts } from './texts.ts';

export async function layout<Data>(page: {
  language: UiLanguage;
  /** Display name. */
  service: string;
  title: string;
  version: string;
  assets: Assets;
  /** Asset names of style sheets and of the page's script. */
  styles: readonly string[];
  script?: string;
  /** For the script of the page. */
  data: Data;
  root?: Root;
  /** May be empty. */
  services: readonly ServiceLink[];
  overview?: boolean;
  /** Additional links in the header. */
  nav?: JSX.Element;
  children: JSX.Element;
}): Promise<string> {
  const { language, service, title, version, root = '' } = page;
  const assets = withRoot(root, page.assets);
  const ui = uiTexts[language];
  const pageData: PageData<Data> = { language, ui, data: page.data };
  const document = (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title safe>{`${title} · Assay`}</title>
        <link rel="icon" type="image/svg+xml" href={assets.address('ui/mark.svg') ?? ''} />
        {['ui/styles.css', 'ui/components.css', ...page.styles].map((name) => (
          <link rel="stylesheet" href={assets.address(name) ?? ''} />
        ))}
        {(page.script === undefined ? [] : assets.scripts(page.script)).map((href) => (
          <link rel="modulepreload" href={href} />
        ))}
        {page.script !== undefined && <script type="module" src={assets.address(page.script) ?? ''}></script>}
      </head>
      <body>
        <A class="skip" href="#main" text={ui.skip} />
        <header class="top">
          <a class="brand" href={root || './'}>
            <img src={assets.address('ui/mark.svg') ?? ''} alt="" width="28" height="28" />
            <span>
              Assay
              <Span class="service" text={service} />
            </span>
          </a>
          <nav aria-label={ui.navigation}>
            <Button type="button" id="token-button" class="link" hidden text={ui.token.button} />
            {page.nav ?? ''}
            <A href={`${root}docs`} text={ui.reference} />
            <A href={`${root}help`} text={ui.help} />
          </nav>
          {page.services.length > 0 && (
            <ServiceLinks links={page.services} language={language} root={root} overview={page.overview ?? false} />
          )}
        </header>
        <main id="main" tabindex="-1">
          {page.children}
        </main>
        <footer class="bottom">
          <span safe>{`Assay ${version}`}</span>
          <span safe>{ui.selfHosted}</span>
          <span>
            <a href={`${root}swagger`}>Swagger</a> · <a href={`${root}redoc`}>Redoc</a> ·{' '}
            <a href={`${root}openapi.json`}>OpenAPI</a>
          </span>
        </footer>
        <script type="application/json" id="page-data">
          {/* Prevents "</script>" in the JSON from ending the block. */}
          {JSON.stringify(pageData).replaceAll('<', '\\u003c')}
        </script>
      </body>
    </html>
  );
  return `<!doctype html>${await document}`;
}

/** Makes asset URLs relative to a page below `/`. */
function withRoot(root: string, assets: Assets): Assets {
  const prefixed = (address: string | undefined) => (address === undefined ? undefined : root + address);
  return {
    address: (name) => prefixed(assets.address(name)),
    scripts: (name) => assets.scripts(name).map((href) => root + href),
  };
}

export function TokenForm({ language }: { language: UiLanguage }): JSX.Element {
  const { token } = uiTexts[language];
  return (
    <form id="token-form" class="panel token" aria-labelledby="token-title" hidden>
      <H2 id="token-title" text={token.title} />
      <P id="token-why" text={token.why} />
      <div class="row">
        <Label class="visually-hidden" for="token-input" text={token.label} />
        <input
          id="token-input"
          type="password"
          autocomplete="off"
          spellcheck="false"
          required
          placeholder={token.label}
          aria-describedby="token-why"
        />
        <Button type="submit" class="primary" text={token.use} />
      </div>
      <P class="hint" text={token.kept} />
    </form>
  );
}
