import { ERROR_TYPES, type ErrorType, sentenceOf } from '../failures.ts';

const ru: Readonly<Record<ErrorType, string>> = {
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
};

/** Why a document has no result, by its `error_type`, in the reader's language. */
export const errorTexts: Readonly<Record<'en' | 'ru', Readonly<Record<string, string>>>> = {
  en: Object.fromEntries(ERROR_TYPES.map((type) => [type, sentenceOf(type)])),
  ru,
};
