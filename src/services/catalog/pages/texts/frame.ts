import { fieldErrorTexts, requestErrorTextsRu } from '../../../../ui/browser/error-texts.ts';

export const frameTexts = {
  service: { en: 'Catalog', ru: 'Каталог' },
  signIn: { en: 'Sign in', ru: 'Войти' },
  signOut: { en: 'Sign out', ru: 'Выйти' },
  key: { en: 'Access token', ru: 'Токен доступа' },
  invalidToken: { en: 'The token is invalid.', ru: 'Неверный токен.' },
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

const ATTRIBUTE_RU = 'Нужны поле и его значение: ПОЛЕ=ЗНАЧЕНИЕ, например general:purpose=школа.';

export const errorTexts = {
  offline: { en: 'The server is not responding.', ru: 'Сервер не отвечает.' },
  refusals: {
    en: {
      UNSUPPORTED_MEDIA_TYPE:
        'The file format is not supported. Choose a photo in JPEG, PNG, WebP, TIFF, GIF, AVIF or HEIC.',
    } as Readonly<Record<string, string>>,
    ru: {
      ...requestErrorTextsRu,
      UNAUTHORIZED: 'Войдите: токен не указан или больше не действует.',
      CSRF_FAILED: 'Запрос отправлен со страницы другого сайта. Откройте страницу каталога и повторите.',
      FORBIDDEN: 'Доступно только модераторам, а у вас токен читателя.',
      NOT_FOUND: 'Страница не найдена.',
      RECORD_NOT_FOUND: 'Запись не найдена.',
      REPORT_NOT_FOUND: 'Жалоба не найдена.',
      VIEW_NOT_FOUND: 'Сохранённый вид не найден.',
      VIEW_EXISTS: 'У вас уже есть сохранённый вид с таким названием.',
      TOO_MANY_ALERTS: 'Оповещений слишком много. Выключите ненужные.',
      ALERT_NOT_FOUND: 'Оповещение выключено.',
      TOO_MANY_VIEWS: 'Сохранено слишком много видов. Удалите ненужные.',
      IMAGE_NOT_FOUND: 'У записи нет изображения.',
      HEATMAP_NOT_FOUND: 'У записи нет тепловой карты.',
      IMAGE_HIDDEN: 'Запись и её изображение скрыты.',
      SOUND_NOT_FOUND: 'Аудиозапись удалена или отсутствует.',
      INVALID_TRANSITION: 'Статус жалобы уже изменён.',
      VERSION_CONFLICT: 'Жалоба изменилась после того, как вы открыли страницу.',
      UNSUPPORTED_MEDIA_TYPE:
        'Формат файла не поддерживается. Выберите фото в формате JPEG, PNG, WebP, TIFF, GIF, AVIF или HEIC.',
      INDEX_UNAVAILABLE: 'Запись в каталог временно недоступна. Повторите запрос.',
      PICTURE_SEARCH_UNAVAILABLE: 'Поиск по фото сейчас недоступен. Повторите позже.',
      DATABASE_UNAVAILABLE: 'База данных временно недоступна. Повторите позже.',
    },
  },
  problems: {
    en: {
      ...fieldErrorTexts.en,
      stored_query_invalid:
        'The search no longer accepts the query of this view ({parameter}). Delete the view and save the search again.',
    },
    ru: {
      ...fieldErrorTexts.ru,
      stored_query_invalid:
        'Поиск больше не принимает запрос этого вида ({parameter}). Удалите вид и сохраните поиск заново.',
      'id:value_error': 'Оповещение недоступно для видов с фильтром по повторяющимся фото.',
      'q:too_long': 'Не больше {max_length} слов.',
      'range:value_error':
        'Нужен диапазон значений поля, например general:year_built:1960..1980 или areas:total_area:50.., в числах не более 15 цифр.',
      'attribute:value_error': ATTRIBUTE_RU,
      'not_attribute:value_error': ATTRIBUTE_RU,
      'page:value_error': 'Страницы дальше результата 10 000 не показываются. Уточните поиск.',
      'query:string_pattern_mismatch': 'Запрос нужно закодировать (percent-encoding), например q=%D0%BC.',
      image_unsupported: 'Формат не поддерживается.',
      image_corrupt: 'Файл повреждён или загружен не полностью.',
      image_too_large: 'Файл слишком большой (предел — 20 МиБ и 50 мегапикселей).',
      url_parsing: 'Нужен URL с https:// на общедоступном узле (http:// — только для этого компьютера).',
    },
  },
};
