import { problemTexts } from '../../../../ui/browser/refusal-texts.ts';

type Words = Readonly<Record<string, string>>;

/** What the catalog refuses, in the reader's words. */
const en = {
  offline: 'The server does not answer.',
  refusals: {} as Words,
  problems: problemTexts.en,
};

const ru: typeof en = {
  offline: 'Сервер не отвечает.',
  refusals: {
    UNAUTHORIZED: 'Нужен вход: токен не дан или больше не действует.',
    INVALID_TOKEN: 'Такого токена нет.',
    CSRF_FAILED: 'Запрос пришёл со страницы другого сайта; откройте нашу страницу и повторите.',
    FORBIDDEN: 'Это для модераторов, а ваш токен читательский.',
    NOT_FOUND: 'Страница не найдена.',
    RECORD_NOT_FOUND: 'Такой записи нет.',
    REPORT_NOT_FOUND: 'Такой жалобы нет.',
    VIEW_NOT_FOUND: 'Такого сохранённого вида нет.',
    VIEW_EXISTS: 'Сохранённый вид с таким названием у вас уже есть.',
    TOO_MANY_VIEWS: 'Сохранённых видов больше некуда: удалите ненужные.',
    IMAGE_NOT_FOUND: 'Картинки у этой записи нет.',
    IMAGE_HIDDEN: 'Запись скрыта, и картинка вместе с ней.',
    SOUND_NOT_FOUND: 'Звук больше не хранится.',
    INVALID_TRANSITION: 'Жалоба уже в другом состоянии.',
    VERSION_CONFLICT: 'Жалоба изменилась с тех пор, как вы её видели.',
    PAYLOAD_TOO_LARGE: 'Отправлено слишком много данных.',
    BAD_REQUEST: 'Запрос не удалось прочесть.',
    REQUEST_TIMEOUT: 'Запрос передавался слишком долго.',
    UNSUPPORTED_MEDIA_TYPE: 'Отправлено не то, чего ждёт эта форма.',
    URI_TOO_LONG: 'Адрес слишком длинный.',
    RATE_LIMIT_EXCEEDED: 'Слишком много запросов; повторите чуть позже.',
    INDEX_UNAVAILABLE: 'Каталог сейчас не записывается; ничего не изменено.',
    DATABASE_UNAVAILABLE: 'База данных сейчас недоступна; повторите чуть позже.',
    INTERNAL_ERROR: 'Что-то пошло не так на нашей стороне.',
  },
  problems: problemTexts.ru,
};

export const refusalsTexts = { en, ru };
