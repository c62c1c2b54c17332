import type { PropsWithChildren } from '@kitajs/html';
import { A, H1, P } from './text-elements.tsx';
import { type UiLanguage, uiTexts } from './texts.ts';

/** A link to the page that this one belongs to. */
export const BackLink = ({ href = './', id, text }: { href?: string; id?: string; text: string }): JSX.Element => (
  <p class="crumb">
    <A href={href} id={id} text={`← ${text}`} />
  </p>
);

export const PageIntro = (page: PropsWithChildren<{ title: string; lead: string }>): JSX.Element => (
  <div class="intro">
    <H1 text={page.title} />
    <P class="lead" text={page.lead} />
    {page.children}
  </div>
);

/** For browsers without scripts; the API reference names the other ways. */
export const ScriptNotice = ({ language }: { language: UiLanguage }): JSX.Element => (
  <noscript>
    <DocsNotice text={uiTexts[language].needsScript} />
  </noscript>
);

export const DocsNotice = ({ text }: { text: string }): JSX.Element => (
  <p class="notice">
    <span safe>{text}</span> <a href="docs">/docs</a>
  </p>
);
