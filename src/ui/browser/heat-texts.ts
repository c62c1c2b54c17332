/** The words of a map over a photo. */
const en = {
  show: 'Show where',
  strength: 'Opacity of the map',
  weak: 'little',
  strong: 'much',
  seen: '{name}: most of it {place}.',
  none: 'There is no map for “{name}”.',
  places: [
    ['in the upper left', 'at the top', 'in the upper right'],
    ['on the left', 'in the middle', 'on the right'],
    ['in the lower left', 'at the bottom', 'in the lower right'],
  ],
};

const ru: typeof en = {
  show: 'Показать, где',
  strength: 'Непрозрачность карты',
  weak: 'слабо',
  strong: 'сильно',
  seen: '{name}: сильнее всего {place}.',
  none: 'Для класса «{name}» карты нет.',
  places: [
    ['слева вверху', 'вверху', 'справа вверху'],
    ['слева', 'в середине', 'справа'],
    ['слева внизу', 'внизу', 'справа внизу'],
  ],
};

export const heatTexts = { en, ru };
export type HeatTexts = typeof en;
