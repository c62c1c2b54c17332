type Words = Readonly<Record<string, string>>;

/** What every page of the catalog says. */
const en = {
  service: 'Catalog',
  signIn: 'Sign in',
  signOut: 'Sign out',
  key: 'Access token',
  signInWhy:
    'The token comes from whoever runs this service; in a first trial the start-up banner shows a link with it.',
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
  back: 'В каталог',
  refusedTitle: 'Не получилось',
  toRecords: 'Записи',
  toReports: 'Жалобы',
  services: { defectoscopy: 'Дефектоскопия', stt: 'Речь', passports: 'Паспорта', import: 'Загруженные' },
  statuses: { done: 'Готово', failed: 'Ошибка' },
};

export const frameTexts = { en, ru };
