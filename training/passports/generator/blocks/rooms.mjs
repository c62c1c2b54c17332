// Tables and lists of rooms. Every table is composed from independent random choices.
import { box, escapeText, label, newGroup, value } from '../markup.mjs';
import {
  blank,
  breakHead,
  cell,
  createLook,
  headRows,
  joinGrids,
  numberFormat,
  numbersRow,
  plainText,
  renderGrid,
  transposeGrid,
  widthInCharacters,
} from './tables.mjs';

const MEASURES = ['area', 'living', 'auxiliary', 'height'];
const COLUMN = {
  no: 'rooms:no',
  name: 'rooms:name',
  area: 'rooms:area',
  living: 'rooms:living_area',
  auxiliary: 'rooms:auxiliary_area',
  height: 'rooms:height',
};
const TOTAL = { area: 'total:area', living: 'total:living_area', auxiliary: 'total:auxiliary_area' };
// The order of the columns in most forms.
const ORDER = [
  'flat',
  'floor',
  'letter',
  'no',
  'elevation',
  'name',
  'usage',
  'formula',
  'area',
  'living',
  'auxiliary',
  'extra',
  'height',
  'unauthorised',
  'remark',
];

const WORDS = {
  ru: {
    areaGroup: [
      'Площадь, кв.м',
      'Площадь (кв. м)',
      'Площадь',
      'Площадь по внутреннему обмеру',
      'Площадь по внутреннему обмеру в кв. м',
      'Площадь помещений, м²',
      'Площади, кв.м.',
      'Общая площадь квартиры',
      'Площадь всех частей здания, кв.м',
      'ПЛОЩАДЬ, кв. м',
      'Размеры и площади',
      'Площадь помещения (м2)',
    ],
    including: [
      'в том числе',
      'в т.ч.',
      'в т. ч. площадь',
      'из неё',
      'В том числе, кв.м',
      'из них',
      'Из общей площади',
      'в том числе:',
    ],
    short: {
      area: [
        'общая',
        'всего',
        'Общая',
        'общая площадь',
        'Всего',
        'общ.',
        'итого',
        'по факту',
        'полная',
        'по внутр. обмеру',
        'площадь',
      ],
      living: ['жилая', 'жил.', 'Жилая', 'жилых комнат', 'жилой', 'жилого назн.'],
      auxiliary: [
        'подсобная',
        'вспомогательная',
        'вспом.',
        'Подсобная',
        'подсобн.',
        'нежилая',
        'подсобных помещ.',
        'вспомогат.',
        'вспомогательного использования',
      ],
    },
    numberGroup: ['Номера', 'Номер', '№№', 'Номер по плану', 'Помещение', 'Нумерация'],
    shortNumber: ['комнаты', 'помещения', 'по плану', '№', 'п/п', 'на плане', 'части помещения'],
    shortName: ['наименование', 'назначение', 'название', 'назначение части помещения'],
    skip: {
      floor: [
        'Этаж',
        'Этажи',
        'Эт.',
        '№ этажа',
        'Этаж по плану',
        'Этаж (начиная с подвала)',
        'Этажность',
        'Этаж, мансарда',
      ],
      letter: ['Литера', 'Лит.', 'Литера по плану', 'Литер', 'Литеры строений', 'Лит. по плану', 'Обозначение'],
      formula: [
        'Формула подсчета площади',
        'Формула подсчета площади по внутреннему обмеру',
        'Размеры',
        'Формулы подсчёта частей помещения',
        'Подсчёт площади',
        'Формула',
        'Обмеры, м',
      ],
      unauthorised: [
        'Самовольно переоборудованная площадь',
        'Самовольно возведенная или переоборуд. площадь',
        'в т.ч. самовольная',
        'Самов. площадь',
        'Площадь без разрешения',
        'Незаконно возвед.',
      ],
      main: ['основная', 'Основная', 'осн.', 'основная площадь', 'рабочая', 'производственная'],
      elevation: ['Отметка', 'Отм.', 'Отметка пола', 'Отметка, м'],
      remark: ['Примечание', 'Примеч.', 'Примечания', 'Прим.', 'Отметки', 'Особые отметки'],
      usage: [
        'Использование',
        'Вид использования',
        'Назначение помещения',
        'Характер использования',
        'Тип',
        'Категория',
      ],
      extra: [
        'В т.ч. площадь лоджий',
        'Лоджии, балконы, террасы с коэф.',
        'Прочая',
        'Балконы',
        'Арендуемая',
        'Площадь балконов, лоджий',
        'Торговая',
        'Производственная',
        'холодных пристроек',
      ],
      flat: ['№ квартиры', 'Номер помещения', 'Квартира', '№ кв.', 'Номер помещения (квартиры)', '№ пом.', 'Кв-ра'],
    },
    floors: [
      (n) => `${n} этаж`,
      (n) => `Этаж ${n}`,
      (n) => `${n}-й этаж`,
      (n) => `Этаж № ${n}`,
      (n) => `${['Первый', 'Второй', 'Третий', 'Четвёртый'][n - 1] ?? n} этаж`,
      (n) => `ЭТАЖ ${n}`,
    ],
    flats: [
      (n) => `Квартира ${n}`,
      (n) => `Кв. № ${n}`,
      (n) => `Квартира № ${n}`,
      (n) => `Помещение ${n}Н`,
      (n) => `КВАРТИРА ${n}`,
      (n) => `кв.${n}`,
    ],
    groups: [
      ['Жилая', 'Подсобная'],
      ['Жилые комнаты', 'Подсобные помещения'],
      ['жилая площадь', 'вспомогательная площадь'],
      ['а) жилые', 'б) подсобные'],
      ['Основная', 'Вспомогательная'],
    ],
    usages: {
      living: ['жилая', 'жилое', 'жил.', 'Жилая'],
      auxiliary: ['подсобная', 'вспомогат.', 'подсоб.', 'нежилое', 'вспом.'],
    },
    remarks: [
      'самов.',
      'холодная',
      'см. лист 4',
      'переоборудовано',
      'без разреш.',
      'не отапл.',
      'h=2,10',
      'к=0,5',
      'с эркером',
      'перепланировка',
      'разрушено',
      'проходная',
      'по проекту',
    ],
    totals: [
      'Итого',
      'Всего',
      'ИТОГО:',
      'Итого:',
      'Всего по квартире',
      'Итого по квартире',
      'Итого по зданию',
      'Всего площадь',
      'ВСЕГО',
      'Итого по помещению',
      'Общая площадь',
    ],
    subtotals: ['Итого по этажу', 'Итого', 'Всего по этажу', 'Итого по квартире', 'Всего'],
    including3: ['в т.ч. жилая', 'в том числе жилая площадь', 'из неё жилой', 'жилая', 'Жилая'],
    auxiliary3: ['подсобная', 'в т.ч. вспомогательная', 'подсобной', 'Подсобная', 'вспомогательная площадь'],
    units: ['кв.м', 'кв. м', 'м²', 'м2', 'кв.м.', 'кв.метров'],
    meter: ['м', 'м.', ''],
    titles: [
      'Экспликация помещений',
      'Экспликация',
      'ЭКСПЛИКАЦИЯ',
      'Экспликация к плану квартиры',
      'Экспликация к поэтажному плану здания',
      'Перечень помещений',
      'Состав помещений',
      'II. Экспликация площади',
      'Распределение площади квартиры',
      'Характеристика помещений',
      'Экспликация площади квартиры',
      'Сведения о комнатах',
      'Ведомость помещений',
      'Площади комнат',
    ],
    continued: [
      'Продолжение',
      'Продолжение таблицы',
      'продолжение экспликации',
      'Окончание',
      'Лист 2',
      'Экспликация (продолжение)',
    ],
    units1: ['в квадратных метрах', 'кв.м', '(кв. м)', 'площадь в кв. м'],
    beginnings: [
      'Квартира состоит из следующих помещений:',
      'Состав помещений:',
      'В квартире имеются:',
      'Помещения:',
      'Площадь комнат:',
      'Жилой дом включает',
      'Объект состоит из:',
      'Расположение и площадь комнат:',
      'По данным обмера:',
      '',
    ],
    room: ['комната', 'помещение', 'ком.', 'пом.', 'комната №', 'помещение №', '№', 'поз.'],
    areaWord: ['площадью', 'площадь', 'пл.', 'S =', 'общей площадью', '– площадь'],
    heightWord: ['высота', 'выс.', 'h =', 'высотой', 'высота потолка'],
    onPlan: ['по плану', 'на плане', 'по экспликации'],
    finishes: [
      'обои',
      'окраска',
      'побелка',
      'плитка',
      'линолеум',
      'доски',
      'паркет',
      'дощатые',
      'бетон',
      'масл. окраска',
    ],
    ditto: ['"', '–"–', '- " -', '-//-', '—»—', 'то же', '″'],
  },
  en: {
    areaGroup: [
      'Area, sq m',
      'Area (m²)',
      'Area',
      'Floor area, sq. m',
      'Internal area',
      'AREA, m2',
      'Measured area',
      'Floor space (sq m)',
    ],
    including: ['of which', 'including', 'incl.', 'of this', 'thereof'],
    short: {
      area: ['total', 'Total', 'overall', 'gross', 'all', 'floor area'],
      living: ['living', 'Living', 'habitable', 'residential'],
      auxiliary: ['auxiliary', 'Auxiliary', 'ancillary', 'utility', 'service', 'aux.'],
    },
    numberGroup: ['Numbers', 'Room', 'Number', 'Reference'],
    shortNumber: ['room', 'no.', 'on plan', 'No', 'ref.'],
    shortName: ['name', 'description', 'use', 'designation'],
    skip: {
      floor: ['Floor', 'Storey', 'Level', 'Floor no.'],
      letter: ['Letter', 'Building letter', 'Part', 'Mark on plan', 'Block'],
      formula: ['Formula', 'Area calculation', 'Dimensions', 'Measurements, m', 'Size (m)'],
      unauthorised: ['Unauthorised area', 'Unpermitted alterations', 'Area altered without permit'],
      main: ['main', 'Main area', 'Usable', 'Working area', 'NIA'],
      elevation: ['Level', 'FFL', 'Elevation, m', 'Datum'],
      remark: ['Remarks', 'Notes', 'Comment', 'Remark'],
      usage: ['Use', 'Type', 'Category', 'Usage'],
      extra: ['Balconies', 'Balcony area', 'Leased', 'Other', 'Unheated', 'Loggias'],
      flat: ['Flat', 'Unit', 'Apartment no.', 'Premises no.', 'Flat no.'],
    },
    floors: [
      (n) => `Floor ${n}`,
      (n) => `Level ${n}`,
      (n) => `${['First', 'Second', 'Third', 'Fourth'][n - 1] ?? n} floor`,
      (n) => `Storey ${n}`,
      (n) => `FLOOR ${n}`,
    ],
    flats: [(n) => `Flat ${n}`, (n) => `Unit ${n}`, (n) => `Apartment No. ${n}`, (n) => `Apt. ${n}`],
    groups: [
      ['Living', 'Auxiliary'],
      ['Living rooms', 'Ancillary rooms'],
      ['Habitable area', 'Service area'],
      ['a) living', 'b) auxiliary'],
    ],
    usages: {
      living: ['living', 'habitable', 'residential'],
      auxiliary: ['auxiliary', 'service', 'ancillary', 'aux.'],
    },
    remarks: [
      'altered',
      'unheated',
      'see sheet 4',
      'no permit',
      'through room',
      'with bay window',
      'k=0.5',
      'not measured',
    ],
    totals: [
      'Total',
      'TOTAL',
      'Total:',
      'Total area',
      'Grand total',
      'Overall',
      'Total for the flat',
      'Total for the building',
    ],
    subtotals: ['Subtotal', 'Floor total', 'Total for the floor', 'Total'],
    including3: ['of which living', 'living area', 'including living'],
    auxiliary3: ['auxiliary area', 'of which auxiliary', 'ancillary'],
    units: ['sq m', 'sq. m', 'm²', 'm2', 'sqm'],
    meter: ['m', ''],
    titles: [
      'Schedule of rooms',
      'Room schedule',
      'Explication of premises',
      'List of rooms',
      'ROOMS',
      'Floor area by room',
      'Rooms and areas',
      'Explication to the floor plan',
      'Accommodation',
    ],
    continued: ['Continued', 'Room schedule (continued)', 'Sheet 2', 'continued from the previous page'],
    units1: ['in square metres', 'sq m', '(m²)'],
    beginnings: [
      'The flat consists of the following rooms:',
      'Rooms:',
      'The dwelling comprises',
      'Accommodation:',
      'Areas of rooms:',
      '',
    ],
    room: ['room', 'room no.', 'No.', 'rm', 'premises'],
    areaWord: ['of', 'area', 'with an area of', 'measuring', 'A ='],
    heightWord: ['height', 'h =', 'ceiling height'],
    onPlan: ['on the plan', 'in the plan'],
    finishes: ['paint', 'paper', 'tiles', 'laminate', 'parquet', 'boards', 'concrete', 'plaster'],
    ditto: ['"', '- " -', 'ditto', 'do.', '″'],
  },
};

