import type { Failure } from '../../tasks/task.ts';
import type { FailureTexts } from '../shared/service.ts';

/** Messages contain no URLs and no internal details. */
const failure = (code: string, message: string): Failure => ({ code, message });

export const AUDIO_FORMATS = 'WAV, MP3, M4A or MP4, AAC, OGG, Opus, FLAC, WebM, AMR';

export const FAILURES = {
  fetchFailed: failure('AUDIO_FETCH_FAILED', 'The recording could not be downloaded.'),
  notFound: failure('AUDIO_NOT_FOUND', 'No recording was found at this URL.'),
  tooLarge: failure('AUDIO_TOO_LARGE', 'The recording is larger than the limit of 1 GiB.'),
  tooLong: failure('AUDIO_TOO_LONG', 'The recording is longer than the limit of 4 hours.'),
  unsupported: failure('AUDIO_UNSUPPORTED', `Unsupported audio format. Use one of: ${AUDIO_FORMATS}.`),
  noSound: failure('AUDIO_UNSUPPORTED', 'The file has no audio track.'),
  protected: failure('AUDIO_UNSUPPORTED', 'The recording is copy-protected.'),
  corrupt: failure('AUDIO_CORRUPT', 'The recording is damaged or incomplete.'),
  blocked: failure('AUDIO_BLOCKED', 'The recording URL is blocked.'),
  providerFailed: failure('PROVIDER_FAILED', 'The speech recognition provider could not transcribe this recording.'),
  providerQuota: failure('PROVIDER_QUOTA', 'The quota of the speech recognition provider is exhausted.'),
} as const;

/** Processing fails again; the worker does not retry these. */
export const PERMANENT_ERRORS: readonly string[] = [
  ...[FAILURES.unsupported, FAILURES.corrupt, FAILURES.tooLarge, FAILURES.tooLong, FAILURES.notFound, FAILURES.blocked],
].map(({ code }) => code);

/** By code. Other codes are shown with their message. */
export const failureTexts = {
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
    INFERENCE_FAILED: 'Ошибка модели распознавания при обработке записи.',
    INFERENCE_TIMEOUT: 'Превышено время обработки записи.',
    WORKER_LOST: 'Обработка записи прервалась несколько раз; попытки исчерпаны.',
    DEADLINE_EXCEEDED: 'Истёк срок выполнения задачи.',
    CANCELLED: 'Задача отменена.',
    UNSUPPORTED_MEDIA_TYPE: 'Формат записи не поддерживается.',
  },
} satisfies FailureTexts;
