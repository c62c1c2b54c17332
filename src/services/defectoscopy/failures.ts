import type { Failure } from '../../tasks/task.ts';
import type { FailureTexts } from '../shared/service.ts';

/** Messages contain no URLs and no internal details. */
const failure = (code: string, message: string): Failure => ({ code, message });

export const FAILURES = {
  fetchFailed: failure('IMAGE_FETCH_FAILED', 'The image could not be downloaded.'),
  notFound: failure('IMAGE_NOT_FOUND', 'No image was found at this URL.'),
  tooManyPixels: failure('IMAGE_TOO_LARGE', 'The image has more than the limit of 50 megapixels.'),
  tooLarge: failure('IMAGE_TOO_LARGE', 'The image file is larger than the limit of 20 MiB.'),
  unsupported: failure('IMAGE_UNSUPPORTED', 'Unsupported image format. Use JPEG, PNG, WebP, TIFF, GIF, AVIF or HEIC.'),
  // HEIC is a supported format, so the general message would mislead.
  noHevc: failure('IMAGE_UNSUPPORTED', 'This installation cannot decode HEIC images. Convert the image to JPEG.'),
  corrupt: failure('IMAGE_CORRUPT', 'The image is damaged or incomplete.'),
  blocked: failure('IMAGE_BLOCKED', 'The image URL is blocked.'),
  decodingTooSlow: failure('INFERENCE_TIMEOUT', 'Decoding the image took too long.'),
  unknownModel: failure('INFERENCE_FAILED', 'The requested model version is no longer installed.'),
} as const;

/** Of the file itself. */
export const FILE_ERRORS: readonly string[] = [FAILURES.unsupported, FAILURES.corrupt, FAILURES.tooLarge].map(
  ({ code }) => code,
);

/** Processing fails again; the worker does not retry these. */
export const PERMANENT_ERRORS: readonly string[] = [...FILE_ERRORS, FAILURES.notFound.code, FAILURES.blocked.code];

/** By code. Other codes are shown with their message. */
export const failureTexts = {
  en: {
    UNSUPPORTED_MEDIA_TYPE: 'Unsupported image format. Use JPEG, PNG, WebP, TIFF, GIF, AVIF or HEIC.',
  },
  ru: {
    IMAGE_FETCH_FAILED: 'Фото не удалось скачать из хранилища.',
    IMAGE_NOT_FOUND: 'Фото не найдено по указанному адресу.',
    IMAGE_TOO_LARGE: 'Фото превышает допустимый размер (20 МиБ, 50 мегапикселей).',
    IMAGE_UNSUPPORTED: 'Формат изображения не поддерживается. Используйте JPEG, PNG, WebP, TIFF, GIF, AVIF или HEIC.',
    IMAGE_CORRUPT: 'Файл повреждён или загружен не полностью.',
    IMAGE_BLOCKED: 'Адрес фото запрещён политикой безопасности.',
    INFERENCE_FAILED: 'Ошибка модели при обработке фото.',
    INFERENCE_TIMEOUT: 'Превышено время обработки фото.',
    WORKER_LOST: 'Обработка фото прервалась несколько раз; попытки исчерпаны.',
    DEADLINE_EXCEEDED: 'Истёк срок выполнения задачи.',
    CANCELLED: 'Задача отменена.',
    UNSUPPORTED_MEDIA_TYPE:
      'Формат изображения не поддерживается. Используйте JPEG, PNG, WebP, TIFF, GIF, AVIF или HEIC.',
  },
} satisfies FailureTexts;
