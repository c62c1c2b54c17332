import { localize } from './localize.ts';

export const heatmapTexts = localize({
  zoomIn: { en: 'Zoom in', ru: 'Увеличить' },
  zoomOut: { en: 'Zoom out', ru: 'Уменьшить' },
  zoomKeys: {
    en: 'Photo. Keys: + and − zoom, 0 shows the whole photo, arrows move.',
    ru: 'Фото. Клавиши: + и − изменяют масштаб, 0 показывает всё фото, стрелки перемещают.',
  },
  zoomReset: { en: 'Whole photo', ru: 'Всё фото' },
  show: { en: 'Show heatmap', ru: 'Показать тепловую карту' },
  strength: { en: 'Heatmap opacity', ru: 'Непрозрачность карты' },
  weak: { en: 'low', ru: 'слабо' },
  strong: { en: 'high', ru: 'сильно' },
  seen: { en: '{name}: strongest {place}.', ru: '{name}: сильнее всего {place}.' },
  none: { en: 'No heatmap for “{name}”.', ru: 'Для класса «{name}» тепловой карты нет.' },
  places: {
    en: [
      ['in the upper left', 'at the top', 'in the upper right'],
      ['on the left', 'in the middle', 'on the right'],
      ['in the lower left', 'at the bottom', 'in the lower right'],
    ],
    ru: [
      ['слева вверху', 'вверху', 'справа вверху'],
      ['слева', 'в середине', 'справа'],
      ['слева внизу', 'внизу', 'справа внизу'],
    ],
  },
});
export type HeatmapTexts = (typeof heatmapTexts)['en'];
