export const reportTexts = {
  report: { en: 'Report this', ru: 'Пожаловаться' },
  reportWhy: {
    en: 'Is something wrong with this record? A moderator will review your report.',
    ru: 'С этой записью что-то не так? Жалобу рассмотрит модератор.',
  },
  action: { en: 'Requested action', ru: 'Что сделать' },
  chooseAction: { en: 'Choose…', ru: 'Выберите…' },
  actions: {
    delete: { en: 'Delete', ru: 'Удалить' },
    edit: { en: 'Correct', ru: 'Исправить' },
    hide: { en: 'Hide', ru: 'Скрыть' },
    restore: { en: 'Restore', ru: 'Восстановить' },
    reclassify: { en: 'Reclassify', ru: 'Изменить классификацию' },
    other: { en: 'Other', ru: 'Другое' },
  },
  description: { en: 'What is wrong (optional)', ru: 'Что не так (необязательно)' },
  contact: { en: 'Contact details (optional)', ru: 'Контакты (необязательно)' },
  fieldNames: {
    file: { en: 'Photo', ru: 'Фото' },
    action_type: { en: 'Requested action', ru: 'Что сделать' },
    description: { en: 'What is wrong', ru: 'Что не так' },
    user_info: { en: 'Contact details', ru: 'Контакты' },
    'alert.webhook_url': { en: 'Webhook URL', ru: 'URL вебхука' },
  },
  keptText: {
    en: 'Your text was not sent. You can send it again here.',
    ru: 'Ваш текст не отправлен. Его можно отправить отсюда ещё раз.',
  },
  keptUntilSignIn: {
    en: 'Your text was not sent. Sign in in a new tab, then send it again here; you are asked once more.',
    ru: 'Ваш текст не отправлен. Войдите в новой вкладке и отправьте его отсюда ещё раз: потребуется подтвердить отправку.',
  },
  toReportedRecord: { en: 'Back to the record', ru: 'К записи' },
  send: { en: 'Send report', ru: 'Отправить жалобу' },
  thanks: { en: 'Your report has been received.', ru: 'Жалоба отправлена.' },
  thanksAgain: {
    en: 'You already have an open report on this record. It is kept unchanged; the new text was not saved.',
    ru: 'У вас уже есть открытая жалоба на эту запись. Она осталась без изменений, новый текст не сохранён.',
  },
  receiptLink: {
    en: 'Track the status of your report. Save this link: it is shown only once',
    ru: 'Следить за статусом жалобы. Сохраните ссылку: она показана только один раз',
  },
  reports: { en: 'Reports on this record', ru: 'Жалобы на эту запись' },
  receipt: { en: 'Your report', ru: 'Ваша жалоба' },
  receiptHint: {
    en: 'Reload this page to see the latest status.',
    ru: 'Обновите страницу, чтобы увидеть текущий статус.',
  },
  note: { en: 'Note', ru: 'Примечание' },
  resolved: { en: 'Resolved', ru: 'Рассмотрена' },
  state: { en: 'Status', ru: 'Статус' },
};
