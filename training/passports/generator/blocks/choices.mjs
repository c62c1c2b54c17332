// Layouts of choices: options with boxes, ticks or emphasis. The option that is chosen is the value of the field.
import { box, escapeText, newGroup, value } from '../markup.mjs';

const strong = (context, html) => `<span style="${context.style.valueStyle}">${html}</span>`;
const quiet = (context, html) => `<span style="${context.style.labelStyle}">${html}</span>`;
const table = (rows, style = 'width:100%') =>
  `<table style="border-collapse:collapse;${style}">${rows.join('')}</table>`;
const tr = (cells) => `<tr>${cells.join('')}</tr>`;
const td = (style, html, attributes = '') => `<td ${attributes} style="${style}">${html}</td>`;
const MATERIALS = [
  'construction:foundation',
  'construction:wall_material',
  'construction:partitions',
  'construction:floors_material',
  'construction:roof',
];

/** Options of fields as forms print them, in their order. */
const OPTIONS = {
  ru: {
    'general:purpose': [
      ['жилое', 'нежилое', 'смешанное', 'хозяйственное', 'иное'],
      ['жилой дом', 'квартира', 'комната', 'часть дома', 'общежитие', 'садовый дом'],
      ['жилое', 'общественное', 'производственное', 'складское', 'торговое', 'гаражное'],
      ['индивидуальный', 'многоквартирный', 'блокированный', 'общежитие', 'дача'],
      ['постоянное проживание', 'сезонное проживание', 'временное проживание', 'ведение бизнеса'],
      ['отдельная квартира', 'коммунальная квартира', 'апартаменты', 'служебное жилое помещение', 'студия'],
      ['дом', 'дача', 'баня', 'гараж', 'сарай', 'магазин', 'контора', 'мастерская'],
      ['жилой фонд', 'нежилой фонд', 'маневренный фонд', 'специализированный фонд'],
    ],
    'construction:foundation': [
      ['ленточный', 'столбчатый', 'свайный', 'плитный', 'нет'],
      ['ленточный, монолитный', 'ленточный, сборный из блоков', 'свайный, с ростверком', 'столбчатый, кирпичный'],
      ['бетонный', 'железобетонный', 'бутовый', 'бутобетонный', 'кирпичный', 'деревянные стулья'],
      ['монолитный', 'сборный', 'свайный с ростверком', 'винтовые сваи'],
      ['бутовый ленточный', 'бетонный ленточный', 'кирпичные столбы', 'каменные столбы'],
      ['ж/б блоки', 'ж/б сваи', 'бут', 'бетон', 'кирпич', 'дерево'],
    ],
    'construction:wall_material': [
      ['кирпичные', 'панельные', 'блочные', 'монолитные', 'деревянные'],
      [
        'кирпич, обыкновенный',
        'кирпич, облегчённая кладка',
        'дерево, рубленые',
        'дерево, каркасные',
        'железобетонные, панельные',
      ],
      [
        'деревянные, рубленые из брёвен',
        'каменные, из природного камня',
        'смешанные (кирпич, дерево)',
        'сборные, щитовые',
      ],
      ['кирпич', 'дерево', 'бетон', 'камень', 'шлакоблок', 'саман', 'прочие'],
      ['бревенчатые', 'брусчатые', 'каркасно-засыпные', 'щитовые', 'саманные', 'глинобитные'],
      ['каменные', 'деревянные', 'смешанные', 'монолитный железобетон'],
      ['кирпичные', 'крупнопанельные', 'крупноблочные', 'газобетонные', 'ракушечник', 'рубленые'],
      ['сборно-щитовые', 'шлакобетонные', 'пеноблок', 'туф', 'известняк', 'из сэндвич-панелей'],
    ],
    'construction:partitions': [
      ['кирпичные', 'гипсовые', 'деревянные', 'гипсобетонные', 'нет'],
      ['дощатые', 'гипсокартон', 'пазогребневые плиты', 'фанерные', 'стеклоблоки'],
      ['тёсовые', 'оштукатуренные', 'чистые', 'шлакоблочные', 'ДВП'],
      ['кирпич', 'гипсолит', 'дерево', 'железобетон', 'пеноблок'],
    ],
    'construction:floors_material': [
      ['железобетонные', 'деревянные', 'смешанные', 'металлические'],
      [
        'сборные, железобетонные плиты',
        'деревянные, по балкам',
        'монолитные, безбалочные',
        'кирпичные своды, по стальным балкам',
      ],
      ['ж/б плиты', 'по деревянным балкам', 'по металлическим балкам', 'монолитные', 'сводчатые'],
      ['деревянные отепленные', 'деревянные неотепленные', 'железобетонные сборные', 'железобетонные монолитные'],
      ['дощатые', 'тёсовые', 'бетонные', 'кирпичные своды'],
    ],
    'construction:roof': [
      ['шифер', 'железо', 'рубероид', 'черепица', 'толь', 'дранка'],
      [
        'асбестоцементные листы, по обрешётке',
        'сталь, оцинкованная',
        'мягкая, рулонная',
        'металлочерепица, по стропилам',
      ],
      ['скатная, стальная', 'плоская, из рулонных материалов', 'мансардная, черепичная'],
      ['плоская', 'скатная', 'совмещенная', 'мансардная'],
      ['асбестоцементная', 'металлическая', 'рулонная', 'черепичная', 'мягкая'],
      ['профнастил', 'металлочерепица', 'ондулин', 'битумная черепица', 'оцинкованная сталь', 'тёс', 'камыш'],
      ['односкатная', 'двускатная', 'четырехскатная', 'вальмовая'],
    ],
    'general:floors': [
      ['1', '2', '3', '4', '5', '9'],
      ['1', '2', '3'],
      ['1', '2', '3', '4 и более'],
      ['1 этаж', '2 этажа', '3 этажа', 'более 3 этажей'],
      ['один', 'два', 'три', 'более трех'],
      ['одноэтажный', 'двухэтажный', 'трехэтажный', 'пятиэтажный'],
    ],
    'general:floor': [
      ['1', '2', '3', '4', '5', '6'],
      ['первый', 'второй', 'третий', 'мансарда', 'подвал', 'цоколь'],
    ],
  },
  en: {
    'general:purpose': [
      ['Residential', 'Commercial', 'Mixed use', 'Industrial', 'Agricultural'],
      ['House', 'Bungalow', 'Flat', 'Maisonette', 'Studio'],
      ['Detached', 'Semi-detached', 'Terraced', 'End terrace', 'Purpose-built flat', 'Converted flat'],
      ['Single family', 'Two-family', 'Multi-family', 'Condo', 'Townhouse', 'Mobile home'],
      ['Dwelling', 'Office', 'Shop', 'Store', 'Workshop', 'Garage'],
      ['Owner occupied', 'Tenant occupied', 'Second home', 'Holiday let', 'Vacant'],
      ['Permanent residence', 'Seasonal use', 'Dormitory', 'Hotel', 'Public building'],
      ['One-unit', 'Two-unit', 'Three-unit', 'PUD', 'Co-operative', 'Other'],
    ],
    'construction:foundation': [
      ['Strip', 'Pad', 'Raft', 'Piled', 'Not known'],
      ['Concrete, strip footing', 'Concrete, slab on grade', 'Brick, stepped footing', 'Piles, driven timber'],
      ['Slab', 'Crawl space', 'Full basement', 'Partial basement', 'Piers'],
      ['Concrete', 'Concrete block', 'Brick', 'Stone', 'Treated wood', 'Rubble'],
      ['Poured concrete', 'Cinder block', 'Stone', 'Brick', 'Wood posts', 'None'],
    ],
    'construction:wall_material': [
      ['Brick', 'Stone', 'Timber', 'Concrete', 'Steel frame', 'Other'],
      [
        'Solid brick, rendered',
        'Cavity brick, unfilled',
        'Cavity brick, filled',
        'Timber frame, brick clad',
        'Stone, coursed rubble',
      ],
      ['Cavity brick', 'Solid brick', 'Timber frame', 'System built', 'Cob'],
      ['Frame', 'Masonry', 'Log', 'Adobe', 'Vinyl siding', 'Stucco', 'Brick veneer'],
      ['Solid masonry', 'Cavity masonry', 'Cross-wall', 'Prefabricated panels'],
      ['Wood siding', 'Aluminum', 'Asbestos shingle', 'Concrete block', 'Fiber cement'],
    ],
    'construction:partitions': [
      ['Brick', 'Block', 'Stud', 'Plasterboard', 'None'],
      ['Drywall', 'Plaster on lath', 'Panelling', 'Masonry', 'Glass'],
      ['Timber stud', 'Metal stud', 'Blockwork', 'Solid brick', 'Hardboard'],
    ],
    'construction:floors_material': [
      ['Timber', 'Concrete', 'Steel', 'Mixed'],
      ['Suspended timber', 'Solid concrete', 'Beam and block', 'Hollow pot', 'Chipboard on joists'],
      ['Wood joist', 'Concrete slab', 'Steel deck', 'Truss', 'Precast planks'],
    ],
    'construction:roof': [
      ['Slate', 'Tile', 'Felt', 'Lead', 'Thatch', 'Metal'],
      ['Pitched, slate covered', 'Pitched, plain tiles', 'Flat, felt covered', 'Flat, single-ply membrane'],
      ['Pitched', 'Flat', 'Mansard', 'Hipped', 'Gable', 'Gambrel', 'Shed'],
      ['Asphalt shingle', 'Wood shake', 'Clay tile', 'Built-up', 'Metal', 'Membrane'],
      ['Natural slate', 'Artificial slate', 'Concrete tile', 'Plain clay tile', 'Corrugated sheet'],
    ],
    'general:floors': [
      ['1', '2', '3', '4', '5+'],
      ['1', '2', '3'],
      ['1 storey', '2 storeys', '3 storeys', '4 or more'],
      ['One', 'Two', 'Three', 'More than three'],
      ['1', '1½', '2', '2½', '3'],
      ['Single storey', 'Two storey', 'Three storey'],
    ],
    'general:floor': [
      ['Ground', 'First', 'Second', 'Third', 'Top'],
      ['1', '2', '3', '4', '5'],
      ['Basement', 'Lower ground', 'Ground', '1st', '2nd', '3rd'],
    ],
  },
};

