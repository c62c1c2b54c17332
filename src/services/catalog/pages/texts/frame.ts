type Words = Readonly<Record<string, string>>;

/** What every page of the catalog says. */
const en = {
  service: 'Catalog',
  signIn: 'Sign in',
  signOut: 'Sign out',
  key: 'Access token',
  signInWhy:
    'The token comes from whoever runs this service; in a first trial the start-up banner shows a link with it.',
  fromLink: 'A link has filled in the token. Sign in only if you trust where the link came from.',
  signedIn: 'You are signed in. Another token replaces yours in this browser.',
  goOn: 'To the catalog',
  back: 'To the catalog',
  refusedTitle: 'This did not work',
  toRecords: 'Records',
  toReports: 'Reports',
  services: { defectoscopy: 'Defectoscopy', stt: 'Speech', passports: 'Passports', import: 'Imported' } as Words,
  statuses: { done: 'Done', failed: 'Failed' } as Words,
};

const ru: typeof en = {
  service: 'Каталог',
  signIn: 'Войти',
  signOut: 'Выйти',
  key: 'Токен доступа',
  signInWhy: 'Токен выдаёт тот, кто ведёт сервис; при пробном запуске ссылка с ним показана в терминале.',
  fromLink: 'Токен подставлен из ссылки. Входите, только если доверяете её источнику.',
  signedIn: 'Вы уже вошли. Другой токен заменит ваш в этом браузере.',
  goOn: 'В каталог',
  back: 'В каталог',
  refusedTitle: 'Не получилось',
  toRecords: 'Записи',
  toReports: 'Жалобы',
  services: { defectoscopy: 'Дефектоскопия', stt: 'Речь', passports: 'Паспорта', import: 'Загруженные' },
  statuses: { done: 'Готово', failed: 'Ошибка' },
};

export const frameTexts = { en, ru };