const wordsOf = (context) => WORDS[context.language] ?? WORDS.ru;

/** Which of the known kinds a head of a column that is no field belongs to. */
function kindOfSkip(head) {
  if (/формул|подсч|размер|обмер|formula|dimen|measure|calc/i.test(head)) return 'formula';
  if (/самов|незакон|разреш|unauth|unpermit|permit/i.test(head)) return 'unauthorised';
  if (/^(основн|рабоч|производственная пл)/i.test(head)) return 'main';
  if (/отметка|^отм\./i.test(head)) return 'elevation';
  if (/примеч|прим\.|отмет|remark|note|comment/i.test(head)) return 'remark';
  if (/квартир|кв\.|flat|apart|unit/i.test(head) && /№|номер|no|кварт/i.test(head) && !/площ|area/i.test(head))
    return 'flat';
  if (/площ|лодж|балк|терр|холод|летн|отапл|торг|склад|контор|польз|area|balcon|heated/i.test(head)) return 'extra';
  if (/длин|ширин|length|width/i.test(head)) return 'length';
  if (/объ[её]м|volume/i.test(head)) return 'volume';
  if (/коэфф?|factor|coeff/i.test(head)) return 'factor';
  if (/дата|date/i.test(head)) return 'date';
  if (/собствен|owner|tenant|аренд/i.test(head)) return 'person';
  if (/число|колич|count|number of/i.test(head)) return 'count';
  if (/отделк|вид|finish|material|пол/i.test(head)) return 'finish';
  if (/этаж|эт\.|floor|storey|level/i.test(head)) return 'floor';
  if (/лит|letter|обозн|mark/i.test(head)) return 'letter';
  if (/назнач|исп|тип|катег|use|usage|type/i.test(head)) return 'usage';
  return 'other';
}

const roundTo = (number, digits) => Math.round(number * 10 ** digits) / 10 ** digits;

