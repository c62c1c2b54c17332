type Words = Readonly<Record<string, string>>;

const en = {
  service: 'Catalog',
  signIn: 'Sign in',
  signOut: 'Sign out',
  key: 'Access token',
  signInWhy:
    'Ask the administrator of this service for a token. On a local installation the terminal shows a sign-in link.',
  fromLink: 'The token was filled in from a link. Sign in only if you trust the source of the link.',
  signedIn: 'You are already signed in. A new token replaces the current one in this browser.',
  goOn: 'Go to the catalog',
  back: 'Go to the catalog',
  refusedTitle: 'Something went wrong',
  toRecords: 'Records',
  toReports: 'Reports',
  services: { defectoscopy: 'Defectoscopy', stt: 'Speech', passports: 'Passports', import: 'Imported' } as Words,
  statuses: { done: 'Completed', failed: 'Failed' } as Words,
};

const ru: typeof en = {
  service: 'Каталог',
  signIn: 'Войти',
  signOut: 'Выйти',
  key: 'Токен доступа',
  signInWhy: 'Токен выдаёт администратор сервиса. При локальном запуске ссылка для входа показана в терминале.',
  fromLink: 'Токен подставлен из ссылки. Входите, только если доверяете её источнику.',
  signedIn: 'Вы уже вошли. Новый токен заменит текущий в этом браузере.',
  goOn: 'Перейти в каталог',
  back: 'Перейти в каталог',
  refusedTitle: 'Произошла ошибка',
  toRecords: 'Записи',
  toReports: 'Жалобы',
  services: { defectoscopy: 'Дефектоскопия', stt: 'Речь', passports: 'Паспорта', import: 'Импорт' },
  statuses: { done: 'Готово', failed: 'Ошибка' },
};

export const frameTexts = { en, ru };
