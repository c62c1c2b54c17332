import { localize } from '../../../ui/browser/localize.ts';

export const overviewTexts = localize({
  service: { en: 'Overview', ru: 'Обзор' },
  title: { en: 'Overview', ru: 'Обзор' },
  lead: {
    en: 'Queues, workers and webhook deliveries of all services in the last 5 minutes.',
    ru: 'Очереди, обработчики и доставка вебхуков всех сервисов за последние 5 минут.',
  },
  at: { en: 'Updated at {time} UTC', ru: 'Обновлено в {time} UTC' },
  none: {
    en: 'No data yet. The first figures appear in a few seconds.',
    ru: 'Данных пока нет. Первые показатели появятся через несколько секунд.',
  },
  away: {
    en: 'The task store is unavailable. These are the last known figures.',
    ru: 'Хранилище задач недоступно. Показаны последние известные данные.',
  },
  offline: {
    en: 'The server is not responding. These are the last known figures. Retrying.',
    ru: 'Сервер не отвечает. Показаны последние известные данные. Выполняется повторное подключение.',
  },
  closed: {
    en: 'METRICS_TOKEN is set. Figures that require the token are not shown.',
    ru: 'Задан METRICS_TOKEN. Показатели, для которых нужен токен, не отображаются.',
  },
  reload: { en: 'Refresh', ru: 'Обновить' },
  states: {
    warm: { en: 'Ready', ru: 'Готов' },
    cold: { en: 'No active workers', ru: 'Нет активных обработчиков' },
    unknown: { en: 'Unknown', ru: 'Неизвестно' },
  },
  unfinished: { en: 'Unfinished', ru: 'Не завершено' },
  waiting: { en: 'Queued', ru: 'В очереди' },
  waitingNow: { en: 'realtime {realtime}, batch {batch}', ru: 'срочных {realtime}, пакетных {batch}' },
  oldest: { en: 'oldest: {time}', ru: 'самая старая: {time}' },
  processing: { en: 'In progress', ru: 'Выполняется' },
  clientShares: { en: 'shares of clients: {shares}', ru: 'доли клиентов: {shares}' },
  estimatesMet: { en: 'within the estimated time: {share}', ru: 'в пределах оценки времени: {share}' },
  done: { en: 'Completed per minute', ru: 'Завершено в минуту' },
  failed: { en: 'Failed per minute', ru: 'Ошибок в минуту' },
  webhooks: { en: 'Webhooks', ru: 'Вебхуки' },
  webhooksLead: { en: 'All services', ru: 'Все сервисы' },
  pending: { en: 'Pending', ru: 'Ожидают отправки' },
  delivered: { en: 'Delivered per minute', ru: 'Доставлено в минуту' },
  undelivered: { en: 'Undelivered per minute', ru: 'Не доставлено в минуту' },
  chart: { en: '{label}: {now} now, maximum {most}', ru: '{label}: сейчас {now}, максимум {most}' },
  workers: { en: 'Workers', ru: 'Обработчики' },
  noWorkers: {
    en: 'No active workers. On-demand workers start when tasks arrive.',
    ru: 'Нет активных обработчиков. Обработчики по требованию запускаются при поступлении задач.',
  },
  worker: {
    loading: { en: 'loading', ru: 'загружается' },
    warm: { en: 'ready', ru: 'готов' },
    stopping: { en: 'stopping', ru: 'останавливается' },
  },
  running: { en: '{count} in progress', ru: 'выполняется: {count}' },
  gpu: { en: '{name}, {used} of {total} GB', ru: '{name}, {used} из {total} ГБ' },
  more: { en: 'and {count} more', ru: 'и ещё {count}' },
});
export type OverviewTexts = (typeof overviewTexts)['en'];
