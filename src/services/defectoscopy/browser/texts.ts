import { heatTexts } from '../../../ui/browser/heat-texts.ts';

/** The words of the photo page. The server picks the language and hands them to the script with the page. */
const en = {
  service: 'Defectoscopy',
  title: 'Defects on a photo',
  heading: 'What is wrong with this surface?',
  lead: 'Give it a photo of concrete, brick, steel or tile. It names the surface and the defects it sees, and shows where.',
  drop: {
    title: 'Drop a photo here',
    tap: 'Choose a photo',
    more: 'Another photo',
    or: 'or paste one, or',
    choose: 'choose a file',
    camera: 'Take a photo',
    example: 'Try the example photo',
    limits: 'JPEG, PNG, WebP, TIFF, GIF, AVIF or HEIC, up to {size}',
  },
  off: 'Uploads are switched off on this server (FILES_HOST is not set), so this page cannot send a photo. The API takes addresses of images on the allowed storage hosts:',
  unconfigured:
    'No access tokens are configured on this server, so it answers nobody. Whoever runs it sets DEFECTOSCOPY_API_TOKENS.',
  steps: [
    'Your photo goes to this server and to no other place.',
    'It waits in the queue until a worker is free.',
    'You see classes with confidences, and where each was seen.',
  ],
  stepsTitle: 'How it goes',
  model: {
    warm: 'The model is loaded; a photo takes a few seconds.',
    busy: 'The model is loaded; photos in the queue: {count}.',
    cold: 'No worker has its model loaded now. A photo waits in the queue until one starts, which may take minutes.',
    unknown: 'Nobody knows whether a worker is awake. A photo is kept in the queue in any case.',
    down: 'The task queue cannot be reached now.',
    offline: 'The server does not answer.',
  },
  tooLarge: '{name} is too large: {size}; the limit is {limit}.',
  empty: '{name} is empty.',
  notImage: '{name} is not a photo of a format that the service reads.',
  waiting: 'Waits for the photos before it',
  estimate: 'The service expects an answer within {time} at most.',
  estimateCold: 'A worker has to start first: the service expects an answer within {time}.',
  cancel: 'Cancel',
  cancelled: 'This photo was cancelled.',
  failed: 'This photo could not be examined',
  code: 'Code',
  surface: 'Surface',
  defects: 'Defects',
  groups: 'Groups of defects',
  sound: 'Looks sound',
  soundWhy: 'No defect reaches the threshold of the model.',
  noDefects: 'None reaches the threshold of the model.',
  found: '{defect}, {share}',
  on: 'on: {surface}',
  chooseClass: 'Choose a class to see where on the photo it was seen.',
  map: heatTexts.en,
  photo: 'The photo {name}',
  noPreview: 'This browser has no preview of {name}; the service looks at the file itself.',
  task: 'Task and API call',
  taskId: 'Task',
  modelVersion: 'Model',
  work: 'Time of work',
  again: 'The same answer from a shell (put your token into TOKEN):',
  answer: 'The answer, as programs see it',
  visit: 'Photos of this visit',
  said: { waiting: '{name}: queued for upload', done: '{name}: done. {verdict}', failed: '{name}: {sentence}' },
  /** What the service's sentences are in this language, by code; where there is none, the sentence that came. The page fills them in. */
  failures: {} as Readonly<Record<string, string>>,
  /** What people call the classes; the page fills them in. */
  classes: {} as Readonly<Record<string, string>>,
};

const ru: typeof en = {
  service: 'Дефектоскопия',
  title: 'Дефекты на фото',
  heading: 'Что не так с этой поверхностью?',
  lead: 'Дайте снимок бетона, кирпича, стали или плитки. Сервис назовёт поверхность и видимые дефекты и покажет, где они.',
  drop: {
    title: 'Перетащите фото сюда',
    tap: 'Выберите фото',
    more: 'Ещё одно фото',
    or: 'или вставьте из буфера, или',
    choose: 'выберите файл',
    camera: 'Сделать снимок',
    example: 'Попробовать на примере',
    limits: 'JPEG, PNG, WebP, TIFF, GIF, AVIF или HEIC, до {size}',
  },
  off: 'Загрузка файлов на этом сервере выключена (FILES_HOST не задан), поэтому отправить фото отсюда нельзя. API принимает адреса снимков на разрешённых хранилищах:',
  unconfigured:
    'На этом сервере не заданы токены доступа, поэтому он никому не отвечает. Тот, кто его ведёт, задаёт DEFECTOSCOPY_API_TOKENS.',
  steps: [
    'Фото отправляется на этот сервер и больше никуда.',
    'Оно ждёт в очереди, пока освободится обработчик.',
    'Вы видите классы с уверенностью и место каждого на снимке.',
  ],
  stepsTitle: 'Как это происходит',
  model: {
    warm: 'Модель загружена; снимок занимает несколько секунд.',
    busy: 'Модель загружена; снимков в очереди: {count}.',
    cold: 'Сейчас ни один обработчик не держит модель загруженной. Снимок подождёт в очереди, это может занять минуты.',
    unknown: 'Неизвестно, работает ли обработчик. Снимок в любом случае останется в очереди.',
    down: 'Очередь задач сейчас недоступна.',
    offline: 'Сервер не отвечает.',
  },
  tooLarge: 'Файл {name} слишком велик: {size}; допустимо {limit}.',
  empty: 'Файл {name} пуст.',
  notImage: '{name} — не снимок в формате, который сервис умеет читать.',
  waiting: 'Ждёт предыдущие снимки',
  estimate: 'Сервис обещает ответ самое позднее через {time}.',
  estimateCold: 'Сначала должен запуститься обработчик: ответ ожидается через {time}.',
  cancel: 'Отменить',
  cancelled: 'Снимок отменён.',
  failed: 'Этот снимок не удалось разобрать',
  code: 'Код',
  surface: 'Поверхность',
  defects: 'Дефекты',
  groups: 'Группы дефектов',
  sound: 'Дефектов не видно',
  soundWhy: 'Ни один дефект не достигает порога модели.',
  noDefects: 'Ни один не достигает порога модели.',
  found: '{defect}, {share}',
  on: 'поверхность: {surface}',
  chooseClass: 'Выберите класс, чтобы увидеть, где он на снимке.',
  map: heatTexts.ru,
  photo: 'Снимок {name}',
  noPreview: 'Браузер не умеет показывать {name}; сервис смотрит на сам файл.',
  task: 'Задача и вызов API',
  taskId: 'Задача',
  modelVersion: 'Модель',
  work: 'Время работы',
  again: 'Тот же ответ из командной строки (впишите токен в TOKEN):',
  answer: 'Ответ, каким его видят программы',
  visit: 'Снимки этого посещения',
  said: { waiting: '{name}: ждёт отправки', done: '{name}: готово. {verdict}', failed: '{name}: {sentence}' },
  failures: {},
  classes: {},
};

export const texts = { en, ru };
export type PhotoTexts = typeof en;

/** What the server tells the page's script. */
export interface PhotoPage {
  readonly texts: PhotoTexts;
  readonly needsToken: boolean;
  readonly maxBytes: number;
  /** Absent where the package came without its examples. */
  readonly exampleUrl?: string;
}
