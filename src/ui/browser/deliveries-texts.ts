import { localize } from './localize.ts';

export const deliveriesTexts = localize({
  link: { en: 'Webhooks', ru: 'Вебхуки' },
  title: { en: 'Webhook deliveries', ru: 'Доставка вебхуков' },
  lead: {
    en: 'Webhooks of the tasks created with your token, with the outcome of each attempt. They are listed until the result expires.',
    ru: 'Вебхуки задач, созданных с вашим токеном, и результат каждой попытки. Они остаются в списке, пока хранится результат задачи.',
  },
  back: { en: 'Upload', ru: 'Загрузка файлов' },
  endpoints: {
    title: { en: 'Failing receivers', ru: 'Получатели с ошибками' },
    why: {
      en: 'A receiver is paused when all attempts of 24 hours have failed. One attempt an hour checks whether it works again; then the webhooks on hold are sent.',
      ru: 'Если все попытки за сутки завершились ошибкой, отправка приостанавливается. Раз в час выполняется пробная попытка; после успешной отправляются отложенные вебхуки.',
    },
    paused: { en: 'Paused', ru: 'Приостановлен' },
    failing: { en: 'Failing', ru: 'Ошибки' },
    since: {
      en: 'Failing since {time}. Failed attempts: {count}. On hold: {held}.',
      ru: 'Ошибки с {time}. Неудачных попыток: {count}. Отложено: {held}.',
    },
    resume: { en: 'Resume', ru: 'Возобновить' },
    resumed: { en: 'Resumed: {endpoint}', ru: 'Отправка возобновлена: {endpoint}' },
  },
  list: {
    title: { en: 'Deliveries', ru: 'Доставки' },
    filter: { en: 'Show', ru: 'Показать' },
    all: { en: 'All', ru: 'Все' },
    none: { en: 'No deliveries.', ru: 'Доставок нет.' },
    more: { en: 'Show more', ru: 'Показать ещё' },
    again: { en: 'Send again', ru: 'Отправить снова' },
    againFor: { en: 'Send again: {task}', ru: 'Отправить снова: {task}' },
    task: { en: 'Task', ru: 'Задача' },
    delivery: { en: 'Delivery', ru: 'Доставка' },
    next: { en: 'Next attempt', ru: 'Следующая попытка' },
    attempts: { en: 'Attempts', ru: 'Попытки' },
    noAttempts: { en: 'None yet', ru: 'Ещё не было' },
  },
  states: {
    pending: { en: 'Pending', ru: 'Ожидает' },
    delivered: { en: 'Delivered', ru: 'Доставлен' },
    failed: { en: 'Failed', ru: 'Не доставлен' },
    held: { en: 'On hold', ru: 'Отложен' },
  },
  /** By `last_error`. */
  errors: {
    http_status: { en: 'The receiver answered with an error', ru: 'Получатель ответил ошибкой' },
    redirect: { en: 'The receiver answered with a redirect', ru: 'Получатель ответил перенаправлением' },
    gone: { en: 'The receiver no longer exists', ru: 'Получатель больше не существует' },
    timeout: { en: 'No answer in time', ru: 'Получатель не ответил вовремя' },
    connect_error: { en: 'The connection failed', ru: 'Не удалось установить соединение' },
    dns_error: { en: 'The host name was not found', ru: 'Имя узла не найдено' },
    tls_error: { en: 'The TLS connection failed', ru: 'Ошибка TLS-соединения' },
    blocked_address: { en: 'The address may not be contacted', ru: 'Обращения к этому адресу запрещены' },
    withdrawn: { en: 'The alert was removed or changed', ru: 'Уведомление удалено или изменено' },
    undelivered: { en: 'The receiver did not accept it', ru: 'Получатель не принял вебхук' },
  },
  filters: {
    failed: { en: 'Failed', ru: 'Не доставлены' },
    pending: { en: 'Pending', ru: 'Ожидают' },
    delivered: { en: 'Delivered', ru: 'Доставлены' },
  },
  redeliver: {
    title: { en: 'Send failed webhooks again', ru: 'Повторная отправка' },
    since: { en: 'Failed since', ru: 'Недоставленные с' },
    pending: { en: 'Include pending webhooks and those on hold', ru: 'Включая ожидающие и отложенные' },
    send: { en: 'Send all again', ru: 'Отправить все снова' },
    queued: { en: 'Queued for redelivery: {count}', ru: 'Поставлено в очередь: {count}' },
  },
  test: {
    title: { en: 'Test a receiver', ru: 'Проверка получателя' },
    url: { en: 'Receiver URL', ru: 'URL получателя' },
    secret: { en: 'Secret (optional)', ru: 'Секрет (необязательно)' },
    send: { en: 'Send test event', ru: 'Отправить тестовое событие' },
    delivered: { en: 'Delivered: {details}', ru: 'Доставлено: {details}' },
    failed: { en: 'Not delivered: {details}', ru: 'Не доставлено: {details}' },
  },
  offline: { en: 'The server is not responding.', ru: 'Сервер не отвечает.' },
});
export type DeliveriesTexts = (typeof deliveriesTexts)['en'];

export interface DeliveriesPage {
  readonly texts: DeliveriesTexts;
  readonly needsToken: boolean;
}
