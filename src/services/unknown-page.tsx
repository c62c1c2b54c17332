import type { RefusalPage } from '../http/refuse.ts';
import type { Assets } from '../ui/assets.ts';
import { uiTexts } from '../ui/texts.ts';
import { refusalPage } from './refusal-page.tsx';

/** Of a service whose pages are one page, at `/`: whoever asks for any other with a browser is shown the way there. */
export function unknownPage(page: {
  assets: () => Promise<Assets>;
  version: string;
  titles: Readonly<Record<'en' | 'ru', string>>;
}): RefusalPage {
  const { assets, version, titles } = page;
  const textsIn = (language: 'en' | 'ru') => ({
    ...WORDS[language],
    service: titles[language],
    refusals: uiTexts[language].refusals,
    problems: {},
  });
  return refusalPage({
    assets,
    version,
    texts: { en: textsIn('en'), ru: textsIn('ru') },
    styles: ['ui/workspace.css'],
  });
}

const WORDS = {
  en: { refusedTitle: 'This did not work', back: 'To the start' },
  ru: { refusedTitle: 'Не получилось', back: 'В начало' },
};