/** The rooms as plain rows: those of the facts, or part of them, or a longer list made from them. */
function chooseRooms(context, most) {
  const { random, facts } = context;
  let rooms = facts.rooms.map((room) => ({ ...room, no: String(room.no ?? '') }));
  const many = random.weighted([
    ['same', 7],
    ['part', 1.5],
    ['longer', 2],
  ]);
  if (many === 'longer' && rooms.length > 0) {
    const more = random.integer(4, 26);
    for (let i = 0; i < more; i += 1) {
      const room = random.pick(facts.rooms);
      const factor = 0.6 + random.next() * 0.9;
      const area = Math.max(0.6, roundTo(room.area * factor, 1));
      rooms.push({
        ...room,
        area,
        living_area: room.living_area == null ? null : area,
        auxiliary_area: room.auxiliary_area == null ? null : area,
      });
    }
    rooms = rooms.sort((a, b) => (a.floor ?? 1) - (b.floor ?? 1));
  }
  if (many === 'part' && rooms.length > 2) {
    const from = random.integer(0, Math.floor(rooms.length / 2));
    rooms = rooms.slice(from, from + Math.max(1, random.integer(1, rooms.length)));
  }
  rooms = rooms.slice(0, most);
  if (many === 'longer') rooms = rooms.map((room, index) => ({ ...room, no: String(index + 1) }));
  return rooms;
}

/** Divides rooms into sections by floor, flat or kind: `[{ title, mark, rooms }]`. */
function divide(context, rooms) {
  const { random, vocabulary } = context;
  const some = wordsOf(context);
  const floors = [...new Set(rooms.map((room) => room.floor ?? 1))];
  const by = random.weighted([
    ['none', floors.length > 1 ? 2 : 10],
    ['floor', floors.length > 1 ? 8 : 1.5],
    ['flat', rooms.length > 5 ? 1.5 : 0],
    ['kind', rooms.length > 2 && rooms.some((room) => room.living_area != null) ? 0.7 : 0],
  ]);
  if (by === 'none') return { by, sections: [{ title: '', mark: '', rooms }] };
  if (by === 'kind') {
    const [living, auxiliary] = random.pick(some.groups);
    const sections = [
      { title: living, mark: '', rooms: rooms.filter((room) => room.living_area != null) },
      { title: auxiliary, mark: '', rooms: rooms.filter((room) => room.living_area == null) },
    ];
    return { by, sections: sections.filter((one) => one.rooms.length > 0) };
  }
  const restart = random.chance(0.6);
  const wording = random.pick(by === 'floor' ? some.floors : some.flats);
  const first = by === 'floor' ? random.integer(1, 2) : random.integer(1, 120);
  let sections;
  if (by === 'floor' && floors.length > 1) {
    sections = floors.map((floor) => ({ number: floor, rooms: rooms.filter((room) => (room.floor ?? 1) === floor) }));
  } else {
    const count = Math.min(rooms.length, random.integer(by === 'floor' ? 1 : 2, by === 'floor' ? 3 : 5));
    const size = Math.ceil(rooms.length / count);
    sections = [];
    for (let i = 0; i < rooms.length; i += size)
      sections.push({ number: first + sections.length, rooms: rooms.slice(i, i + size) });
  }
  const heads = vocabulary.floorHeads ?? [];
  for (const one of sections) {
    one.title = by === 'floor' && heads.length > 0 && random.chance(0.25) ? random.pick(heads) : wording(one.number);
    one.mark =
      by === 'floor' && random.chance(0.1)
        ? random.pick(['подв.', 'цок.', 'манс.', '1', 'б/н', '0'])
        : String(one.number);
    if (restart) one.rooms = one.rooms.map((room, index) => ({ ...room, no: String(index + 1) }));
  }
  return { by, sections };
}

/** Independent choices about what a table of rooms prints. */
function plan(context, most, by) {
  const { random, vocabulary } = context;
  const some = wordsOf(context);
  const keys = random
    .weighted([
      [['no', 'name'], 12],
      [['name'], 3],
      [['no'], 2],
    ])
    .slice();
  const room = Math.max(1, most - keys.length);
  keys.push('area');
  if (room > 1 && random.chance(0.45)) keys.push('living');
  if (room > 2 && random.chance(keys.includes('living') ? 0.75 : 0.06)) keys.push('auxiliary');
  if (room > 1 && random.chance(0.35)) keys.push('height');
  if (keys.includes('living') && keys.includes('auxiliary') && random.chance(0.05))
    keys.splice(keys.indexOf('area'), 1);
  const left = Math.min(5, Math.max(0, most - keys.length));
  const skips = Math.min(
    left,
    random.weighted([
      [0, 6],
      [1, 5],
      [2, 4],
      [3, 2],
      [4, 1],
      [5, 1],
    ]),
  );
  const heads = new Map();
  const known = Object.keys(some.skip).filter(
    (kind) => !(kind === 'floor' && by === 'floor') && !(kind === 'flat' && by === 'flat'),
  );
  for (const kind of random.sample(known, skips)) {
    if (random.chance(0.35) && vocabulary.heads['rooms:skip']?.length > 0) {
      const head = random.pick(vocabulary.heads['rooms:skip']);
      const found = kindOfSkip(head);
      const key = found === 'other' ? `other${heads.size}` : found;
      if (!heads.has(key)) heads.set(key, head);
    } else if (!heads.has(kind)) heads.set(kind, random.pick(some.skip[kind]));
  }
  let order = [...keys, ...heads.keys()];
  const rank = (key) => (ORDER.indexOf(key) < 0 ? random.next() * ORDER.length : ORDER.indexOf(key));
  const ranks = new Map(order.map((key) => [key, rank(key)]));
  order.sort((a, b) => ranks.get(a) - ranks.get(b));
  const change = random.weighted([
    ['none', 12],
    ['swap', 5],
    ['move', 4],
    ['shuffle', 2],
  ]);
  if (change === 'shuffle') order = random.shuffle(order);
  if (change === 'swap' && order.length > 1) {
    const at = random.integer(0, order.length - 2);
    [order[at], order[at + 1]] = [order[at + 1], order[at]];
  }
  if (change === 'move') {
    const [key] = order.splice(random.integer(0, order.length - 1), 1);
    order.splice(random.integer(0, order.length), 0, key);
  }
  // Name and number in one cell.
  let joined = '';
  if (keys.includes('no') && keys.includes('name') && random.chance(0.09)) {
    joined = random.pick(['no name', 'no. name', 'name no', 'name (no)', '№no name', 'name, №no', 'no-name']);
    order.splice(order.indexOf('no'), 1);
  }
  return {
    order,
    heads,
    joined,
    format: numberFormat(random),
    nothing: random.weighted([
      ['', 9],
      ['-', 4],
      ['–', 2],
      ['—', 1],
      ['0', 1],
      ['0,0', 0.7],
      ['х', 0.3],
      ['ditto', 0],
    ]),
    unit: random.chance(0.07) ? `${random.pick([' ', '', ' '])}${random.pick(some.units)}` : '',
    heightUnit: random.chance(0.05) ? ' м' : '',
    heightPlaces: random.weighted([
      [2, 8],
      [1, 2],
    ]),
    heightWay: random.weighted([
      ['each', 10],
      ['first', 1.5],
      ['ditto', 1.5],
      ['merged', 1.5],
    ]),
    ditto: random.pick(some.ditto),
    numberForm: random.weighted([
      ['plain', 14],
      ['dot', 2],
      ['№', 0.7],
      ['zero', 0.7],
      ['paren', 0.6],
      ['dash', 1],
      ['roman', 0.8],
      ['suffix', 0.8],
      ['letter', 0.6],
      ['point', 0.6],
    ]),
    section: random.integer(1, 24),
    suffix: random.pick(['а', 'А', 'б', 'a', 'A']),
    prefix: random.pick(['A', 'B', 'G', 'А', 'Б', 'L', 'П', 'F']),
    extras: random.pick([0.1, 0.1, 0.3, 0.6, 1]),
    extraLikeArea: random.chance(0.4),
    elevations: elevationsOf(random),
    noNumber: random.chance(0.08) ? 0.3 : 0,
    nameCase: random.weighted([
      ['same', 10],
      ['lower', 2],
      ['upper', 1],
      ['capital', 2],
    ]),
    breakName: random.chance(0.12),
    times: random.pick(['*', '*', '×', 'x', 'х', '·']),
    wrapHead: random.chance(0.4),
    vertical: random.weighted([
      ['none', 14],
      ['measures', 3],
      ['narrow', 2],
      ['all but name', 2],
      ['some', 2],
    ]),
  };
}

