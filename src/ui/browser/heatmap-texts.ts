const en = {
  show: 'Show heatmap',
  strength: 'Heatmap opacity',
  weak: 'low',
  strong: 'high',
  seen: '{name}: strongest {place}.',
  none: 'No heatmap for “{name}”.',
  places: [
    ['in the upper left', 'at the top', 'in the upper right'],
    ['on the left', 'in the middle', 'on the right'],
    ['in the lower left', 'at the bottom', 'in the lower right'],
  ],
};

const ru: typeof en = {
  show: 'Показать тепловую карту',
  strength: 'Непрозрачность карты',
  weak: 'слабо',
  strong: 'сильно',
  seen: '{name}: сильнее всего {place}.',
  none: 'Для класса «{name}» тепловой карты нет.',
  places: [
    ['слева вверху', 'вверху', 'справа вверху'],
    ['слева', 'в середине', 'справа'],
    ['слева внизу', 'внизу', 'справа внизу'],
  ],
};

export const heatmapTexts = { en, ru };
export type HeatmapTexts = typeof en;