/** Options that are never a value of the field. */
const NO_MATERIAL = /^(other|none|not known|vacant|нет|иное|прочие)$/i;

/** Questions that are no field. */
const QUESTIONS = {
  ru: [
    ['Отопление', ['центральное', 'АГВ', 'печное', 'электрическое', 'нет']],
    ['Водоснабжение', ['централизованное', 'скважина', 'колодец', 'отсутствует']],
    ['Канализация', ['центральная', 'местная', 'выгребная яма', 'нет']],
    ['Газоснабжение', ['магистральный газ', 'сжиженный газ', 'нет']],
    ['Горячая вода', ['централизованная', 'колонка', 'бойлер', 'нет']],
    ['Санузел', ['раздельный', 'совмещенный', 'два и более', 'нет']],
    ['Полы', ['дощатые', 'паркет', 'линолеум', 'плитка', 'бетонные']],
    ['Оконные проемы', ['двойные створные', 'пластиковые', 'одинарные', 'глухие']],
    ['Дверные проемы', ['филенчатые', 'щитовые', 'металлические', 'остекленные']],
    ['Форма собственности', ['частная', 'государственная', 'муниципальная', 'долевая', 'совместная']],
    ['Вид собственности', ['индивидуальная', 'общая долевая', 'общая совместная']],
    ['Техническое состояние', ['хорошее', 'удовлетворительное', 'неудовлетворительное', 'ветхое', 'аварийное']],
    ['Цель обследования', ['первичная инвентаризация', 'текущие изменения', 'по заявке', 'сделка']],
    ['Вид работ', ['обмер', 'выдача справки', 'внеплановое обследование', 'изготовление копии']],
    ['Перепланировка', ['да', 'нет']],
    ['Балкон', ['балкон', 'лоджия', 'веранда', 'терраса', 'нет']],
    ['Ограждение участка', ['кирпичное', 'деревянное', 'металлическая сетка', 'отсутствует']],
    ['Стены служебных построек', ['кирпичные', 'дощатые', 'бревенчатые', 'сборно-щитовые']],
    ['Внутренняя отделка', ['простая', 'улучшенная', 'повышенная', 'без отделки']],
    ['Лифт', ['пассажирский', 'грузовой', 'нет']],
    ['Мусоропровод', ['есть', 'нет']],
    ['Наличие подвала', ['имеется', 'не имеется', 'частично']],
    ['Документ предъявлен', ['паспорт', 'доверенность', 'свидетельство', 'договор']],
    ['Электроснабжение', ['скрытая проводка', 'открытая проводка', 'нет']],
    ['Материал лестниц', ['железобетон', 'дерево', 'металл']],
    ['Обременения', ['ипотека', 'арест', 'аренда', 'не зарегистрированы']],
  ],
  en: [
    ['Heating', ['Gas', 'Oil', 'Electric', 'Solid fuel', 'None']],
    ['Water supply', ['Mains', 'Private', 'Well', 'Unknown']],
    ['Drainage', ['Mains', 'Septic tank', 'Cesspit', 'None']],
    ['Windows', ['Single glazed', 'Double glazed', 'Mixed', 'Sash', 'Casement']],
    ['Tenure', ['Freehold', 'Leasehold', 'Commonhold', 'Feuhold']],
    ['General condition', ['Good', 'Average', 'Fair', 'Poor']],
    ['Occupancy', ['Occupied', 'Vacant', 'Part let']],
    ['Reason for survey', ['Sale', 'Mortgage', 'Insurance', 'Taxation', 'Inheritance']],
    ['Floor covering', ['Carpet', 'Timber', 'Vinyl', 'Ceramic tile', 'Marble']],
    ['Garage', ['Attached', 'Detached', 'Carport', 'Built-in', 'None']],
    ['Garage walls', ['Brick', 'Block', 'Timber', 'Steel']],
    ['Fence', ['Timber', 'Brick', 'Wire', 'Hedge', 'None']],
    ['Electricity', ['Yes', 'No']],
    ['Gas connected', ['Yes', 'No', 'N/A']],
    ['Structural movement', ['None', 'Slight', 'Long-standing', 'Progressive']],
    ['Dampness', ['Yes', 'No', 'Not inspected']],
    ['Zoning compliance', ['Legal', 'Legal nonconforming', 'Illegal', 'No zoning']],
    ['Road', ['Adopted', 'Unadopted', 'Private', 'Public']],
    ['Parking', ['Allocated', 'On street', 'Underground', 'None']],
    ['Lift', ['Yes', 'No']],
    ['Basis of value', ['Market value', 'Reinstatement cost', 'Rental value']],
    ['Attic', ['None', 'Floor', 'Stairs', 'Finished', 'Heated']],
    ['Gutters', ['PVC', 'Cast iron', 'Aluminium', 'Lead']],
    ['Evidence of infestation', ['Yes', 'No']],
    ['Ownership form', ['Private', 'State', 'Municipal', 'Joint']],
    ['Chimney', ['Brick', 'Stone', 'Flue only', 'Removed']],
  ],
};

