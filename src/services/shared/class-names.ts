import { getOwnProperty } from '../../base/own-property.ts';

/** Of a photo without a detected defect. */
export const NO_DEFECTS = { en: 'No defects detected', ru: 'Дефектов не обнаружено' };

/** Other classes are shown by their identifier, with spaces for underscores. */
export const classNames: Readonly<Record<'en' | 'ru', Readonly<Record<string, string>>>> = {
  en: {
    rolled_in_scale: 'rolled-in scale',
    uneven: 'uneven surface',
    fray: 'fraying',
  },
  ru: {
    concrete_wall: 'бетонная стена',
    concrete_slab: 'бетонная плита',
    pavement: 'дорожное покрытие',
    brick_wall: 'кирпичная стена',
    steel_structure: 'стальная конструкция',
    rolled_steel: 'стальной прокат',
    ceramic_tile: 'керамическая плитка',
    cracking: 'растрескивание',
    corrosion: 'коррозия',
    contamination: 'загрязнения',
    mechanical: 'механические повреждения',
    casting: 'дефекты формовки',
    sound: 'без дефектов',
    crack: 'трещина',
    crazing: 'сетка трещин',
    fair_corrosion: 'слабая коррозия',
    poor_corrosion: 'заметная коррозия',
    severe_corrosion: 'сильная коррозия',
    pitted_surface: 'раковины',
    inclusion: 'включения',
    patches: 'пятна',
    rolled_in_scale: 'вкатанная окалина',
    scratches: 'царапины',
    chip: 'скол',
    fray: 'потёртость края',
    blowhole: 'газовая пора',
    uneven: 'неровность',
    deviation: 'отклонение',
  },
};

export const className = (name: string, language: 'en' | 'ru'): string =>
  getOwnProperty(classNames[language], name) ?? name.replaceAll('_', ' ');
