import { localize } from '../../../ui/browser/localize.ts';
import { uploadMessages } from '../../../ui/browser/upload-texts.ts';

type Names = Readonly<Record<string, string>>;

export const texts = localize({
  ...uploadMessages,
  service: { en: 'Speech to text', ru: 'Распознавание речи' },
  title: { en: 'Transcribe audio', ru: 'Расшифровка аудио' },
  heading: { en: 'Transcribe a recording', ru: 'Расшифровка записи' },
  lead: {
    en: 'Upload or record audio. The transcript is highlighted word by word during playback.',
    ru: 'Загрузите аудио или запишите его здесь. При воспроизведении слова в расшифровке подсвечиваются.',
  },
  drop: {
    ...uploadMessages.drop,
    title: { en: 'Drop a recording here', ru: 'Перетащите запись сюда' },
    tap: { en: 'Choose a recording', ru: 'Выберите запись' },
    more: { en: 'Upload another recording', ru: 'Загрузить ещё одну запись' },
    or: { en: 'or', ru: 'или' },
    example: { en: 'Use the example voice note', ru: 'Использовать пример' },
    limits: {
      en: 'WAV, MP3, M4A, AAC, OGG, Opus, FLAC, WebM or video, up to {size} and 4 hours',
      ru: 'WAV, MP3, M4A, AAC, OGG, Opus, FLAC, WebM или видео, до {size} и 4 часов',
    },
  },
  record: {
    start: { en: 'Record', ru: 'Записать' },
    stop: { en: 'Stop and transcribe', ru: 'Остановить и расшифровать' },
    discard: { en: 'Discard', ru: 'Удалить' },
    going: { en: 'Recording: {time}', ru: 'Идёт запись: {time}' },
    name: { en: 'Recording {time}', ru: 'Запись {time}' },
    refused: { en: 'Microphone access was denied.', ru: 'Нет доступа к микрофону.' },
    none: { en: 'No microphone found.', ru: 'Микрофон не найден.' },
  },
  language: {
    label: { en: 'Spoken language', ru: 'Язык речи' },
    auto: { en: 'Detect automatically', ru: 'Определить автоматически' },
  },
  vocabulary: {
    label: { en: 'Terms', ru: 'Термины' },
    hint: {
      en: 'Names and words of the recording, one per line. If a term sounds different: nginx = engine x',
      ru: 'Имена и термины из записи, по одному в строке. Если произносится иначе: nginx = энджинкс',
    },
  },
  uploadsDisabled: {
    en: 'Uploads are disabled on this server (FILES_HOST is not set). The API accepts https URLs of recordings:',
    ru: 'Загрузка файлов на этом сервере отключена (не задан FILES_HOST). API принимает https-ссылки на записи:',
  },
  unconfigured: {
    en: 'No access tokens are configured. The administrator must set STT_API_TOKENS.',
    ru: 'Токены доступа не настроены. Администратор должен задать STT_API_TOKENS.',
  },
  steps: {
    en: [
      'The recording is sent to this server. It may use an external provider if the administrator has configured one.',
      'It waits in the queue for a free worker.',
      'Read the transcript during playback and download it as text or subtitles.',
    ],
    ru: [
      'Запись отправляется на этот сервер. Он может использовать внешнего провайдера, если это настроил администратор.',
      'Она ожидает в очереди, пока не освободится обработчик.',
      'Читайте расшифровку во время воспроизведения и скачивайте её как текст или субтитры.',
    ],
  },
  model: {
    ...uploadMessages.model,
    warm: { en: 'Speech model loaded.', ru: 'Модель распознавания загружена.' },
    busy: {
      en: 'Speech model loaded. Recordings in the queue: {count}.',
      ru: 'Модель распознавания загружена. Записей в очереди: {count}.',
    },
    cold: {
      en: 'No model is loaded. Recordings wait in the queue until a worker starts, which can take minutes.',
      ru: 'Модель не загружена. Записи ожидают в очереди до запуска обработчика, это может занять несколько минут.',
    },
  },
  unsupported: { en: '{name}: unsupported audio format.', ru: '{name}: формат записи не поддерживается.' },
  estimate: {
    en: 'Expected within {time}. Long recordings take longer.',
    ru: 'Ожидаемое время: до {time}. Длинные записи обрабатываются дольше.',
  },
  progress: { en: 'Progress', ru: 'Ход обработки' },
  failed: { en: 'Transcription failed', ru: 'Ошибка расшифровки' },
  transcript: { en: 'Transcript', ru: 'Расшифровка' },
  player: { en: 'Recording {name}', ru: 'Запись {name}' },
  noPlayer: {
    en: 'This browser cannot play {name}. The transcript is not affected.',
    ru: 'Браузер не может воспроизвести {name}. На расшифровку это не влияет.',
  },
  recordingMissing: {
    en: 'The recording is not loaded. Choose its file to play it with the transcript.',
    ru: 'Запись не загружена. Выберите её файл, чтобы слушать вместе с расшифровкой.',
  },
  chooseRecording: { en: 'Choose the recording', ru: 'Выбрать запись' },
  playFrom: { en: 'Play from {time}', ru: 'Воспроизвести с {time}' },
  nothing: {
    en: 'No speech detected. If the recording contains speech, select its language.',
    ru: 'Речь не обнаружена. Если в записи есть речь, выберите её язык.',
  },
  notRecognized: {
    en: 'Speech was detected but could not be recognized. Select its language, or use a clearer recording.',
    ru: 'Речь обнаружена, но распознать её не удалось. Выберите язык речи или возьмите более чёткую запись.',
  },
  incomplete: {
    en: 'Speech that could not be recognized is missing in the text: {times}',
    ru: 'Часть речи распознать не удалось: {times}',
  },
  save: { en: 'Download as', ru: 'Скачать как' },
  saved: {
    txt: { en: 'Text', ru: 'Текст' },
    srt: { en: 'SRT', ru: 'SRT' },
    vtt: { en: 'VTT', ru: 'VTT' },
    json: { en: 'JSON', ru: 'JSON' },
  },
  edit: {
    start: { en: 'Edit', ru: 'Редактировать' },
    stop: { en: 'Finish editing', ru: 'Завершить правку' },
    keys: {
      en: 'Enter: next segment · Shift+Enter: previous segment · Alt+Enter: play from here, pause or continue · Alt+Shift+Enter: play the segment · Ctrl+Enter: split · Backspace at the start or Delete at the end: merge · Alt+↓, Alt+↑: next or previous word to check · Alt+C: confirm the word · Ctrl+Z: undo · Esc: discard the edit, then finish',
      ru: 'Enter: следующий фрагмент · Shift+Enter: предыдущий · Alt+Enter: воспроизвести отсюда, пауза или продолжить · Alt+Shift+Enter: воспроизвести фрагмент · Ctrl+Enter: разделить · Backspace в начале или Delete в конце: объединить · Alt+↓, Alt+↑: следующее или предыдущее слово на проверку · Alt+C: подтвердить слово · Ctrl+Z: отменить · Esc: сбросить правку, затем завершить',
    },
    segment: { en: 'Text from {from} to {to}', ru: 'Текст с {from} до {to}' },
    play: { en: 'Play or pause', ru: 'Воспроизвести или пауза' },
    playSegment: { en: 'Play segment', ru: 'Воспроизвести фрагмент' },
    split: { en: 'Split', ru: 'Разделить' },
    merge: { en: 'Merge with next', ru: 'Объединить со следующим' },
    confirm: { en: 'Confirm word', ru: 'Подтвердить слово' },
    confirmed: {
      en: '“{word}” confirmed. Words to check: {count}',
      ru: 'Слово «{word}» подтверждено. Слов на проверку: {count}',
    },
    notConfirmed: {
      en: 'Place the cursor in a word with low confidence to confirm it.',
      ru: 'Чтобы подтвердить слово с низкой уверенностью, поставьте в него курсор.',
    },
    confirmedIn: { en: '{text} (words confirmed: {count})', ru: '{text} (подтверждено слов: {count})' },
    unconfirmedIn: { en: '{text} (confirmation removed)', ru: '{text} (подтверждение снято)' },
    timesChanged: { en: '{text} (times changed)', ru: '{text} (изменено время)' },
    undo: { en: 'Undo', ru: 'Отменить' },
    undone: { en: 'Change undone', ru: 'Изменение отменено' },
    nothingToUndo: { en: 'Nothing to undo.', ru: 'Отменять нечего.' },
    notUndone: {
      en: 'The text has been changed again since. The change was not undone.',
      ru: 'С тех пор текст снова изменён. Отменить изменение нельзя.',
    },
    doubtful: { en: 'Low confidence', ru: 'Низкая уверенность' },
    doubtfulCount: { en: 'Words to check: {count}', ru: 'Слов на проверку: {count}' },
    noDoubtful: { en: 'No other words to check.', ru: 'Других слов на проверку нет.' },
    fromStart: { en: 'Search continued from the start.', ru: 'Поиск продолжен с начала.' },
    fromEnd: { en: 'Search continued from the end.', ru: 'Поиск продолжен с конца.' },
    wasSplit: { en: 'Segment split', ru: 'Фрагмент разделён' },
    wasMerged: { en: 'Segments merged', ru: 'Фрагменты объединены' },
    notSplit: {
      en: 'Place the cursor between two words to split.',
      ru: 'Чтобы разделить, поставьте курсор между словами.',
    },
    notMerged: { en: 'No segment to merge with.', ru: 'Объединять не с чем.' },
    restored: { en: 'Restored', ru: 'Правка отменена' },
    saving: { en: 'Saving…', ru: 'Сохраняется…' },
    saved: { en: 'Saved', ru: 'Сохранено' },
    unsaved: { en: 'Not saved yet', ru: 'Ещё не сохранено' },
    notSaved: { en: 'Not saved: {why}', ru: 'Не сохранено: {why}' },
    merged: {
      en: 'Another user has edited other segments. They are shown here now.',
      ru: 'Другой пользователь изменил другие фрагменты. Теперь они показаны здесь.',
    },
    conflict: {
      en: 'Another user has changed the text from {from} to {to}. Their text is saved:',
      ru: 'Другой пользователь изменил текст с {from} до {to}. Его вариант сохранён:',
    },
    mine: { en: 'Your text is not saved:', ru: 'Ваш вариант не сохранён:' },
    useMine: { en: 'Use my text', ru: 'Взять мой вариант' },
    discardMine: { en: 'Discard my text', ru: 'Удалить мой вариант' },
    nothing: { en: 'empty', ru: 'пусто' },
    history: { en: 'History', ru: 'История' },
    noHistory: { en: 'No corrections yet.', ru: 'Исправлений нет.' },
    change: { en: '{from} → {to}', ru: '{from} → {to}' },
    revert: { en: 'Revert', ru: 'Вернуть' },
    notReverted: {
      en: 'This text has been corrected again. Revert the later correction first.',
      ru: 'Этот текст исправлен ещё раз. Сначала верните более позднее исправление.',
    },
    vocabulary: {
      en: 'Corrected words. Future recordings can prefer them:',
      ru: 'Исправленные слова. Можно учитывать их в следующих записях:',
    },
    addTerm: { en: 'Add “{term}” to the vocabulary', ru: 'Добавить «{term}» в словарь' },
    dismissTerm: { en: 'Do not suggest “{term}”', ru: 'Не предлагать «{term}»' },
    termDismissed: { en: '“{term}” will not be suggested again.', ru: '«{term}» больше не будет предлагаться.' },
    termAdded: { en: '“{term}” is in the vocabulary.', ru: '«{term}» есть в словаре.' },
  },
  copyText: { en: 'Copy text', ru: 'Копировать текст' },
  facts: { en: '{language} · {time}', ru: '{language} · {time}' },
  noLanguage: { en: 'Unknown language', ru: 'Язык не определён' },
  engine: { en: 'Provider', ru: 'Провайдер' },
  announcements: { ...uploadMessages.announcements, recording: { en: 'Recording started', ru: 'Запись началась' } },
  /** By error code; added by the page. */
  failures: { en: {} as Names, ru: {} as Names },
});
export type SpeechTexts = (typeof texts)['en'];