const WORDS = {
  ru: {
    other: ['иное', 'прочее', 'другое', 'другие', 'иной материал'],
    yes: ['да', 'Да', 'есть', 'ДА'],
    no: ['нет', 'Нет', 'НЕТ'],
    material: ['Материал', 'Наименование', 'Вид', 'Тип', 'Вариант'],
    element: ['Конструктивный элемент', 'Элемент', 'Наименование', 'Показатель', 'Характеристика'],
    underlined: ['нужное подчеркнуть', 'нужное подчеркнуть', 'необходимое подчеркнуть', 'подчеркнуть нужное'],
    struck: ['ненужное зачеркнуть', 'ненужное вычеркнуть', 'лишнее зачеркнуть'],
    circled: ['нужное обвести', 'обвести кружком', 'нужное выделить'],
    ticked: ['нужное отметить', 'отметить знаком V', 'нужное отметить знаком «Х»', 'отметить', 'поставить галочку'],
  },
  en: {
    other: ['other', 'Other', 'other (specify)', 'Other:'],
    yes: ['Yes', 'Y', 'YES', 'yes'],
    no: ['No', 'N', 'NO', 'no'],
    material: ['Type', 'Material', 'Option', 'Item', 'Kind'],
    element: ['Element', 'Building element', 'Component', 'Item', 'Feature'],
    underlined: ['underline as appropriate', 'underline'],
    struck: ['delete as appropriate', 'delete as applicable', 'strike out where not applicable'],
    circled: ['circle one', 'circle as appropriate', 'ring as applicable'],
    ticked: ['tick one', 'tick as appropriate', 'check one', 'tick all that apply', 'mark with an X', 'please tick'],
  },
};

