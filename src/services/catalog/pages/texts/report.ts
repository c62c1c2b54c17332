/** The words of a report, from the form to what became of it. */
const en = {
  report: 'Report this',
  reportWhy: 'Something is wrong with this record? Say so; a moderator decides.',
  action: 'What should happen',
  actions: {
    delete: 'Delete it',
    edit: 'Correct it',
    hide: 'Hide it',
    restore: 'Show it again',
    reclassify: 'Classify it anew',
    other: 'Something else',
  },
  description: 'What is wrong',
  contact: 'How to reach you (optional)',
  send: 'Send the report',
  thanks: 'Your report has been written down.',
  thanksAgain: 'You have reported this already; your report is still open.',
  receiptLink: 'Follow what becomes of it; keep this link, it is shown only once',
  reports: 'Reports on this record',
  receipt: 'Your report',
  receiptHint: 'This page shows the state at the time you open it.',
  note: 'Note',
  resolved: 'Decided',
  state: 'State',
};

const ru: typeof en = {
  report: 'Пожаловаться',
  reportWhy: 'С этой записью что-то не так? Напишите, решит модератор.',
  action: 'Что сделать',
  actions: {
    delete: 'Удалить',
    edit: 'Исправить',
    hide: 'Скрыть',
    restore: 'Показать снова',
    reclassify: 'Классифицировать заново',
    other: 'Другое',
  },
  description: 'Что не так',
  contact: 'Как с вами связаться (необязательно)',
  send: 'Отправить жалобу',
  thanks: 'Жалоба записана.',
  thanksAgain: 'Вы уже пожаловались на это; ваша жалоба ещё открыта.',
  receiptLink: 'Узнать, что с ней стало; сохраните ссылку, она показана один раз',
  reports: 'Жалобы на эту запись',
  receipt: 'Ваша жалоба',
  receiptHint: 'Страница показывает состояние на момент, когда вы её открыли.',
  note: 'Примечание',
  resolved: 'Решено',
  state: 'Состояние',
};

export const reportTexts = { en, ru };
