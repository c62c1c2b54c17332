import { localize } from '../../../ui/browser/localize.ts';

type Names = Readonly<Record<string, string>>;

export const modelsTexts = localize({
  title: { en: 'Models', ru: 'Модели' },
  back: { en: 'Photos', ru: 'Фото' },
  lead: {
    en: 'The default version answers. A shadow version classifies the same photos for comparison, without changing results.',
    ru: 'Результаты выдаёт основная версия. Теневая версия классифицирует те же фото для сравнения и не влияет на результаты.',
  },
  pinned: {
    en: 'The setting DEFECTOSCOPY_MODEL_VERSION selects the default version. Remove it to promote versions here.',
    ru: 'Основная версия задана настройкой DEFECTOSCOPY_MODEL_VERSION. Чтобы выбирать версию здесь, удалите эту настройку.',
  },
  versions: { en: 'Versions', ru: 'Версии' },
  noVersions: { en: 'No worker has started yet.', ru: 'Ни один обработчик ещё не запускался.' },
  defaultBadge: { en: 'Default', ru: 'Основная' },
  shadow: { en: 'Shadow', ru: 'Теневая' },
  anomaly: { en: 'Reports deviations from photos without defects', ru: 'Находит отклонения от фото без дефектов' },
  created: { en: 'Created {date}', ru: 'Создана {date}' },
  heads: {
    en: { surface: 'Surface', masters: 'Groups', defects: 'Defects' } as Names,
    ru: { surface: 'Поверхность', masters: 'Группы', defects: 'Дефекты' } as Names,
  },
  figure: {
    en: '{head}: {share} correct, {split} photos: {images}',
    ru: '{head}: верно {share}, {split} фото: {images}',
  },
  splits: {
    en: { test: 'test', val: 'validation', train: 'training' } as Names,
    ru: { test: 'тестовых', val: 'проверочных', train: 'обучающих' } as Names,
  },
  promote: { en: 'Promote', ru: 'Сделать основной' },
  fewPhotos: {
    en: 'The accuracy of {version} was measured with few photos ({photos}) and says little about other photos. Run it as a shadow before you promote it.',
    ru: 'Точность версии {version} измерена на малом числе фото ({photos}) и мало говорит о других фото. Прежде чем сделать версию основной, сравните её как теневую.',
  },
  rollBack: { en: 'Roll back to {version}', ru: 'Вернуть {version}' },
  startShadow: { en: 'Run as shadow', ru: 'Сделать теневой' },
  stopShadow: { en: 'Stop shadow', ru: 'Остановить сравнение' },
  saved: {
    en: 'Saved. Workers follow within seconds.',
    ru: 'Сохранено. Обработчики перейдут на новую версию за несколько секунд.',
  },
  problems: {
    en: {
      not_installed: 'Not installed on the worker {worker}.',
      not_loadable: 'The worker {worker} cannot load this version; its log has the reason.',
    } as Names,
    ru: {
      not_installed: 'Не установлена на обработчике {worker}.',
      not_loadable: 'Обработчик {worker} не может загрузить эту версию; причина указана в его журнале.',
    } as Names,
  },
  training: { en: 'Training', ru: 'Обучение' },
  corrected: {
    en: 'Corrected and confirmed photos: {photos}; at least {minimum} are needed. A quarter is not used for training and compares the versions.',
    ru: 'Исправленных и подтверждённых фото: {photos}, нужно не меньше {minimum}. Четверть не участвует в обучении: на ней сравниваются версии.',
  },
  trainVersion: { en: 'Version name (optional)', ru: 'Название версии (необязательно)' },
  train: { en: 'Train from corrections', ru: 'Обучить на исправлениях' },
  trainingStates: {
    en: {
      queued: 'Version {version}: queued for a worker.',
      in_progress: 'Version {version}: training.',
      completed: 'Version {version}: trained. Photos: {photos}, held back for comparison: {heldBack}.',
      failed: 'Version {version} was not trained.',
    } as Names,
    ru: {
      queued: 'Версия {version}: ожидает обработчика.',
      in_progress: 'Версия {version}: идёт обучение.',
      completed: 'Версия {version}: обучена, фото: {photos}, отложено для сравнения: {heldBack}.',
      failed: 'Версия {version} не обучена.',
    } as Names,
  },
  trainingRequested: { en: 'Training requested.', ru: 'Обучение запущено.' },
  requestedBy: { en: 'Requested by {actor}', ru: 'Запустил {actor}' },
  /** Others have the message of the server. */
  trainingFailures: {
    en: {} as Names,
    ru: {
      TOO_FEW_CORRECTIONS:
        'Слишком мало исправлений с известными классами: нужно не меньше 20 фото для обучения и 5 для сравнения.',
      ONE_CLASS: 'Все исправленные фото одного класса. Подтвердите результаты и других классов.',
      VERSION_EXISTS: 'Версия с таким названием уже есть.',
      NO_WORKER: 'За 10 минут ни один обработчик не начал обучение. Запустите обработчик и повторите.',
      WORKER_LOST: 'Обработчик трижды завершился во время обучения.',
      TRAINING_FAILED: 'Ошибка обучения; причина указана в журнале обработчика.',
    } as Names,
  },
  onHeldBack: { en: '{head}: held-back corrections', ru: '{head}: отложенные исправления' },
  onTest: { en: '{head}: test photos of {base}', ru: '{head}: тестовые фото версии {base}' },
  className: { en: 'Class', ru: 'Класс' },
  allClasses: { en: 'All classes, correct', ru: 'Все классы, доля верных' },
  recall: { en: 'Recall', ru: 'Полнота' },
  precision: { en: 'Precision', ru: 'Точность' },
  comparison: { en: 'Comparison', ru: 'Сравнение' },
  period: { en: 'Period', ru: 'Период' },
  days: {
    en: { 1: 'today', 7: '7 days', 30: '30 days', 90: '90 days' } as Names,
    ru: { 1: 'сегодня', 7: '7 дней', 30: '30 дней', 90: '90 дней' } as Names,
  },
  noComparison: {
    en: 'No photos were compared in this period.',
    ru: 'За этот период сравнений нет.',
  },
  agreement: {
    en: '{shadow} agrees with {default} in {share} of the cases (photos: {photos}).',
    ru: 'Результаты версий {shadow} и {default} совпали в {share} случаев (всего фото: {photos}).',
  },
  photos: { en: 'Photos', ru: 'Фото' },
  noDefect: { en: 'No defects', ru: 'Без дефектов' },
  differing: { en: 'Differing photos', ru: 'Фото с разными результатами' },
  noDiffering: { en: 'No differing photos.', ru: 'Таких фото нет.' },
  difference: {
    en: '{defaultVersion}: {default} · {shadowVersion}: {shadow}',
    ru: '{defaultVersion}: {default} · {shadowVersion}: {shadow}',
  },
  history: { en: 'History', ru: 'История' },
  noHistory: { en: 'No changes yet.', ru: 'Изменений пока нет.' },
  actions: {
    en: {
      promote: '{default} promoted',
      rollback: 'Rolled back to {default}',
      shadow: 'Shadow version: {shadow}',
    } as Names,
    ru: {
      promote: 'Основная версия: {default}',
      rollback: 'Возврат к версии: {default}',
      shadow: 'Теневая версия: {shadow}',
    } as Names,
  },
  rolledBackToNewest: {
    en: 'Rolled back to the newest shipped version',
    ru: 'Возврат к новейшей версии из поставки',
  },
  none: { en: 'none', ru: 'нет' },
  offline: { en: 'The server cannot be reached.', ru: 'Сервер недоступен.' },
  /** By error code; others have the message of the server. */
  errors: {
    en: {} as Names,
    ru: {
      FORBIDDEN: 'Для изменения версий нужен токен с ролью reviewer.',
      MODEL_PINNED: 'Основная версия задана настройкой DEFECTOSCOPY_MODEL_VERSION.',
      MODEL_NOT_INSTALLED: 'Эта версия или та, на которой она обучена, установлена не на всех обработчиках.',
      MODEL_ALREADY_DEFAULT: 'Эта версия уже основная.',
      NO_EARLIER_VERSION: 'Возвращаться не к чему: предыдущей версии нет.',
      VERSION_CONFLICT: 'Основная версия уже изменена.',
      TRAINING_RUNNING: 'Другое обучение ещё не закончено.',
      VERSION_EXISTS: 'Версия с таким названием уже есть. Выберите другое.',
      TOO_FEW_CORRECTIONS: 'Слишком мало исправленных и подтверждённых фото.',
    } as Names,
  },
});

export type ModelsTexts = (typeof modelsTexts)['en'];

export interface ModelsPage {
  readonly texts: ModelsTexts;
  readonly classes: Names;
  readonly needsToken: boolean;
  /** Absent if this installation has no catalog. */
  readonly catalog?: string;
}