/** Marks of options that are not chosen and of those that are. */
const SYMBOLS = [
  [['☐', '☒'], 6],
  [['☐', '☑'], 5],
  [['□', '■'], 3],
  [['□', '☑'], 2],
  [['[ ]', '[x]'], 4],
  [['[ ]', '[X]'], 3],
  [['[ ]', '[V]'], 1],
  [['[]', '[*]'], 0.5],
  [['( )', '(x)'], 3],
  [['( )', '(X)'], 1],
  [['( )', '(•)'], 1],
  [['○', '●'], 4],
  [['◯', '◉'], 1],
  [['☐', '✓'], 3],
  [['☐', '✔'], 2],
  [['☐', '✗'], 1],
  [['□', 'X'], 1],
  [['', '✓'], 2],
  [['', '✔'], 2],
  [['', 'V'], 2],
  [['', 'X'], 2],
  [['___', '_X_'], 2],
  [['__', '_V_'], 1],
  [['_', 'X_'], 1.5],
  [['__', 'X_'], 1],
  [['☐', '■'], 1],
  [['□', '☒'], 1.5],
  [['□', '✗'], 0.7],
  [['( )', '(✓)'], 0.5],
  [['[ ]', '[✓]'], 1],
  [['_', 'x'], 1],
  [['-', '+'], 1],
  [['', '→'], 0.5],
  [['', '*'], 0.5],
  [['◻', '◼'], 1],
];
const SEPARATORS = [' &nbsp; ', ' &nbsp; ', ' &nbsp;&nbsp;&nbsp; ', '; ', ', ', ' / ', ' | ', ' '];

/** Marks alone: `tick(isChosen)` → html. */
function createTick(context) {
  const { random, style, language } = context;
  const colour = random.chance(0.15) ? `color:${random.pick(['#1a2f8a', '#0b3fb0', '#a01020'])};` : '';
  const inColour = (html) => (colour && html ? `<span style="${colour}">${html}</span>` : html);
  if (random.chance(0.3)) {
    const sign = random.pick(['X', 'x', '✓', '✓', '✔', 'V', 'v', '+', '✗', language === 'ru' ? 'Х' : 'X']);
    const size = random.pick([10, 11, 12, 13, 16]);
    const drawn = `display:inline-block;width:${size}px;height:${size}px;line-height:${size}px;text-align:center;vertical-align:middle;font-size:${Math.round(size * 0.8)}px;border:${style.border}`;
    return (isChosen) => `<span style="${drawn}">${isChosen ? inColour(sign) : ''}</span>`;
  }
  const [off, on] = random.weighted(SYMBOLS);
  return (isChosen) => `<span style="white-space:nowrap">${isChosen ? inColour(on) : off}</span>`;
}

/** How a block shows the chosen option: `{ kind, show(option) → html }`. */
function createMark(
  context,
  kinds = [...Array(9).fill('ticked'), ...Array(4).fill('underlined'), ...Array(2).fill('struck'), 'circled', 'bold'],
) {
  const { random, style } = context;
  const kind = random.pick(kinds);
  if (kind === 'ticked') {
    const tick = createTick(context);
    const after = random.chance(0.22);
    const space = random.pick(['&nbsp;', '&nbsp;', '&nbsp;&nbsp;', ' ']);
    return {
      kind,
      show: ({ html, isChosen }) => (after ? [html, tick(isChosen)] : [tick(isChosen), html]).join(space),
    };
  }
  const shapes = {
    underlined: [(html) => `<u>${html}</u>`, (html) => `<span style="border-bottom:2px solid #000">${html}</span>`],
    circled: [
      (html) => `<span style="border:${style.border};border-radius:50%;padding:1px 6px">${html}</span>`,
      (html) => `<span style="border:1.5px solid #1a2f8a;border-radius:12px;padding:0 5px">${html}</span>`,
      (html) => `<span style="border:${style.border};padding:0 4px">${html}</span>`,
    ],
    bold: [
      (html) => `<b>${html}</b>`,
      (html) => `<b><u>${html}</u></b>`,
      (html) => `<span style="background:#ccc;padding:0 3px">${html}</span>`,
      (html) => `<span style="background:#222;color:#fff;padding:0 3px">${html}</span>`,
      (html) => `<b><i>${html}</i></b>`,
    ],
    struck: [
      (html) =>
        `<span style="position:relative;display:inline-block">${html}<span style="position:absolute;left:-2px;right:-2px;top:52%;height:0;border-top:1px solid #000"></span></span>`,
      (html) => `<s>${html}</s>`,
    ],
  };
  // The reader sees straight rules, but neither fonts nor round borders nor struck text.
  const seen = { circled: 2, struck: 0 }[kind];
  const shape = seen !== undefined && random.chance(0.6) ? shapes[kind][seen] : random.pick(shapes[kind]);
  if (kind !== 'struck') return { kind, show: ({ html, isChosen }) => (isChosen ? shape(html) : html) };
  // Without a choice nothing is struck out.
  return {
    kind,
    show: ({ html, isChosen }, options) => (isChosen || !options.some((one) => one.isChosen) ? html : shape(html)),
  };
}

/** "(tick as appropriate)" or nothing. */
function hint(context, mark, chance = 0.25) {
  const { random, language } = context;
  if (!random.chance(chance)) return '';
  const words = WORDS[language][mark.kind] ?? WORDS[language].ticked;
  const text = random.pick(words);
  return ` <span style="font-size:${random.pick([0.7, 0.8, 1])}em">${random.chance(0.85) ? `(${text})` : text}</span>`;
}