const ROMAN = ['', 'I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII', 'IX', 'X', 'XI', 'XII'];

/** The levels of the floors: ±0,00, +3,60. */
function elevationsOf(random) {
  const step = 2.4 + 0.3 * random.integer(0, 12);
  const first = random.chance(0.2) ? -1 : 0;
  const [point, plus, minus, zero] = [
    random.pick([',', ',', '.']),
    random.pick(['+', '+', '']),
    random.pick(['-', '−', '–']),
    random.pick(['±', '', '+']),
  ];
  const digits = random.pick([2, 2, 3, 1]);
  return [0, 1, 2, 3].map((i) => {
    const level = (first + i) * step;
    const sign = level === 0 ? zero : level > 0 ? plus : minus;
    return sign + Math.abs(level).toFixed(digits).replace('.', point);
  });
}

function roomNumber(how, no) {
  switch (how.numberForm) {
    case 'dot':
      return `${no}.`;
    case '№':
      return `№${no}`;
    case 'zero':
      return no.padStart(2, '0');
    case 'paren':
      return `${no})`;
    case 'dash':
      return `${how.section}-${no}`;
    case 'suffix':
      return Number(no) % 3 === 0 ? `${no}${how.suffix}` : no;
    case 'letter':
      return `${how.prefix}${no}`;
    case 'point':
      return `${how.prefix}.${no.padStart(2, '0')}`;
    case 'roman':
      return ROMAN[Number(no)] || no;
    default:
      return no;
  }
}

function roomName(context, how, name) {
  let text = name;
  if (how.nameCase === 'lower') text = text.toLowerCase();
  if (how.nameCase === 'upper') text = text.toUpperCase();
  if (how.nameCase === 'capital') text = text[0].toUpperCase() + text.slice(1).toLowerCase();
  const html = escapeText(text);
  return how.breakName && context.random.chance(0.6) ? html.replace(/[ -]/, (mark) => `${mark.trim()}<br>`) : html;
}

function formula(context, how, area) {
  const { random } = context;
  const parts = random.weighted([
    [1, 5],
    [2, 4],
    [3, 1],
  ]);
  let left = area;
  const texts = [];
  for (let i = 0; i < parts; i += 1) {
    const piece = i === parts - 1 ? left : left * (0.3 + random.next() * 0.6);
    left -= piece;
    const side = Math.max(0.4, Math.sqrt(piece) * (0.6 + random.next() * 0.8));
    texts.push(`${how.format(side, 2)}${how.times}${how.format(Math.max(0.1, piece / side), 2)}`);
  }
  return escapeText(texts.join(random.pick(['+', '+', ' + ', '-', '+'])));
}

/** The printed HTML of one cell. */
function content(context, how, key, room, row, index, section) {
  const { random } = context;
  const some = wordsOf(context);
  const number = (amount) =>
    value(COLUMN[key], escapeText(how.format(amount)) + (how.unit.startsWith(' ') ? '' : how.unit), row) +
    (how.unit.startsWith(' ') ? how.unit : '');
  const nothing = () => (how.nothing ? escapeText(how.nothing) : '');
  switch (key) {
    case 'no':
      return room.no === '' || random.chance(how.noNumber)
        ? ''
        : value(COLUMN.no, escapeText(roomNumber(how, room.no)), row);
    case 'name': {
      const name = value(COLUMN.name, roomName(context, how, room.name), row);
      const no = (before, after) => value(COLUMN.no, `${before}${escapeText(room.no)}${after}`, row);
      if (!how.joined || room.no === '' || random.chance(how.noNumber)) return name;
      if (how.joined === 'no name') return `${no('', '')} ${name}`;
      if (how.joined === 'no. name') return `${no('', '.')} ${name}`;
      if (how.joined === 'name no') return `${name} ${no('', '')}`;
      if (how.joined === 'name (no)') return `${name} ${no('(', ')')}`;
      if (how.joined === '№no name') return `${no('№', '')} ${name}`;
      if (how.joined === 'name, №no') return `${name} № ${no('', '')}`;
      return `${no('', '')} - ${name}`;
    }
    case 'area':
      return number(room.area);
    case 'living':
      return room.living_area == null ? nothing() : number(room.living_area);
    case 'auxiliary':
      return room.auxiliary_area == null ? nothing() : number(room.auxiliary_area);
    case 'height': {
      if (room.height == null) return nothing();
      if (how.heightWay === 'first' && index > 0) return '';
      if (how.heightWay === 'ditto' && index > 0) return escapeText(how.ditto);
      return value(COLUMN.height, escapeText(how.format(room.height, how.heightPlaces)), row) + how.heightUnit;
    }
    case 'floor':
      return escapeText(how.floorOnce && index > 0 ? '' : section.mark || String(room.floor ?? 1));
    case 'letter':
      return escapeText(how.letterOnce && index > 0 ? '' : (how.letters ?? 'А'));
    case 'flat':
      return index > 0 && how.flatOnce ? '' : String(how.flat ?? 1);
    case 'formula':
      return formula(context, how, room.area);
    case 'usage':
      return escapeText(random.pick(room.living_area == null ? some.usages.auxiliary : some.usages.living));
    case 'extra':
      if (!random.chance(how.extras)) return nothing();
      return escapeText(how.format(how.extraLikeArea ? room.area : roundTo(0.5 + random.next() * 26, 1)));
    case 'main':
      return room.auxiliary_area == null ? escapeText(how.format(room.area)) : nothing();
    case 'elevation':
      return escapeText(how.elevations[Math.min(Math.max(0, (room.floor ?? 1) - 1), how.elevations.length - 1)]);
    case 'unauthorised':
      return random.chance(0.12) ? escapeText(how.format(roundTo(0.5 + random.next() * 6, 1))) : nothing();
    case 'length':
      return escapeText(how.format(roundTo(0.8 + random.next() * 6, 2), 2));
    case 'volume':
      return escapeText(how.format(roundTo(room.area * 2.6, 0), 0));
    case 'factor':
      return escapeText(
        how.format(
          random.weighted([
            [1, 6],
            [0.5, 1],
            [0.3, 1],
          ]),
          1,
        ),
      );
    case 'date':
    case 'person':
      return random.chance(index === 0 ? 0.8 : how.extras) ? escapeText(context.distract(key)) : '';
    case 'count':
      return String(random.integer(1, 4));
    case 'finish':
      return random.chance(0.7) ? escapeText(random.pick(some.finishes)) : nothing();
    case 'remark':
      return random.chance(0.15) ? escapeText(random.pick(some.remarks)) : '';
    default:
      return random.chance(0.3)
        ? escapeText(random.pick(['-', '1', '2', 'есть', 'нет', '+', how.format(roundTo(random.next() * 9, 1))]))
        : '';
  }
}

