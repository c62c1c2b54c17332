export const frameTexts = {
  service: { en: 'Catalog', ru: 'Каталог' },
  signIn: { en: 'Sign in', ru: 'Войти' },
  signOut: { en: 'Sign out', ru: 'Выйти' },
  key: { en: 'Access token', ru: 'Токен доступа' },
  signInWhy: {
    en: 'Ask the administrator of this service for a token. On a local installation the terminal shows a sign-in link.',
    ru: 'Токен выдаёт администратор сервиса. При локальном запуске ссылка для входа показана в терминале.',
  },
  fromLink: {
    en: 'The token was filled in from a link. Sign in only if you trust the source of the link.',
    ru: 'Токен подставлен из ссылки. Входите, только если доверяете её источнику.',
  },
  signedIn: {
    en: 'You are already signed in. A new token replaces the current one in this browser.',
    ru: 'Вы уже вошли. Новый токен заменит текущий в этом браузере.',
  },
  goOn: { en: 'Go to the catalog', ru: 'Перейти в каталог' },
  back: { en: 'Go to the catalog', ru: 'Перейти в каталог' },
  refusedTitle: { en: 'Something went wrong', ru: 'Произошла ошибка' },
  toRecords: { en: 'Records', ru: 'Записи' },
  toReports: { en: 'Reports', ru: 'Жалобы' },
  services: {
    defectoscopy: { en: 'Defectoscopy', ru: 'Дефектоскопия' },
    stt: { en: 'Speech', ru: 'Речь' },
    passports: { en: 'Passports', ru: 'Паспорта' },
    import: { en: 'Imported', ru: 'Импорт' },
  },
  statuses: {
    done: { en: 'Completed', ru: 'Готово' },
    failed: { en: 'Failed', ru: 'Ошибка' },
  },
};
