/** A text in both languages. */
interface Message {
  readonly en: unknown;
  readonly ru: unknown;
}

interface Messages {
  readonly [name: string]: Message | Messages;
}

type Localized<T> = T extends Message ? T['en'] : { readonly [Name in keyof T]: Localized<T[Name]> };

/** The texts by language, from messages at any depth. A message without one of the languages is a compile error. */
export const localize = <T extends Messages>(messages: T): Readonly<Record<'en' | 'ru', Localized<T>>> => ({
  en: inLanguage(messages, 'en') as Localized<T>,
  ru: inLanguage(messages, 'ru') as Localized<T>,
});

const inLanguage = (messages: Messages, language: 'en' | 'ru'): object =>
  Object.fromEntries(
    Object.entries(messages).map(([name, each]) => [
      name,
      'en' in each ? each[language] : inLanguage(each as Messages, language),
    ]),
  );