/** The options of an item, in the order of the form: `[{ html, plain, isChosen }]`. */
function optionsOf(context, item, most = 7) {
  const { random, language } = context;
  const list = item.options ?? random.pick(OPTIONS[language][item.field]);
  const isMaterial = MATERIALS.includes(item.field);
  const isEmpty = item.isEmpty || random.chance(0.04);
  const isOwn = !isEmpty && item.plain && item.plain.length <= 48 && random.chance(0.5);
  const chosen = isOwn ? item.plain : random.pick(item.field ? list.filter((text) => !NO_MATERIAL.test(text)) : list);
  const seen = new Set([chosen.toLowerCase()]);
  const count = random.integer(1, most - 1);
  const materials = isMaterial && (isOwn ? random.chance(0.6) : random.chance(0.15));
  const pool = materials
    ? Array.from({ length: count }, () => context.material(random.chance(0.8) ? item.field : undefined)).filter(
        (text) => text && text.length <= 48,
      )
    : list;
  let texts = pool.filter((text) => !seen.has(text.toLowerCase()) && seen.add(text.toLowerCase()));
  if (texts.length === 0) texts = list.filter((text) => text.toLowerCase() !== chosen.toLowerCase());
  const kept = new Set(random.sample(texts, count));
  texts = texts.filter((text) => kept.has(text));
  // A form prints its options in its own order.
  if (list.includes(chosen) && !materials) texts = list.filter((text) => text === chosen || kept.has(text));
  else texts.splice(random.integer(0, texts.length), 0, chosen);
  const second =
    !isEmpty && !item.isSingle && isMaterial && texts.length > 2 && random.chance(0.1) ? random.pick(texts) : undefined;
  const spelling = random.weighted([
    ['as is', 5],
    ['lower', 3],
    ['capital', 3],
    ['upper', 0.5],
  ]);
  const spell = (text) => {
    if (spelling === 'upper') return text.toUpperCase();
    if (spelling === 'lower') return /^\p{L}\p{Ll}/u.test(text) ? text[0].toLowerCase() + text.slice(1) : text;
    return spelling === 'capital' ? text[0].toUpperCase() + text.slice(1) : text;
  };
  const group = newGroup();
  const options = texts.map((text) => {
    const plain = spell(text);
    const isChosen = !isEmpty && (text === chosen || text === second);
    return {
      plain,
      isChosen,
      html: isChosen && item.field ? value(item.field, escapeText(plain), group) : escapeText(plain),
    };
  });
  const blank = (html = '') =>
    `<span style="display:inline-block;min-width:${random.integer(30, 90)}px;border-bottom:${context.style.border}">${html || '&nbsp;'}</span>`;
  const other = random.pick(WORDS[language].other);
  if (isOwn && options.length > 2 && !item.isSingle && random.chance(0.12)) {
    // The chosen text is written behind "other".
    const at = options.findIndex(({ isChosen }) => isChosen);
    const [written] = options.splice(at, 1);
    options.push({ ...written, html: `${escapeText(other)} ${blank(strong(context, written.html))}` });
  } else if (random.chance(0.15)) {
    options.push({
      plain: other,
      isChosen: false,
      html: escapeText(other) + (random.chance(0.6) ? ` ${blank()}` : ''),
    });
  }
  return options;
}

/** A question that is no field. */
function createQuestion(context) {
  const [text, options] = context.random.pick(QUESTIONS[context.language]);
  const written = escapeText(context.random.chance(0.1) ? text.toUpperCase() : text);
  return {
    field: undefined,
    label: written,
    caption: written,
    value: '',
    plain: '',
    options,
    isEmpty: context.random.chance(0.08),
  };
}

/** Items with `choice` where they are choices; questions that are no field between them. */
function withChoices(context, items) {
  const { random, language } = context;
  const rare = { 'general:floors': 0.6, 'general:floor': 0.4 };
  const entries = items.map((item) => {
    if (!item.field) return random.chance(0.4) ? { ...createQuestion(context), choice: true } : item;
    if (!OPTIONS[language][item.field] || !random.chance(rare[item.field] ?? 0.93)) return item;
    return { ...item, isEmpty: item.plain === '', choice: true };
  });
  const count = entries.some(({ choice }) => choice)
    ? random.weighted([
        [0, 4],
        [1, 3],
        [2, 2],
        [4, 1],
      ])
    : random.integer(1, 4);
  for (let i = 0; i < count; i++) {
    entries.splice(random.integer(0, entries.length), 0, { ...createQuestion(context), choice: true });
  }
  return entries;
}

/** Label and value of an item that is no choice, on one line. */
function line(context, item) {
  const { style, random } = context;
  const shown = random.chance(0.4)
    ? `<span style="border-bottom:${style.border};padding:0 6px">${strong(context, item.value)}</span>`
    : strong(context, item.value);
  return box('margin:2px 0', `${quiet(context, item.label)}${style.colon} ${shown}`);
}

const padding = (context) => context.random.pick(['0 2px', '1px 4px', '3px 6px']);

/** Options one after another behind the label. */
function inRow(context, items) {
  const { random, style } = context;
  const mark = createMark(context);
  const separator =
    mark.kind === 'ticked' || mark.kind === 'circled'
      ? random.pick(SEPARATORS)
      : random.pick([', ', ', ', ' / ', '; ', ' ', ' &nbsp; ']);
  const keep = random.chance(0.6);
  const under = random.chance(0.2);
  return withChoices(context, items)
    .map((item) => {
      if (!item.choice) return line(context, item);
      const options = optionsOf(context, item);
      const shown = options.map((option) =>
        keep && option.plain.length < 30
          ? `<span style="white-space:nowrap">${mark.show(option, options)}</span>`
          : mark.show(option, options),
      );
      const lead = quiet(context, item.label) + style.colon;
      const last = hint(context, mark, 0.2);
      return box(
        'margin:2px 0',
        under ? `${lead}${last}<br>${shown.join(separator)}` : `${lead} ${shown.join(separator)}${last}`,
      );
    })
    .join('');
}

