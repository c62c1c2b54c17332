import type { UiLanguage } from '../../../ui/texts.ts';

/** Names of language codes, capitalized also where the language writes them in lower case. */
export function createLanguageNames(language: UiLanguage): (code: string) => string {
  const names = new Intl.DisplayNames(language, { type: 'language' });
  return (code) => {
    const name = names.of(code) ?? code;
    return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
  };
}
