import { ownValue } from '../base/own-value.ts';

/**
 * Why a task failed, by the code of its failure, in the reader's language; what has no words here has the sentence that the
 * service gave. Whoever shows results needs them, and not only the service that makes them.
 */
export const failureTexts = {
  defectoscopy: {
    en: {
      UNSUPPORTED_MEDIA_TYPE: 'This is not a photo: it takes a JPEG, PNG, WebP, TIFF, GIF, AVIF or HEIC file.',
    },
    ru: {
      IMAGE_FETCH_FAILED: 'Снимок не удалось скачать из хранилища.',
      IMAGE_NOT_FOUND: 'По этому адресу снимка нет.',
      IMAGE_TOO_LARGE: 'Снимок больше допустимого (20 МиБ, 50 мегапикселей).',
      IMAGE_UNSUPPORTED: 'Файл не является снимком поддерживаемого формата (JPEG, PNG, WebP, TIFF, GIF, AVIF, HEIC).',
      IMAGE_CORRUPT: 'Снимок повреждён или не полон.',
      IMAGE_BLOCKED: 'Адрес снимка ведёт туда, куда обращаться нельзя.',
      INFERENCE_FAILED: 'Модель не справилась с этим снимком.',
      INFERENCE_TIMEOUT: 'Модель не уложилась в отведённое время.',
      WORKER_LOST: 'Обработчик несколько раз прервался, не завершив снимок.',
      DEADLINE_EXCEEDED: 'Снимок не успели разобрать в отведённый срок.',
      CANCELLED: 'Задача отменена.',
      UNSUPPORTED_MEDIA_TYPE: 'Это не снимок: нужен JPEG, PNG, WebP, TIFF, GIF, AVIF или HEIC.',
    },
  },
  stt: {
    en: {
      UNSUPPORTED_MEDIA_TYPE: 'This is no recording of a format that the service reads.',
    },
    ru: {
      AUDIO_FETCH_FAILED: 'Запись не удалось скачать.',
      AUDIO_NOT_FOUND: 'По этому адресу записи нет.',
      AUDIO_TOO_LARGE: 'Запись больше допустимого (1 ГиБ).',
      AUDIO_TOO_LONG: 'Запись длиннее допустимого (4 часа).',
      AUDIO_UNSUPPORTED: 'Файл не является записью поддерживаемого формата, защищён или не содержит звука.',
      AUDIO_CORRUPT: 'Запись повреждена или не полна.',
      AUDIO_BLOCKED: 'Адрес записи ведёт туда, куда обращаться нельзя.',
      PROVIDER_FAILED: 'Модель распознавания не справилась с этой записью.',
      PROVIDER_QUOTA: 'Бюджет внешнего сервиса распознавания исчерпан.',
      WORKER_LOST: 'Обработчик несколько раз прервался, не завершив запись.',
      DEADLINE_EXCEEDED: 'Запись не успели распознать в отведённый срок.',
      CANCELLED: 'Задача отменена.',
      UNSUPPORTED_MEDIA_TYPE: 'Это не запись в формате, который сервис умеет читать.',
    },
  },
  passports: {
    en: {},
    ru: {
      EXTRACTION_INVALID: 'Прочитанное не складывается в верный результат.',
      NO_FIELDS_FOUND: 'Документ читается, но ни одного из ожидаемых полей в нём нет.',
      UNREADABLE_SCAN: 'Прочитано слишком мало: изображение размыто, мелко или пусто.',
      LLM_INVALID: 'Языковая модель, которая здесь обязательна, не дала верного ответа.',
      STORAGE_ERROR: 'Сохранённый документ не удалось прочитать.',
      WORKER_LOST: 'Обработчики этого документа пропали; попыток больше нет.',
      TIMEOUT: 'Документ читался слишком долго.',
      INTERNAL_ERROR: 'Что-то пошло не так на нашей стороне.',
      LLM_UNAVAILABLE: 'Языковая модель, которая здесь обязательна, недоступна.',
      LLM_TIMEOUT: 'Языковая модель, которая здесь обязательна, отвечала слишком долго.',
      LLM_QUOTA: 'Запас обращений к языковой модели, которая здесь обязательна, исчерпан.',
      PDF_ENCRYPTED: 'PDF защищён паролем.',
      PDF_CORRUPT: 'PDF повреждён: ни одна страница не открывается.',
      PDF_TOO_MANY_PAGES: 'В PDF больше страниц, чем допускается.',
      PDF_TOO_COMPLEX: 'Странице PDF нужно больше памяти или времени, чем допускается.',
      UNSUPPORTED_DOCUMENT: 'Файл открывается, но страниц в нём нет.',
    },
  },
};

/** Undefined where there are no words for it. */
export function failureText(service: string, code: string, language: 'en' | 'ru'): string | undefined {
  const of = ownValue<Record<'en' | 'ru', Readonly<Record<string, string>>>>(failureTexts, service);
  return of && ownValue(of[language], code);
}