/** Options below one another, in one or more columns. */
function inColumn(context, items) {
  const { random, style } = context;
  const mark = createMark(context, ['ticked', 'ticked', 'ticked', 'ticked', 'underlined', 'circled', 'struck']);
  const columns = random.weighted([
    [1, 5],
    [2, 3],
    [3, 2],
    [4, 1],
  ]);
  const beside = random.chance(0.35);
  const indent = random.integer(0, 30);
  return withChoices(context, items)
    .map((item) => {
      if (!item.choice) return line(context, item);
      const options = optionsOf(context, item);
      const shown = options.map((option) => box('break-inside:avoid', mark.show(option, options))).join('');
      const list =
        columns === 1 ? shown : `<div style="display:grid;grid-template-columns:repeat(${columns},1fr)">${shown}</div>`;
      const lead = quiet(context, item.label) + style.colon + hint(context, mark, 0.15);
      if (beside)
        return box(
          'display:flex;gap:8px;margin:3px 0',
          `<div style="width:${random.integer(20, 40)}%">${lead}</div><div style="flex:1">${list}</div>`,
        );
      return box('margin:3px 0', `${lead}<div style="padding-left:${indent}px">${list}</div>`);
    })
    .join('');
}

/** Cards side by side, each with a label and its options. */
function cards(context, items) {
  const { random, style } = context;
  const mark = createMark(context, ['ticked', 'ticked', 'ticked', 'circled', 'underlined', 'bold']);
  const perRow = random.integer(2, 4);
  const ruled = random.chance(0.75);
  const filled = random.chance(0.3);
  const cells = withChoices(context, items).map((item) => {
    const head = box(
      `${filled ? 'background:#ddd;' : ''}${random.chance(0.5) ? 'font-weight:bold;' : ''}font-size:${random.pick([0.8, 0.9, 1])}em`,
      item.label + style.colon,
    );
    if (!item.choice) return head + strong(context, item.value);
    const options = optionsOf(context, item, 6);
    return head + options.map((option) => box('', mark.show(option, options))).join('');
  });
  const rows = [];
  for (let i = 0; i < cells.length; i += perRow) {
    const row = cells.slice(i, i + perRow);
    rows.push(
      tr(
        row.map((html) =>
          td(
            `${ruled ? `border:${style.border};` : ''}padding:${padding(context)};vertical-align:top;width:${100 / perRow}%`,
            html,
          ),
        ),
      ),
    );
  }
  return table(rows);
}

/** A table with one column per option and the tick under its head. */
function underHeads(context, items) {
  const { random, style } = context;
  const tick = createTick(context);
  const cell = `border:${style.border};padding:${padding(context)};text-align:center;`;
  const place = random.pick(['left', 'left', 'above', 'span']);
  const above = random.chance(0.12);
  const empty = random.chance(0.35);
  return withChoices(context, items)
    .map((item) => {
      if (!item.choice) return line(context, item);
      const options = optionsOf(context, item, 6);
      const heads = options.map(({ html }) => td(`${cell}width:${random.integer(8, 20)}%`, html));
      const ticks = options.map(({ isChosen }) => td(cell, isChosen || !empty ? tick(isChosen) : '&nbsp;'));
      const name = quiet(context, item.label);
      const rows = above ? [ticks, heads] : [heads, ticks];
      const lead = td(`${cell}text-align:left;width:${random.integer(18, 35)}%`, name, 'rowspan="2"');
      const width = random.chance(0.75) ? 'width:100%;' : '';
      const style = `${width}margin:3px 0;font-size:${random.pick([0.75, 0.85, 1])}em`;
      if (place === 'left') return table([tr([lead, ...rows[0]]), tr(rows[1])], style);
      if (place === 'span') return table([tr([td(cell, name, `colspan="${options.length}"`)]), ...rows.map(tr)], style);
      return box('margin-top:3px', name + context.style.colon) + table(rows.map(tr), style);
    })
    .join('');
}

/** One row per option with a tick, or with yes and no, in columns at its right or left. */
function rowPerOption(context, items) {
  const { random, style, language } = context;
  const tick = createTick(context);
  const ruled = random.chance(0.8) ? `border:${style.border};` : '';
  const cell = `${ruled}padding:${padding(context)};vertical-align:top;`;
  const words = WORDS[language];
  const kind = random.pick(['tick', 'tick', 'tick first', 'yes no', 'yes or no']);
  const [yes, no] = [random.pick(words.yes), random.pick(words.no)];
  const merged = random.chance(0.5);
  const empty = random.chance(0.4);
  const rows = withChoices(context, items).flatMap((item) => {
    if (!item.choice)
      return [tr([td(cell, quiet(context, item.label)), td(cell, strong(context, item.value), 'colspan="3"')])];
    const options = optionsOf(context, item, 6);
    return options.map(({ html, isChosen }, i) => {
      const name = merged
        ? i === 0
          ? [td(cell, quiet(context, item.label), `rowspan="${options.length}"`)]
          : []
        : [td(cell, i === 0 ? quiet(context, item.label) : '')];
      const small = `${cell}text-align:center;width:8%`;
      const one = (isTicked) => td(small, isTicked || !empty ? tick(isTicked) : '');
      const option = td(cell, html, kind === 'yes no' ? '' : 'colspan="2"');
      if (kind === 'tick') return tr([...name, option, one(isChosen)]);
      if (kind === 'tick first') return tr([...name, one(isChosen), option]);
      if (kind === 'yes or no') return tr([...name, option, td(small, isChosen ? yes : no)]);
      return tr([...name, option, one(isChosen), one(!isChosen)]);
    });
  });
  const head =
    kind === 'yes no' || random.chance(0.2)
      ? [
          tr([
            td(cell, random.pick(words.element)),
            td(cell, random.pick(words.material), kind === 'yes no' ? '' : 'colspan="2"'),
            td(cell, yes),
            ...(kind === 'yes no' ? [td(cell, no)] : []),
          ]),
        ]
      : [];
  return table(
    [...head, ...rows],
    `${random.chance(0.7) ? 'width:100%;' : ''}font-size:${random.pick([0.8, 0.9, 1])}em`,
  );
}

