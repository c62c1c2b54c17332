import { fieldErrorTexts } from '../../../../ui/browser/error-texts.ts';

type Words = Readonly<Record<string, string>>;

const en = {
  offline: 'The server is not responding.',
  refusals: {} as Words,
  problems: fieldErrorTexts.en,
};

const ru: typeof en = {
  offline: 'Сервер не отвечает.',
  refusals: {
    UNAUTHORIZED: 'Войдите: токен не указан или больше не действует.',
    INVALID_TOKEN: 'Неверный токен.',
    CSRF_FAILED: 'Запрос отправлен со страницы другого сайта. Откройте страницу каталога и повторите.',
    FORBIDDEN: 'Доступно только модераторам, а у вас токен читателя.',
    NOT_FOUND: 'Страница не найдена.',
    RECORD_NOT_FOUND: 'Запись не найдена.',
    REPORT_NOT_FOUND: 'Жалоба не найдена.',
    VIEW_NOT_FOUND: 'Сохранённый вид не найден.',
    VIEW_EXISTS: 'У вас уже есть сохранённый вид с таким названием.',
    TOO_MANY_VIEWS: 'Сохранено слишком много видов. Удалите ненужные.',
    IMAGE_NOT_FOUND: 'У записи нет изображения.',
    IMAGE_HIDDEN: 'Запись и её изображение скрыты.',
    SOUND_NOT_FOUND: 'Аудиозапись удалена или отсутствует.',
    INVALID_TRANSITION: 'Статус жалобы уже изменён.',
    VERSION_CONFLICT: 'Жалоба изменилась после того, как вы открыли страницу.',
    PAYLOAD_TOO_LARGE: 'Слишком большой объём данных.',
    BAD_REQUEST: 'Некорректный запрос.',
    REQUEST_TIMEOUT: 'Время ожидания запроса истекло.',
    UNSUPPORTED_MEDIA_TYPE: 'Неподдерживаемый формат данных.',
    URI_TOO_LONG: 'Слишком длинный адрес.',
    RATE_LIMIT_EXCEEDED: 'Слишком много запросов. Повторите позже.',
    INDEX_UNAVAILABLE: 'Запись в каталог временно недоступна, изменения не сохранены.',
    DATABASE_UNAVAILABLE: 'База данных временно недоступна. Повторите позже.',
    INTERNAL_ERROR: 'Внутренняя ошибка сервера.',
  },
  problems: fieldErrorTexts.ru,
};

export const errorTexts = { en, ru };