function headOf(context, how, key, short) {
  const { random } = context;
  const some = wordsOf(context);
  const list =
    short && (some.short[key] ?? (key === 'no' ? some.shortNumber : key === 'name' ? some.shortName : undefined));
  let html;
  if (list) html = label(COLUMN[key], escapeText(random.pick(list)));
  else if (COLUMN[key]) html = context.head(COLUMN[key]);
  else html = escapeText(context.wording([how.heads.get(key) ?? how.sectionHead ?? random.pick(some.skip.remark)]));
  return how.wrapHead && plainText(html).length > 8 ? breakHead(random, html) : html;
}

/** Rows of the head over `order`, with merged heads at random. */
function makeHead(context, how, order) {
  const { random } = context;
  const some = wordsOf(context);
  const upright = (key) => {
    if (how.vertical === 'measures') return MEASURES.includes(key);
    if (how.vertical === 'narrow') return ['no', 'floor', 'letter', 'flat', 'height'].includes(key);
    if (how.vertical === 'all but name') return key !== 'name';
    return how.vertical === 'some' && random.chance(0.4);
  };
  const nodes = [];
  const areas = ['area', 'living', 'auxiliary', 'extra', 'unauthorised'];
  const merged = random.chance(0.55);
  const nested = random.chance(0.4);
  const ofNumbers = random.chance(0.12);
  const leaf = (key, short) => ({ html: headOf(context, how, key, short), vertical: upright(key) });
  for (let i = 0; i < order.length; i += 1) {
    let end = i;
    while (end < order.length && areas.includes(order[end])) end += 1;
    const run = order.slice(i, end);
    if (merged && run.length > 1 && run.some((key) => TOTAL[key])) {
      const children = [];
      for (let at = 0; at < run.length; at += 1) {
        const pair = run.slice(at).filter((key) => key === 'living' || key === 'auxiliary');
        const adjacent = pair.length > 1 && pair.includes(run[at]) && pair.includes(run[at + 1]);
        if (nested && adjacent) {
          children.push({
            html: escapeText(random.pick(some.including)),
            children: [leaf(run[at], true), leaf(run[at + 1], true)],
          });
          at += 1;
        } else children.push(leaf(run[at], true));
      }
      nodes.push({ html: escapeText(random.pick(some.areaGroup)), children });
      i = end - 1;
      continue;
    }
    const pair = [order[i], order[i + 1]];
    if (
      ofNumbers &&
      pair.includes('no') &&
      (pair.includes('name') || pair.includes('floor') || pair.includes('flat'))
    ) {
      nodes.push({
        html: escapeText(random.pick(some.numberGroup)),
        children: [leaf(pair[0], true), leaf(pair[1], true)],
      });
      i += 1;
      continue;
    }
    nodes.push(leaf(order[i], false));
  }
  return headRows(nodes);
}

const sumOf = (rooms, key) => {
  const part = { area: 'area', living: 'living_area', auxiliary: 'auxiliary_area' }[key];
  return rooms.reduce((sum, room) => sum + (room[part] ?? 0), 0);
};

/** A row with sums under the measures and a title over the columns before them. Only a final row is marked. */
function sumRow(context, how, order, rooms, title, final, height) {
  const { random } = context;
  const first = order.findIndex((key) => TOTAL[key]);
  const at = first > 0 ? first : -1;
  const cells = [];
  const merged = random.chance(0.6);
  if (at > 0) {
    if (merged)
      cells.push(
        cell(escapeText(title), { span: at, quiet: true, align: random.pick(['left', 'right', 'center', 'left']) }),
      );
    else {
      const place = random.integer(0, at - 1);
      for (let i = 0; i < at; i += 1)
        cells.push(i === place ? cell(escapeText(title), { quiet: true }) : blank({ quiet: true }));
    }
  }
  for (let i = Math.max(0, at); i < order.length; i += 1) {
    const key = order[i];
    if (TOTAL[key]) {
      const before = i === 0 && at < 0 ? `${escapeText(title)} ` : '';
      const text = escapeText(how.format(roundTo(sumOf(rooms, key), 2)));
      cells.push(cell(before + (final ? value(TOTAL[key], text) : text)));
    } else if (key === 'height' && height) cells.push(cell(random.pick(['х', '-', 'X'])));
    else cells.push(blank({ quiet: true }));
  }
  return { kind: final ? 'total' : 'subtotal', cells };
}

function totalWording(context, list) {
  const { random, vocabulary } = context;
  const own = wordsOf(context)[list];
  const other = vocabulary[list];
  return other?.length > 0 && random.chance(0.6) ? context.wording(other) : random.pick(own);
}

/** Totals in rows of their own: area, then living, then auxiliary. */
function totalRows(context, how, order, rooms) {
  const { random } = context;
  const some = wordsOf(context);
  const way = random.weighted([
    ['row', 10],
    ['stack', 2],
    ['one cell', 1.2],
  ]);
  const format = (key) => escapeText(how.format(roundTo(sumOf(rooms, key), 2)));
  const living = rooms.some((room) => room.living_area != null);
  const auxiliary = rooms.some((room) => room.auxiliary_area != null);
  if (way === 'stack' && order.includes('area') && order.indexOf('area') > 0) {
    const at = order.indexOf('area');
    const line = (title, key) => ({
      kind: 'total',
      cells: [
        cell(escapeText(title), { span: at, quiet: true }),
        cell(value(TOTAL[key], format(key))),
        ...order.slice(at + 1).map(() => blank()),
      ],
    });
    const rows = [line(totalWording(context, 'totals'), 'area')];
    if (living && random.chance(0.8)) rows.push(line(random.pick(some.including3), 'living'));
    if (auxiliary && random.chance(0.5)) rows.push(line(random.pick(some.auxiliary3), 'auxiliary'));
    return rows;
  }
  if (way === 'one cell')
    return [{ kind: 'total', cells: [cell(totalLine(context, how, rooms), { span: order.length, quiet: true })] }];
  return [sumRow(context, how, order, rooms, totalWording(context, 'totals'), true, random.chance(0.1))];
}

/** The total in a line of text. */
function totalLine(context, how, rooms) {
  const { random } = context;
  const some = wordsOf(context);
  const unit = random.chance(0.75) ? ` ${random.pick(some.units)}` : '';
  const mark = random.pick([' ', ': ', ' – ', ' - ', ' ']);
  const print = (title, key) =>
    `${escapeText(title.replace(/:$/, ''))}${mark}${value(TOTAL[key], escapeText(how.format(roundTo(sumOf(rooms, key), 2))))}${unit}`;
  const parts = [print(totalWording(context, 'totals'), 'area')];
  if (rooms.some((room) => room.living_area != null) && random.chance(0.5))
    parts.push(print(random.pick(some.including3), 'living'));
  if (rooms.some((room) => room.auxiliary_area != null) && random.chance(0.3))
    parts.push(print(random.pick(some.auxiliary3), 'auxiliary'));
  return parts.join(random.pick([', ', '; ', ' ']));
}