/** Yes and no boxes behind each option, in lines. */
function yesNo(context, items) {
  const { random, style, language } = context;
  const tick = createTick(context);
  const words = WORDS[language];
  const [yes, no] = [random.pick(words.yes), random.pick(words.no)];
  const first = random.chance(0.5);
  const word = (text, isChosen) => (first ? `${tick(isChosen)}&nbsp;${text}` : `${text}&nbsp;${tick(isChosen)}`);
  const spread = random.chance(0.5);
  return withChoices(context, items)
    .map((item) => {
      if (!item.choice) return line(context, item);
      const isAnswered = !item.isEmpty;
      const lines = optionsOf(context, item, 5).map(({ html, isChosen }) => {
        const answer = `<span style="white-space:nowrap">${word(yes, isChosen)} &nbsp; ${word(no, isAnswered && !isChosen)}</span>`;
        return box(
          `${spread ? 'display:flex;justify-content:space-between;' : ''}padding-left:12px`,
          `<span>${html}</span> &nbsp; ${answer}`,
        );
      });
      return box('margin:3px 0', quiet(context, item.label) + style.colon + lines.join(''));
    })
    .join('');
}

/** Boxes in a column at the right end of the lines. */
function boxesAtEnd(context, items) {
  const { random, style } = context;
  const tick = createTick(context);
  const dots = random.chance(0.4) ? random.pick(['.', '. ', '_', '…']) : '';
  const leader = `<span style="flex:1;overflow:hidden;white-space:nowrap;height:1.2em">${dots.repeat(dots ? 150 : 0)}</span>`;
  const width = random.integer(35, 100);
  return withChoices(context, items)
    .map((item) => {
      if (!item.choice) return line(context, item);
      const lines = optionsOf(context, item).map(({ html, isChosen }) =>
        box('display:flex;margin:1px 0', `<span>${html}</span>${leader}<span>${tick(isChosen)}</span>`),
      );
      return box(`margin:3px 0;width:${width}%`, quiet(context, item.label) + style.colon + lines.join(''));
    })
    .join('');
}

/** Running text: "Walls: brick, panel, timber (underline as appropriate)". */
function inText(context, items) {
  const { random, style } = context;
  const mark = createMark(context, ['underlined', 'underlined', 'underlined', 'struck', 'circled', 'bold']);
  const parts = withChoices(context, items).map((item) => {
    const lead = quiet(context, item.label) + (style.colon || random.pick([':', ' –', '']));
    if (!item.choice) return `${lead} ${strong(context, item.value)}`;
    const options = optionsOf(context, item, 6);
    return `${lead} ${options.map((option) => mark.show(option, options)).join(random.pick([', ', ', ', ' / ', '/', ' или '].slice(0, context.language === 'ru' ? 5 : 4)))}${hint(context, mark, 0.35)}`;
  });
  return box(
    `margin:2px 0;text-align:${random.pick(['left', 'justify'])}`,
    parts.join(random.pick(['<br>', '<br>', '; ', '. '])),
  );
}

/** Options in bordered cells beside one another; the chosen one is shaded, framed, bold or ticked. */
function segments(context, items) {
  const { random, style } = context;
  const mark = createMark(context, ['ticked', 'bold', 'bold', 'circled', 'underlined', 'struck']);
  const shaded = random.chance(0.4);
  const share = random.integer(20, 40);
  return withChoices(context, items)
    .map((item) => {
      const cell = `border:${style.border};padding:${padding(context)};`;
      const lead = `<div style="width:${share}%;${random.chance(0.5) ? cell : ''}">${quiet(context, item.label)}</div>`;
      if (!item.choice)
        return box('display:flex', `${lead}<div style="flex:1;${cell}">${strong(context, item.value)}</div>`);
      const options = optionsOf(context, item, 5);
      const cells = options.map(
        (option) =>
          `<div style="flex:1;text-align:center;${cell}${shaded && option.isChosen ? 'background:#ccc;' : ''}">${mark.show(option, options)}</div>`,
      );
      return box('display:flex;margin:1px 0', lead + cells.join(''));
    })
    .join('');
}

/** Numbered options; the number of the chosen one is circled, underlined or written in a box. */
function coded(context, items) {
  const { random, style } = context;
  const kind = random.pick(['circled', 'circled', 'underlined', 'crossed', 'box']);
  const separator = random.pick(['; ', ', ', ' &nbsp; ', '<br>']);
  const sign = random.pick(['.', ')', ' –', ' -', '']);
  const shape = {
    circled: (number) => `<span style="border:${style.border};border-radius:50%;padding:0 3px">${number}</span>`,
    underlined: (number) => `<u>${number}</u>`,
    crossed: (number) => `<b>X</b> ${number}`,
    box: (number) => number,
  }[kind];
  return withChoices(context, items)
    .map((item) => {
      if (!item.choice) return line(context, item);
      const options = optionsOf(context, { ...item, isSingle: true }, 7);
      const shown = options
        .map(({ html, isChosen }, i) => `${isChosen ? shape(i + 1) : i + 1}${sign} ${html}`)
        .join(separator);
      const chosen = options.findIndex(({ isChosen }) => isChosen) + 1;
      const code =
        kind === 'box'
          ? `<span style="border:${style.border};padding:0 6px;margin-left:6px">${chosen || '&nbsp;'}</span>`
          : '';
      return box(
        'margin:3px 0',
        `${quiet(context, item.label)}${style.colon}${code} ${separator === '<br>' ? '<br>' : ''}${shown}`,
      );
    })
    .join('');
}

