import { heatmapTexts } from '../../../ui/browser/heatmap-texts.ts';
import { localize } from '../../../ui/browser/localize.ts';
import { uploadMessages } from '../../../ui/browser/upload-texts.ts';
import { NO_DEFECTS } from '../../shared/class-names.ts';

type Names = Readonly<Record<string, string>>;

export const texts = localize({
  ...uploadMessages,
  service: { en: 'Defectoscopy', ru: 'Дефектоскопия' },
  title: { en: 'Defect detection', ru: 'Поиск дефектов' },
  heading: { en: 'Detect surface defects', ru: 'Поиск дефектов поверхности' },
  lead: {
    en: 'Upload a photo of concrete, brick, steel or tile. The model identifies the surface and its defects and shows where they are.',
    ru: 'Загрузите фото бетона, кирпича, стали или плитки. Модель определит тип поверхности и дефекты и покажет их расположение.',
  },
  models: { en: 'Models', ru: 'Модели' },
  drop: {
    ...uploadMessages.drop,
    title: { en: 'Drop a photo here', ru: 'Перетащите фото сюда' },
    tap: { en: 'Choose a photo', ru: 'Выберите фото' },
    more: { en: 'Upload another photo', ru: 'Загрузить ещё одно фото' },
    or: { en: 'or paste one, or', ru: 'или вставьте из буфера, или' },
    camera: { en: 'Take a photo', ru: 'Сделать фото' },
    example: { en: 'Use the example photo', ru: 'Использовать пример' },
    limits: {
      en: 'JPEG, PNG, WebP, TIFF, GIF, AVIF or HEIC, up to {size}',
      ru: 'JPEG, PNG, WebP, TIFF, GIF, AVIF или HEIC, до {size}',
    },
  },
  uploadsDisabled: {
    en: 'Uploads are disabled on this server (FILES_HOST is not set). The API accepts image URLs on the allowed storage hosts:',
    ru: 'Загрузка файлов на этом сервере отключена (не задан FILES_HOST). API принимает ссылки на фото в разрешённых хранилищах:',
  },
  unconfigured: {
    en: 'No access tokens are configured. The administrator must set DEFECTOSCOPY_API_TOKENS.',
    ru: 'Токены доступа не настроены. Администратор должен задать DEFECTOSCOPY_API_TOKENS.',
  },
  steps: {
    en: [
      'The photo is sent only to this server.',
      'It waits in the queue for a free worker.',
      'The result lists defect classes with confidence and location.',
    ],
    ru: [
      'Фото отправляется только на этот сервер.',
      'Оно ожидает в очереди, пока не освободится обработчик.',
      'В результате показаны классы дефектов, их уверенность и расположение.',
    ],
  },
  model: {
    ...uploadMessages.model,
    warm: {
      en: 'Model loaded. A photo takes a few seconds.',
      ru: 'Модель загружена. Обработка фото занимает несколько секунд.',
    },
    busy: { en: 'Model loaded. Photos in the queue: {count}.', ru: 'Модель загружена. Фото в очереди: {count}.' },
    cold: {
      en: 'No model is loaded. Photos wait in the queue until a worker starts, which can take minutes.',
      ru: 'Модель не загружена. Фото ожидают в очереди до запуска обработчика, это может занять несколько минут.',
    },
  },
  unsupported: { en: '{name}: unsupported image format.', ru: '{name}: формат изображения не поддерживается.' },
  estimate: { en: 'Expected within {time}.', ru: 'Ожидаемое время: до {time}.' },
  failed: { en: 'Processing failed', ru: 'Ошибка обработки' },
  surface: { en: 'Surface', ru: 'Поверхность' },
  defects: { en: 'Defects', ru: 'Дефекты' },
  groups: { en: 'Defect groups', ru: 'Группы дефектов' },
  sound: NO_DEFECTS,
  soundWhy: {
    en: 'No defect class reaches the threshold of the model.',
    ru: 'Ни один класс дефектов не достигает порога модели.',
  },
  onlyRegions: { en: 'No defects in overview', ru: 'На фото в целом дефектов не обнаружено' },
  onlyRegionsWhy: {
    en: 'Some regions of the photo stand out at full resolution. Check them.',
    ru: 'Некоторые участки выделяются в полном разрешении. Проверьте их.',
  },
  unfamiliar: { en: 'Unfamiliar photo', ru: 'Незнакомое фото' },
  unfamiliarWhy: {
    en: 'The photo differs from the photos that the model was trained on. The surface and the defects below may be wrong.',
    ru: 'Фото не похоже на те, на которых обучалась модель. Поверхность и дефекты ниже могут быть определены неверно.',
  },
  noDefects: { en: 'No class reaches the threshold of the model.', ru: 'Ни один класс не достигает порога модели.' },
  found: { en: '{defect}, {share}', ru: '{defect}, {share}' },
  regions: { en: 'Regions of the photo', ru: 'Участки фото' },
  noRegions: {
    en: 'The photo was also checked part by part at full resolution. No part stands out.',
    ru: 'Фото также проверено по частям в полном разрешении. Ни один участок не выделяется.',
  },
  chooseClass: { en: 'Select a class to show its heatmap.', ru: 'Выберите класс, чтобы показать его тепловую карту.' },
  checkResult: { en: 'Confirm or correct', ru: 'Подтвердить или исправить' },
  mainDefect: { en: 'Main defect', ru: 'Основной дефект' },
  furtherDefects: { en: 'Further defects', ru: 'Другие дефекты' },
  noDefect: { en: 'No defects', ru: 'Без дефектов' },
  confirmResult: { en: 'Confirm result', ru: 'Подтвердить результат' },
  saveCorrection: { en: 'Save correction', ru: 'Сохранить исправление' },
  confirmed: { en: 'Result confirmed.', ru: 'Результат подтверждён.' },
  corrected: { en: 'Correction saved.', ru: 'Исправление сохранено.' },
  correctionConflict: {
    en: 'Another reviewer has corrected this result: {labels}. Your choices are not saved. Save them to replace that correction.',
    ru: 'Результат уже исправил другой проверяющий: {labels}. Ваш выбор не сохранён. Сохраните его, чтобы заменить это исправление.',
  },
  notCorrectable: {
    en: 'This result cannot be confirmed or corrected: no running worker has its model version {version}. Classify the photo again.',
    ru: 'Этот результат нельзя подтвердить или исправить: версии модели {version} нет ни на одном работающем обработчике. Обработайте фото заново.',
  },
  correctionFailed: {
    en: 'The correction was not saved. Try again.',
    ru: 'Исправление не сохранено. Повторите попытку.',
  },
  map: heatmapTexts,
  photo: { en: 'Photo {name}', ru: 'Фото {name}' },
  noPreview: {
    en: 'No preview available for {name}. The service processes the original file.',
    ru: 'Предпросмотр файла {name} недоступен. Сервис обрабатывает исходный файл.',
  },
  modelVersion: { en: 'Model', ru: 'Модель' },
  /** By error code; added by the page. */
  failures: { en: {} as Names, ru: {} as Names },
  /** Added by the page. */
  classes: { en: {} as Names, ru: {} as Names },
});
export type PhotoTexts = (typeof texts)['en'];
