import type { Random } from './random.ts';

export interface Room {
  readonly no: number;
  readonly name: string;
  readonly area: number;
  /** Living area; null for a kitchen and other auxiliary rooms. */
  readonly living: number | null;
  readonly auxiliary: number | null;
  readonly height: number;
}

/** The data of a fictional passport. */
export interface Facts {
  readonly region: string;
  readonly district: string;
  /** With its type: `г. Камышин`. */
  readonly city: string;
  /** With its type: `ул. Полевая`. */
  readonly street: string;
  readonly house: string;
  readonly block: string;
  readonly flat: number;
  readonly cadastral: string;
  readonly inventory: string;
  readonly year: number;
  readonly floors: number;
  readonly floor: number;
  readonly value: number;
  /** ISO. */
  readonly issued: string;
  readonly surveyed: string;
  readonly issuer: string;
  readonly owner: string;
  readonly head: string;
  readonly technician: string;
  readonly rooms: readonly Room[];
  readonly total: number;
  readonly living: number;
  readonly auxiliary: number;
  readonly height: number;
  readonly foundation: string;
  readonly walls: string;
  readonly partitions: string;
  readonly ceilings: string;
  readonly roof: string;
  readonly wear: number;
  /** Plot area in square metres. */
  readonly plot: number;
}

/** Generates a Russian passport with `rooms` rooms. */
export function generateFacts(random: Random, rooms = random.integer(4, 9)): Facts {
  const { integer, pick } = random;
  const height = tenths(random, 245, 320) / 10;
  const made = Array.from({ length: rooms }, (_, i): Room => {
    const livingRoom = i === 0 || (i > 1 && random.chance(0.4));
    const area = tenths(random, livingRoom ? 90 : 12, livingRoom ? 260 : 130);
    const rest = { no: i + 1, area, height: Math.round(100 * height) / 100 };
    return livingRoom
      ? { ...rest, name: pick(LIVING), living: area, auxiliary: null }
      : { ...rest, name: pick(OTHER), living: null, auxiliary: area };
  });
  const sum = (of: (room: Room) => number | null) =>
    Math.round(10 * made.reduce((all, room) => all + (of(room) ?? 0), 0)) / 10;
  const floors = integer(2, 17);
  const year = integer(1932, 2004);
  return {
    region: pick(REGIONS),
    district: pick(DISTRICTS),
    city: pick(CITIES),
    street: pick(STREETS),
    house: `${integer(1, 140)}${random.chance(0.2) ? pick(['а', 'Б', 'к']) : ''}`,
    block: String(integer(1, 6)),
    flat: integer(1, 240),
    cadastral: `${integer(10, 89)}:${integer(10, 60)}:${integer(100000, 9999999)}:${integer(10, 9999)}`,
    inventory: pick([
      `${integer(1000, 99999)}/${integer(1, 40)}`,
      `${integer(10, 99)}-${integer(1000, 9999)}`,
      `${integer(100000, 999999)}`,
    ]),
    year,
    floors,
    floor: integer(1, floors),
    value: integer(90_000, 4_900_000) + (random.chance(0.4) ? integer(1, 99) / 100 : 0),
    issued: dateOf(random, 2005, 2013),
    surveyed: dateOf(random, 2001, 2004),
    issuer: pick(ISSUERS),
    owner: `${pick(SURNAMES)} ${pick(NAMES)} ${pick(PATRONYMS)}`,
    head: `${pick(SURNAMES)} ${pick(INITIALS)}`,
    technician: `${pick(SURNAMES)} ${pick(INITIALS)}`,
    rooms: made,
    total: sum(({ area }) => area),
    living: sum(({ living }) => living),
    auxiliary: sum(({ auxiliary }) => auxiliary),
    height: Math.round(100 * height) / 100,
    foundation: pick(['бутовый ленточный', 'железобетонный ленточный', 'кирпичные столбы', 'бетонный свайный']),
    walls: pick([
      'кирпичные',
      'бревенчатые рубленые',
      'крупнопанельные',
      'шлакоблочные оштукатуренные',
      'монолитный железобетон',
    ]),
    partitions: pick(['гипсолитовые', 'дощатые', 'кирпичные оштукатуренные', 'деревянные каркасные']),
    ceilings: pick(['железобетонные плиты', 'деревянные утеплённые', 'сборные железобетонные']),
    roof: pick(['шиферная по деревянной обрешётке', 'рулонная', 'железная', 'металлочерепица']),
    wear: integer(4, 68),
    plot: integer(4, 25) * 100 + (random.chance(0.5) ? integer(1, 99) : 0),
  };
}

const tenths = (random: Random, min: number, max: number): number => random.integer(min, max) / 10;

function dateOf(random: Random, from: number, to: number): string {
  const two = (n: number) => String(n).padStart(2, '0');
  return `${random.integer(from, to)}-${two(random.integer(1, 12))}-${two(random.integer(1, 28))}`;
}

const LIVING = ['жилая комната', 'комната', 'спальня', 'гостиная', 'жилая'];
const OTHER = [
  'кухня',
  'коридор',
  'прихожая',
  'ванная',
  'санузел',
  'туалет',
  'кладовая',
  'шкаф встроенный',
  'столовая',
  'лоджия',
  'тамбур',
];
const REGIONS = [
  'Тверская область',
  'Саратовская область',
  'Пермский край',
  'Республика Карелия',
  'Омская область',
  'Ставропольский край',
];
const DISTRICTS = ['Бежецкий', 'Ртищевский', 'Кунгурский', 'Пряжинский', 'Тюкалинский', 'Шпаковский'];
const CITIES = [
  'г. Бежецк',
  'г. Ртищево',
  'г. Кунгур',
  'пгт Пряжа',
  'г. Тюкалинск',
  'с. Верхнее Поле',
  'г. Михайловск',
];
const STREETS = [
  'ул. Полевая',
  'ул. Садовая',
  'пер. Речной',
  'ул. Маршала Жукова',
  'пр-т Победы',
  'ул. 8 Марта',
  'ул. Зои Космодемьянской',
  'б-р Строителей',
];
const ISSUERS = [
  'ГУП «Тверское областное БТИ»',
  'ФГУП «Ростехинвентаризация — Федеральное БТИ», Омский филиал',
  'МУП «Бюро технической инвентаризации»',
  'ОГУП «Центр технической инвентаризации и кадастра»',
  'Кунгурское БТИ',
];
const SURNAMES = ['Воронцов', 'Лебедева', 'Щукин', 'Ёлкина', 'Гордеев', 'Цветкова', 'Юрьева', 'Объедков', 'Хайруллин'];
const NAMES = ['Пётр', 'Анна', 'Игорь', 'Людмила', 'Эдуард', 'Ольга'];
const PATRONYMS = ['Сергеевич', 'Фёдоровна', 'Ильич', 'Владимировна', 'Маратович'];
const INITIALS = ['А. Б.', 'В. Г.', 'Е. Ж.', 'И. К.', 'Ю. Щ.', 'М. Н.'];