/** The elements of the building as rows: fields among `items`, other fields, elements that are no field. */
function elementRows(context, items) {
  const { random, vocabulary } = context;
  const own = items.filter(({ field }) => MATERIALS.includes(field));
  const isFull = random.chance(0.6);
  const more = MATERIALS.filter(
    (field) => !own.some((item) => item.field === field) && isFull && random.chance(0.7),
  ).flatMap((field) => context.item(field) ?? []);
  for (const { field } of more) context.used?.add(field);
  const fields = [...own, ...more].sort((a, b) => MATERIALS.indexOf(a.field) - MATERIALS.indexOf(b.field));
  const others = random
    .sample(
      vocabulary.elements.filter(({ field }) => !field),
      random.integer(fields.length === 0 ? 3 : 0, 5),
    )
    .map(({ name }) => {
      const written = escapeText(context.wording(name));
      return {
        label: written,
        caption: written,
        plain: '',
        options: random.chance(0.4) ? random.pick(QUESTIONS[context.language])[1] : undefined,
      };
    });
  const rows = [...fields, ...others].map((row) => {
    const options =
      row.options ??
      (row.field
        ? undefined
        : Array.from({ length: random.integer(2, 5) }, () => context.material()).filter(
            (text) => text && text.length < 40,
          ));
    if (!row.field && options.length === 0) options.push('—');
    return { ...row, options, isEmpty: row.field ? row.plain === '' : false };
  });
  const rest = items.filter(({ field }) => !MATERIALS.includes(field));
  return { rows: random.chance(0.2) ? random.shuffle(rows) : rows, rest };
}

/** Elements of the building × options, each row with its own options. */
function matrix(context, items) {
  const { random, style, language } = context;
  const mark = createMark(context);
  const { rows, rest } = elementRows(context, items);
  const most = random.integer(3, 6);
  const joined = random.chance(0.35);
  const ruled = random.chance(0.85) ? `border:${style.border};` : '';
  const cell = `${ruled}padding:${padding(context)};vertical-align:${random.pick(['top', 'middle'])};`;
  const separator = random.pick([' &nbsp; ', ', ', '; ', '<br>', ' / ']);
  const numbers = random.chance(0.3);
  const made = rows.map((row) => ({ row, options: optionsOf(context, row, most) }));
  const width = Math.max(...made.map(({ options }) => options.length), 1);
  const body = made.map(({ row, options }, i) => {
    const lead = [
      ...(numbers ? [td(cell, i + 1)] : []),
      td(`${cell}width:${random.integer(18, 30)}%`, quiet(context, row.label)),
    ];
    if (joined) return tr([...lead, td(cell, options.map((option) => mark.show(option, options)).join(separator))]);
    const cells = options.map((option) => td(cell, mark.show(option, options)));
    while (cells.length < width) cells.push(td(cell, ''));
    return tr([...lead, ...cells]);
  });
  const words = WORDS[language];
  const head = random.chance(0.5)
    ? [
        tr([
          ...(numbers ? [td(cell, '№')] : []),
          td(cell, random.pick(words.element)),
          td(
            cell,
            escapeText(random.pick(words.material)) + hint(context, mark, 0.5),
            joined ? '' : `colspan="${width}"`,
          ),
        ]),
      ]
    : [];
  const lines = rest.map((item) => line(context, item)).join('');
  const grid = table([...head, ...body], `width:100%;margin:3px 0;font-size:${random.pick([0.75, 0.85, 0.9, 1])}em`);
  return random.chance(0.5) ? lines + grid : grid + lines;
}

/** Elements of the building × options of one head; a chosen head is the value of one field at most. */
function sharedHeads(context, items) {
  const { random, style, language } = context;
  const { rows, rest } = elementRows(context, items);
  const tick = createTick(context);
  const cell = `border:${style.border};padding:${padding(context)};text-align:center;`;
  const heads = new Map();
  const columns = [];
  for (const row of rows) {
    const list = row.field ? random.pick(OPTIONS[language][row.field]) : row.options;
    const free = list.filter((text) => !heads.has(text.toLowerCase()));
    if (!row.field || row.isEmpty || free.length === 0 || columns.length >= 7) continue;
    const text = random.pick(free);
    heads.set(text.toLowerCase(), row);
    columns.push({ row, html: value(row.field, escapeText(text)) });
  }
  for (let i = random.integer(1, 3); i > 0; i--) {
    const text = random.pick(random.pick(Object.values(OPTIONS[language]).slice(1, 6).flat()));
    if (heads.has(text.toLowerCase())) continue;
    heads.set(text.toLowerCase(), undefined);
    columns.splice(random.integer(0, columns.length), 0, { html: escapeText(text) });
  }
  const order = random.chance(0.7) ? random.shuffle(columns) : columns;
  const empty = random.chance(0.6);
  const body = rows.map((row) => {
    const at = order.findIndex((column) => column.row === row);
    const chosen = at < 0 && !row.field ? random.integer(0, order.length - 1) : at;
    return tr([
      td(`${cell}text-align:left`, quiet(context, row.label)),
      ...order.map((_, i) => td(cell, i === chosen || !empty ? tick(i === chosen) : '')),
    ]);
  });
  const head = tr([
    td(cell, random.pick(WORDS[language].element)),
    ...order.map(({ html }) => td(`${cell}font-size:.85em`, html)),
  ]);
  return (
    table([head, ...body], `width:100%;margin:3px 0;font-size:${random.pick([0.8, 0.9, 1])}em`) +
    rest.map((item) => line(context, item)).join('')
  );
}

export const blocks = [
  { name: 'choice in a row', weight: 3, make: inRow },
  { name: 'choice in a column', weight: 2, make: inColumn },
  { name: 'choice cards', weight: 1.5, make: cards },
  { name: 'choice under heads', weight: 1.6, make: underHeads },
  { name: 'choice in rows', weight: 2.2, make: rowPerOption },
  { name: 'yes and no', weight: 0.7, make: yesNo },
  { name: 'boxes at the end', weight: 0.8, make: boxesAtEnd },
  { name: 'choice in text', weight: 1.5, make: inText },
  { name: 'choice segments', weight: 1, make: segments },
  { name: 'coded choice', weight: 0.8, make: coded },
  { name: 'choice matrix', weight: 3, make: matrix },
  { name: 'choice with shared heads', weight: 0.5, make: sharedHeads },
].map((block) => ({ kind: 'pairs', ...block }));