/** Body rows of the sections of a table. */
function makeBody(context, how, order, sections, way, subtotals) {
  const rows = [];
  for (const [place, section] of sections.entries()) {
    how.flat = section.number ?? how.flat;
    if (way === 'band' && section.title) {
      const align = how.bandAlign;
      const at = order.indexOf('name');
      if (how.bandInName && at >= 0)
        rows.push({
          kind: 'body',
          cells: order.map((key) => (key === 'name' ? cell(escapeText(section.title)) : blank())),
        });
      else
        rows.push({ kind: 'band', cells: [cell(escapeText(section.title), { span: order.length + how.lead, align })] });
    }
    for (const [index, room] of section.rooms.entries()) {
      const row = newGroup();
      const cells = [];
      if (how.lead && way !== 'band') {
        if (index === 0)
          cells.push(
            cell(escapeText(how.leadFull ? section.title : section.mark), {
              rows: section.rooms.length,
              vertical: how.leadVertical,
              align: 'center',
            }),
          );
      }
      for (const key of order) {
        if (key === 'height' && how.heightWay === 'merged') {
          if (index === 0)
            cells.push(
              cell(content(context, how, key, room, row, 0, section), {
                rows: section.rooms.length,
                vertical: how.heightVertical,
              }),
            );
          continue;
        }
        cells.push(cell(content(context, how, key, room, row, index, section)));
      }
      rows.push({ kind: 'body', cells });
    }
    if (subtotals && (sections.length > 1 || place < sections.length - 1)) {
      const row = sumRow(context, how, order, section.rooms, how.subtotal, false, false);
      if (how.lead && way !== 'band') row.cells.unshift(blank());
      rows.push(row);
    }
  }
  return { rows };
}

function columnsFor(context, order, how) {
  const { random } = context;
  const numbers = random.pick(['right', 'center', 'center', 'left']);
  const labels = random.pick(['left', 'left', 'center']);
  const no = random.pick(['center', 'center', 'left', 'right']);
  const fixed = random.chance(0.35);
  const widthOf = {
    no: [4, 8],
    name: [20, 45],
    area: [6, 14],
    living: [6, 12],
    auxiliary: [6, 12],
    height: [5, 9],
    formula: [14, 30],
    remark: [6, 18],
    floor: [4, 7],
    letter: [4, 7],
    flat: [4, 8],
  };
  const columns = order.map((key) => {
    const width = fixed && widthOf[key] ? `${random.integer(...widthOf[key])}%` : undefined;
    if (key === 'name' || key === 'remark' || key === 'usage') return { align: labels, width };
    if (key === 'no' || key === 'floor' || key === 'letter' || key === 'flat') return { align: no, width };
    return { align: numbers, width };
  });
  return how.lead ? [{ align: 'center', width: fixed ? '5%' : undefined }, ...columns] : columns;
}

/** A title over the table, or nothing. */
function titleOf(context, list, probability) {
  const { random } = context;
  if (!random.chance(probability)) return '';
  const style = `text-align:${random.pick(['center', 'center', 'left', 'right'])};${random.chance(0.4) ? 'font-weight:bold;' : ''}margin:${random.integer(0, 6)}px 0 ${random.integer(0, 5)}px;${random.chance(0.3) ? 'font-size:1.15em;' : ''}`;
  return box(style, escapeText(random.pick(wordsOf(context)[list])));
}

function begin(context, parts = 1) {
  const { random } = context;
  const most = Math.max(3, Math.min(11, Math.floor(widthInCharacters(context) / (9 * parts))));
  const rooms = chooseRooms(context, context.style.height > context.style.width ? 34 : 24);
  const divided = divide(context, rooms);
  const how = plan(context, most, divided.by);
  const some = wordsOf(context);
  Object.assign(how, {
    lead: 0,
    leadFull: random.chance(0.5),
    leadVertical: random.chance(0.5),
    heightVertical: random.chance(0.4),
    bandAlign: random.pick(['center', 'center', 'left']),
    bandInName: random.chance(0.2),
    subtotal: totalWording(context, 'subtotals'),
    floorOnce: random.chance(0.3),
    letterOnce: random.chance(0.3),
    flatOnce: random.chance(0.4),
    letters: random.pick(['А', 'А', 'А1', 'а', 'Б', 'A', 'Аа']),
    flat: random.integer(1, 150),
    sectionHead: random.pick(divided.by === 'flat' ? some.skip.flat : some.skip.floor),
  });
  return { ...divided, rooms, how };
}

function emptyRows(random, count) {
  const rows = random.chance(0.12) ? random.integer(1, 8) : 0;
  return Array.from({ length: rows }, () => ({ kind: 'empty', cells: Array.from({ length: count }, () => blank()) }));
}

/** Sometimes the head or the row of column numbers again between the rows, as after a page break. */
function withHeadAgain(random, rows, head, numbers) {
  const isMerged = rows.some((row) => row.cells.some((one) => one.rows > 1));
  if (head.length === 0 || rows.length < 5 || isMerged || !random.chance(0.12)) return rows;
  const at = random.integer(2, rows.length - 2);
  return [...rows.slice(0, at), ...(random.chance(0.5) ? head : [numbers]), ...rows.slice(at)];
}

/** One table with all the choices above. */
function roomTable(context) {
  const { random } = context;
  const { by, sections, how, rooms } = begin(context);
  const { order } = how;
  const way =
    by === 'none'
      ? 'none'
      : random.weighted([
          ['band', 6],
          ['lead', by === 'kind' ? 1 : 4],
          ['column', by === 'kind' ? 0 : 2],
          ['tables', 1],
        ]);
  if (way === 'lead') {
    how.lead = 1;
    how.leadFull ||= by === 'kind';
  }
  if (way === 'column') {
    const key = by === 'floor' ? 'floor' : 'flat';
    if (!order.includes(key)) order.unshift(key);
    how.heads.set(key, how.sectionHead);
  }
  const look = createLook(context, { characters: 0.1 });
  const columns = columnsFor(context, order, how);
  const count = order.length + how.lead;
  const start = random.weighted([
    ['head', 20],
    ['continued', 3.5],
    ['no head', 0.8],
  ]);
  let head = makeHead(context, how, order);
  if (how.lead)
    head[0].cells.unshift(cell(escapeText(how.sectionHead), { rows: head.length, vertical: random.chance(0.3) }));
  const numbers = numbersRow(random, count);
  let over = start === 'continued' ? titleOf(context, 'continued', 0.4) : titleOf(context, 'titles', 0.3);
  if (start === 'continued') {
    const kind = random.pick(['none', 'none', 'numbers', 'numbers', 'head', 'both']);
    if (kind === 'none') head = [];
    else if (kind === 'numbers') head = [numbers];
    else if (kind === 'both') head.push(numbers);
    const from = random.integer(3, 30);
    for (const section of sections) {
      section.rooms = section.rooms.map((room, index) => ({
        ...room,
        no: /^\d+$/.test(room.no) ? String(Number(room.no) + from) : String(from + index),
      }));
    }
  } else if (start === 'no head') head = [];
  else if (random.chance(0.22)) head.push(numbers);
  const subtotals = by !== 'none' && random.chance(0.5);
  const closing = random.weighted([
    ['rows', 10],
    ['absent', start === 'continued' ? 8 : 5],
    ['line', 2],
    ['top', 0.6],
    ['line over', 0.5],
  ]);
  const lead = (rows) => {
    if (!how.lead) return rows;
    return rows.map((row) => ({ ...row, cells: [blank(), ...row.cells] }));
  };
  if (way === 'tables') {
    const parts = sections.map((section, index) => {
      const { rows } = makeBody(context, how, order, [section], 'none', false);
      const last = index === sections.length - 1;
      const grid = [...(index === 0 || random.chance(0.6) ? head : []), ...rows];
      if (subtotals) grid.push(sumRow(context, how, order, section.rooms, how.subtotal, false, false));
      if (last && closing === 'rows') grid.push(...totalRows(context, how, order, rooms));
      return box(
        `margin-bottom:${random.integer(0, 8)}px`,
        box(`text-align:${how.bandAlign}`, escapeText(section.title)) + renderGrid(context, grid, look, columns),
      );
    });
    return over + parts.join('') + (closing === 'line' ? box('', totalLine(context, how, rooms)) : '');
  }
  const { rows } = makeBody(context, how, order, sections, way, subtotals);
  const grid = [...head];
  if (closing === 'top')
    grid.push(...lead([sumRow(context, how, order, rooms, totalWording(context, 'totals'), true, false)]));
  grid.push(...withHeadAgain(random, rows, head, numbers));
  const empty = emptyRows(random, count);
  if (random.chance(0.5)) grid.push(...empty.splice(0));
  if (closing === 'rows') grid.push(...lead(totalRows(context, how, order, rooms)));
  grid.push(...empty);
  const line = box(
    `text-align:${random.pick(['left', 'right', 'center'])};padding:2px 0`,
    closing.startsWith('line') ? totalLine(context, how, rooms) : '',
  );
  if (closing === 'line over') over += line;
  if (random.chance(0.06))
    over += box('text-align:right;font-size:0.85em', escapeText(random.pick(wordsOf(context).units1)));
  return over + renderGrid(context, grid, look, columns) + (closing === 'line' ? line : '');
}

