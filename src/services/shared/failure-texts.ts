import { getOwnProperty } from '../../base/own-property.ts';

/** By error code. Other codes are shown with the message of the service. */
export const failureTexts = {
  defectoscopy: {
    en: {
      UNSUPPORTED_MEDIA_TYPE: 'Unsupported image format. Use JPEG, PNG, WebP, TIFF, GIF, AVIF or HEIC.',
    },
    ru: {
      IMAGE_FETCH_FAILED: 'Снимок не удалось скачать из хранилища.',
      IMAGE_NOT_FOUND: 'Снимок не найден по указанному адресу.',
      IMAGE_TOO_LARGE: 'Снимок превышает допустимый размер (20 МиБ, 50 мегапикселей).',
      IMAGE_UNSUPPORTED: 'Формат изображения не поддерживается. Используйте JPEG, PNG, WebP, TIFF, GIF, AVIF или HEIC.',
      IMAGE_CORRUPT: 'Файл снимка повреждён или загружен не полностью.',
      IMAGE_BLOCKED: 'Адрес снимка запрещён политикой безопасности.',
      INFERENCE_FAILED: 'Ошибка модели при обработке снимка.',
      INFERENCE_TIMEOUT: 'Превышено время обработки снимка.',
      WORKER_LOST: 'Обработка снимка прервалась несколько раз; попытки исчерпаны.',
      DEADLINE_EXCEEDED: 'Истёк срок выполнения задачи.',
      CANCELLED: 'Задача отменена.',
      UNSUPPORTED_MEDIA_TYPE:
        'Формат изображения не поддерживается. Используйте JPEG, PNG, WebP, TIFF, GIF, AVIF или HEIC.',
    },
  },
  stt: {
    en: {
      UNSUPPORTED_MEDIA_TYPE: 'Unsupported audio format.',
    },
    ru: {
      AUDIO_FETCH_FAILED: 'Запись не удалось скачать.',
      AUDIO_NOT_FOUND: 'Запись не найдена по указанному адресу.',
      AUDIO_TOO_LARGE: 'Запись превышает допустимый размер (1 ГиБ).',
      AUDIO_TOO_LONG: 'Запись превышает допустимую длительность (4 часа).',
      AUDIO_UNSUPPORTED: 'Формат не поддерживается, либо файл защищён или не содержит звука.',
      AUDIO_CORRUPT: 'Файл записи повреждён или загружен не полностью.',
      AUDIO_BLOCKED: 'Адрес записи запрещён политикой безопасности.',
      PROVIDER_FAILED: 'Ошибка модели распознавания при обработке записи.',
      PROVIDER_QUOTA: 'Исчерпана квота внешнего сервиса распознавания.',
      WORKER_LOST: 'Обработка записи прервалась несколько раз; попытки исчерпаны.',
      DEADLINE_EXCEEDED: 'Истёк срок выполнения задачи.',
      CANCELLED: 'Задача отменена.',
      UNSUPPORTED_MEDIA_TYPE: 'Формат записи не поддерживается.',
    },
  },
  passports: {
    en: {},
    ru: {
      EXTRACTION_INVALID: 'Результат распознавания не прошёл проверку.',
      NO_FIELDS_FOUND: 'В документе не найдено ни одного из ожидаемых полей.',
      UNREADABLE_SCAN: 'Не удалось распознать текст: изображение нечёткое, слишком мелкое или пустое.',
      LLM_INVALID: 'Языковая модель вернула некорректный ответ.',
      STORAGE_ERROR: 'Не удалось прочитать сохранённый документ.',
      WORKER_LOST: 'Обработка документа прервалась несколько раз; попытки исчерпаны.',
      TIMEOUT: 'Превышено время обработки документа.',
      INTERNAL_ERROR: 'Внутренняя ошибка сервера.',
      LLM_UNAVAILABLE: 'Языковая модель недоступна.',
      LLM_TIMEOUT: 'Превышено время ожидания ответа языковой модели.',
      LLM_QUOTA: 'Исчерпана квота обращений к языковой модели.',
      PDF_ENCRYPTED: 'PDF защищён паролем.',
      PDF_CORRUPT: 'PDF повреждён: не удалось открыть ни одной страницы.',
      PDF_TOO_MANY_PAGES: 'В PDF слишком много страниц.',
      PDF_TOO_COMPLEX: 'Страница PDF слишком сложна: превышен предел памяти или времени.',
      UNSUPPORTED_DOCUMENT: 'В файле нет страниц.',
    },
  },
};

export function failureText(service: string, code: string, language: 'en' | 'ru'): string | undefined {
  const texts = getOwnProperty<Record<'en' | 'ru', Readonly<Record<string, string>>>>(failureTexts, service);
  return texts && getOwnProperty(texts[language], code);
}