/** Two or three column groups side by side. */
function sideBySide(context) {
  const { random } = context;
  const parts =
    widthInCharacters(context) > 75
      ? random.weighted([
          [2, 5],
          [3, 1.5],
        ])
      : 2;
  const { sections, how, rooms, by } = begin(context, parts);
  const wide = ['formula', 'remark', 'person', 'date', 'finish'];
  const order = how.order.filter((key) => !wide.includes(key));
  how.heightWay = 'each';
  const { rows } = makeBody(
    context,
    how,
    order,
    sections,
    by === 'none' ? 'none' : 'band',
    by !== 'none' && random.chance(0.3),
  );
  const head = makeHead(context, how, order);
  const look = createLook(context, { characters: 0.08 });
  const gap = look.characters ? 0 : random.pick([0, 0, 0, 3, 8, 20]);
  const closing = random.weighted([
    ['last', 4],
    ['absent', 4],
    ['row', 2],
    ['line', 1],
  ]);
  if (closing === 'last') rows.push(...totalRows(context, how, order, rooms));
  const size = Math.ceil(rows.length / parts);
  const across = random.chance(0.12);
  const withHead = !random.chance(0.06);
  const withNumbers = withHead && random.chance(0.15);
  const numbers = numbersRow(random, order.length);
  const grids = Array.from({ length: parts }, (_one, part) => {
    const some = across
      ? rows.filter((_row, index) => index % parts === part)
      : rows.slice(part * size, (part + 1) * size);
    while (some.length < size) some.push({ kind: 'body', cells: order.map(() => blank()) });
    return [...(withHead ? head : []), ...(withNumbers ? [numbers] : []), ...some];
  });
  const one = columnsFor(context, order, how).map(({ align }) => ({ align }));
  const columns = Array.from({ length: parts }, (_one, part) => (gap && part > 0 ? [{}, ...one] : one)).flat();
  const grid = joinGrids(grids, gap);
  if (closing === 'row')
    grid.push({ kind: 'total', cells: [cell(totalLine(context, how, rooms), { span: columns.length, quiet: true })] });
  const table = renderGrid(
    context,
    grid,
    { ...look, full: look.full || parts > 2, scale: Math.min(look.scale, 0.9) },
    columns,
  );
  return titleOf(context, 'titles', 0.3) + table + (closing === 'line' ? box('', totalLine(context, how, rooms)) : '');
}

/** Rooms as columns. */
function transposed(context) {
  const { random } = context;
  const { how, rooms } = begin(context);
  const keys = how.order.filter((key) => COLUMN[key] || ['floor', 'letter', 'usage'].includes(key));
  how.joined = '';
  how.heightWay = 'each';
  if (!keys.includes('no') && !keys.includes('name')) keys.unshift('name');
  const most = Math.max(2, Math.floor(widthInCharacters(context) / 12) - 1);
  const some = rooms.slice(0, most);
  const head = { kind: 'head', cells: keys.map((key) => cell(headOf(context, how, key, false), { align: 'left' })) };
  const rows = some.map((room, index) => {
    const row = newGroup();
    return { kind: 'body', cells: keys.map((key) => cell(content(context, how, key, room, row, index, { mark: '' }))) };
  });
  if (random.chance(0.4)) {
    const title = totalWording(context, 'totals');
    const first = keys.findIndex((key) => !TOTAL[key]);
    const cells = keys.map((key, at) =>
      TOTAL[key]
        ? cell(value(TOTAL[key], escapeText(how.format(roundTo(sumOf(some, key), 2)))))
        : at === first
          ? cell(escapeText(title))
          : blank(),
    );
    rows.push({ kind: 'total', cells });
  }
  const look = createLook(context, { characters: 0.08 });
  const align = random.pick(['center', 'left', 'right']);
  return (
    titleOf(context, 'titles', 0.3) +
    renderGrid(context, transposeGrid([head, ...rows]), { ...look, scale: Math.min(0.9, look.scale) }, [
      { align: 'left' },
      ...some.map(() => ({ align })),
    ])
  );
}

/** A list of rooms, one per line, often with leaders. */
function lines(context) {
  const { random, style } = context;
  const { how, sections, rooms } = begin(context);
  const some = wordsOf(context);
  const leader = random.weighted([
    ['dotted', 4],
    ['dots', 3],
    ['spaces', 2],
    ['dash', 3],
    ['colon', 2],
    ['line', 1],
    ['words', 3],
  ]);
  const withNumber = random.weighted([
    ['before', 6],
    ['none', 2],
    ['after', 1],
  ]);
  const mark = random.pick(['.', '.', '', ')', ' –']);
  const unit = random.chance(0.55) ? random.pick(some.units) : '';
  const withHeight = random.chance(0.2);
  const heightWord = random.pick(some.heightWord);
  const areaWord = random.pick(some.areaWord);
  const bullet = random.chance(0.15) ? random.pick(['• ', '– ', '- ']) : '';
  const comma = random.pick(['', '', ';', ',']);
  const ends = Math.min(random.integer(30, 70), Math.floor(widthInCharacters(context) * 0.75));
  const dot = random.pick(['.', '.', '_', '…', '. ']);
  const print = (room) => {
    const row = newGroup();
    const name = value(COLUMN.name, roomName(context, { ...how, breakName: false }, room.name), row);
    const no = room.no === '' || random.chance(how.noNumber) ? '' : room.no;
    const before =
      withNumber === 'before' && no
        ? `${value(COLUMN.no, `${escapeText(no)}${mark.startsWith(' ') ? '' : mark}`, row)}${mark.startsWith(' ') ? mark : ''} `
        : '';
    const after =
      withNumber === 'after' && no ? ` ${random.pick(['№ ', ''])}${value(COLUMN.no, escapeText(no), row)}` : '';
    const left = `${bullet}${before}${name}${after}`;
    const glued = unit !== '' && how.unit !== '' && !how.unit.startsWith(' ');
    let right =
      value(COLUMN.area, `${escapeText(how.format(room.area))}${glued ? unit : ''}`, row) +
      (unit && !glued ? ` ${unit}` : '');
    if (withHeight && room.height != null)
      right += `, ${label(COLUMN.height, heightWord)} ${value(COLUMN.height, escapeText(how.format(room.height, 2)), row)} м`;
    right = `<span style="${style.valueStyle}">${right}</span>`;
    if (leader === 'dotted' || leader === 'line')
      return `<div style="display:flex;align-items:baseline"><span>${left}</span><span style="flex:1;border-bottom:1px ${leader === 'line' ? 'solid' : 'dotted'};margin:0 3px"></span><span>${right}</span></div>`;
    if (leader === 'spaces')
      return `<div style="display:flex;justify-content:space-between"><span>${left}</span><span>${right}</span></div>`;
    const long = Math.max(3, ends - plainText(left).length);
    if (leader === 'dots')
      return `<div>${left} ${dot.repeat(dot === '. ' ? Math.ceil(long / 2) : long)} ${right}${comma}</div>`;
    if (leader === 'words')
      return `<div>${left}${random.pick(['', ','])} ${label(COLUMN.area, escapeText(areaWord))} ${right}${comma}</div>`;
    return `<div>${left}${leader === 'dash' ? ` ${random.pick(['–', '-', '—'])} ` : ': '}${right}${comma}</div>`;
  };
  const list = sections.map(
    (section) =>
      (section.title && random.chance(0.8)
        ? box(random.pick(['', 'font-weight:bold', 'text-align:center']), escapeText(section.title))
        : '') + section.rooms.map(print).join(''),
  );
  const closing = random.chance(0.5)
    ? box(random.pick(['', '', 'text-align:right', 'font-weight:bold']), totalLine(context, how, rooms))
    : '';
  const css = `${random.chance(0.3) ? `width:${random.integer(40, 85)}%;` : ''}${rooms.length > 6 && random.chance(0.25) ? 'column-count:2;column-gap:16px;' : ''}`;
  return titleOf(context, 'titles', 0.4) + box(css, list.join('') + closing);
}

/** Rooms in running prose. */
function prose(context) {
  const { random } = context;
  const { how, sections, rooms } = begin(context);
  const some = wordsOf(context);
  const unit = random.pick(some.units);
  const each = random.chance(0.85);
  const way = random.weighted([
    ['name – area', 4],
    ['room no – area', 2],
    ['name no – area', 2],
    ['name area (no)', 1.5],
    ['name word area', 3],
    ['no name area', 2],
  ]);
  const dash = random.pick([' – ', ' - ', ' — ', ': ', ' ', '-', ', ']);
  const areaWord = random.pick(some.areaWord);
  const roomWord = random.pick(some.room);
  const onPlan = random.pick(some.onPlan);
  const separator = random.pick([', ', ', ', '; ', '; ', '. ', ' + ', ' / ']);
  const lower = how.nameCase === 'same' && random.chance(0.7);
  const print = (room) => {
    const row = newGroup();
    const name = value(COLUMN.name, escapeText(lower ? room.name.toLowerCase() : room.name), row);
    const no = (before = '', after = '') =>
      room.no === '' ? '' : value(COLUMN.no, `${before}${escapeText(room.no)}${after}`, row);
    const area = value(COLUMN.area, escapeText(how.format(room.area)), row) + (each ? ` ${unit}` : '');
    const space = dash === '-' ? ' – ' : dash;
    switch (way) {
      case 'room no – area':
        return `${room.no === '' ? name : `${escapeText(roomWord)} ${no()}`}${space}${area}`;
      case 'name no – area':
        return `${name} ${random.pick(['', '№ '])}${no()}${space}${area}`;
      case 'name area (no)':
        return `${name} ${area} (№ ${no()} ${onPlan})`;
      case 'name word area':
        return `${name} ${label(COLUMN.area, escapeText(areaWord))} ${area}`;
      case 'no name area':
        return `${no('', random.pick(['', '.', ')']))} ${name}${space}${area}`;
      default:
        return `${name}${space}${area}`;
    }
  };
  const parts = sections.map(
    (section) => (section.title ? `${escapeText(section.title)}: ` : '') + section.rooms.map(print).join(separator),
  );
  const start = escapeText(random.pick(some.beginnings));
  const end = random.chance(0.4) ? ` ${totalLine(context, how, rooms)}.` : '';
  const css = `text-align:${random.pick(['left', 'justify', 'justify'])};${random.chance(0.4) ? `text-indent:${random.integer(10, 40)}px;` : ''}`;
  return box(css, `${start} ${parts.join(random.pick(['. ', '; ', '<br>']))}.${end}`);
}

/** A card per room, several side by side: its number in a corner, below it the name and the measures. */
function cards(context) {
  const { random, style } = context;
  const { how, sections, rooms } = begin(context);
  const some = wordsOf(context);
  const perLine = random.integer(2, Math.max(2, Math.min(5, Math.floor(widthInCharacters(context) / 16))));
  const unit = random.chance(0.4) ? ` ${random.pick(some.units)}` : '';
  const withArea = random.chance(0.3) ? random.pick(some.areaWord) : '';
  const heightWord = random.pick([random.pick(some.heightWord), random.pick(some.heightWord), 'h', 'h =', 'H', 'H=']);
  const heightAt = random.pick(['none', 'none', 'corner', 'corner', 'line', 'beside']);
  const corner = random.pick(['start', 'start', 'before', 'end']);
  const mark = random.pick(['', '', '', '.', '№']);
  const look = `${random.chance(0.6) ? `border:${style.border};` : ''}padding:${random.pick(['1px 3px', '3px 6px', '5px 9px'])};text-align:${random.pick(['left', 'left', 'center'])};`;
  const small = `font-size:${random.pick([0.7, 0.8, 0.9, 1])}em;line-height:1.15`;
  const areaFirst = random.chance(0.12);
  const print = (room) => {
    const row = newGroup();
    const no = room.no === '' ? '' : value(COLUMN.no, escapeText(room.no), row);
    const number = no && (mark === '№' ? `№ ${no}` : `${no}${mark}`);
    const name = value(COLUMN.name, escapeText(room.name), row);
    const area = `${withArea && `${label(COLUMN.area, escapeText(withArea))} `}<span style="${style.valueStyle}">${value(COLUMN.area, escapeText(how.format(room.area)), row)}</span>${unit}`;
    const height =
      heightAt === 'none' || room.height == null
        ? ''
        : `${label(COLUMN.height, escapeText(heightWord))} ${value(COLUMN.height, escapeText(how.format(room.height, 2)), row)}`;
    const head = [corner === 'start' && number, heightAt === 'corner' && height, corner === 'end' && number];
    const lines = [
      head.some(Boolean) &&
        box(
          `display:flex;justify-content:space-between;${small}`,
          head.map((one) => `<span>${one || ''}</span>`).join(''),
        ),
      box('', corner === 'before' && number ? `${number} ${name}` : name),
      box('', heightAt === 'beside' && height ? `${area}, ${height}` : area),
      heightAt === 'line' && height && box(small, height),
    ];
    if (areaFirst) lines.splice(1, 2, lines[2], lines[1]);
    return `<div style="flex:1;min-width:0;${look}">${lines.filter(Boolean).join('')}</div>`;
  };
  const empty = '<div style="flex:1"></div>';
  const gap = random.pick([0, 3, 8, 14]);
  const grids = sections.map((section) => {
    const all = section.rooms.map(print);
    const rows = [];
    for (let i = 0; i < all.length; i += perLine) {
      const line = all.slice(i, i + perLine);
      while (line.length < perLine) line.push(empty);
      rows.push(box(`display:flex;gap:${gap}px;margin-bottom:${gap}px`, line.join('')));
    }
    return (section.title ? box('', escapeText(section.title)) : '') + rows.join('');
  });
  const closing = random.chance(0.3) ? box('', totalLine(context, how, rooms)) : '';
  return titleOf(context, 'titles', 0.5) + grids.join('') + closing;
}

export const blocks = [
  { name: 'room table', kind: 'rooms', weight: 12, make: roomTable },
  { name: 'room table side by side', kind: 'rooms', weight: 3, make: sideBySide },
  { name: 'room table transposed', kind: 'rooms', weight: 1, make: transposed },
  { name: 'room lines', kind: 'rooms', weight: 1.6, make: lines },
  { name: 'rooms in prose', kind: 'rooms', weight: 1, make: prose },
  { name: 'room cards', kind: 'rooms', weight: 1.2, make: cards },
];
