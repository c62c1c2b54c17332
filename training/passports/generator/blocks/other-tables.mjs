// Tables that look like tables of rooms or of fields and hold other things. A mark stands only where a value is a field.
import { box, escapeText, value } from '../markup.mjs';
import { cell, numberFormat, printTable, widthInCharacters } from './tables.mjs';

const ROOMS = {
  ru: [
    'Кухня',
    'Жилая комната',
    'Коридор',
    'Санузел',
    'Прихожая',
    'Кладовая',
    'Зал',
    'Спальня',
    'Ванная',
    'Веранда',
    'Лестничная клетка',
    'Подвал',
  ],
  en: ['Kitchen', 'Bedroom', 'Hall', 'Bathroom', 'Lounge', 'Store', 'Study', 'Landing', 'Cellar'],
};
const BUILDINGS = {
  ru: [
    'Жилой дом',
    'Пристройка',
    'Веранда',
    'Сарай',
    'Баня',
    'Гараж',
    'Уборная',
    'Погреб',
    'Летняя кухня',
    'Навес',
    'Забор',
    'Ворота',
    'Колодец',
    'Теплица',
    'Основное строение',
    'Холодная пристройка',
    'Крыльцо',
    'Мансарда',
    'Подвал',
    'Терраса',
    'Котельная',
    'Склад',
    'Выгребная яма',
    'Замощение',
    'Калитка',
    'Дровяник',
    'Хоз. блок',
    'Бассейн',
    'Беседка',
    'Цокольный этаж',
    'Душ',
  ],
  en: [
    'Dwelling house',
    'Extension',
    'Porch',
    'Shed',
    'Garage',
    'Greenhouse',
    'Summer kitchen',
    'Cellar',
    'Fence',
    'Gate',
    'Well',
    'Boiler house',
    'Carport',
    'Terrace',
    'Outhouse',
    'Workshop',
    'Barn',
    'Paving',
  ],
};
const LETTERS = [
  'А',
  'А1',
  'а',
  'а1',
  'Б',
  'В',
  'Г',
  'Г1',
  'Г2',
  'Д',
  'Е',
  'Ж',
  'I',
  'II',
  'III',
  '1',
  '2',
  'Н',
  'у',
  'п/А',
  'К',
];
const pair = (ru, en) => ({ ru, en });

/** Heads of columns by kind. */
const HEADS = {
  index: pair(['№ п/п', '№', '№№ п/п', 'Пор. №', '№ пп', 'N', 'Номер'], ['No.', '#', 'Ref', 'No', 'Item no.']),
  letter: pair(
    ['Литера', 'Лит.', 'Литера по плану', 'Литеры', 'Обозначение на плане', 'Литера (номер)'],
    ['Letter', 'Mark', 'Ref. on plan', 'Block'],
  ),
  building: pair(
    [
      'Наименование',
      'Наименование строений',
      'Наименование зданий и сооружений',
      'Назначение',
      'Наименование частей здания',
      'Строения и сооружения',
      'Наименование построек',
      'Основная и служебные постройки',
      'Наименование здания и его частей',
    ],
    ['Name', 'Building', 'Structure', 'Description of the building', 'Outbuilding', 'Part of the building'],
  ),
  area: pair(
    [
      'Площадь, кв.м',
      'Площадь застройки',
      'Площадь',
      'Общая площадь',
      'Площадь (кв. м)',
      'Застроенная площадь',
      'Площадь по наружному обмеру',
      'Площадь, м²',
      'Полезная площадь',
      'Основная площадь',
    ],
    ['Area', 'Area, sq m', 'Footprint', 'Built-up area', 'Gross area', 'Total area', 'Floor area (m²)'],
  ),
  living: pair(
    ['Жилая площадь', 'жилая', 'Жилая пл., кв.м', 'в т.ч. жилая'],
    ['Living area', 'of which living', 'Habitable area'],
  ),
  auxiliary: pair(['Вспомогательная площадь', 'подсобная', 'Вспомогат.', 'нежилая'], ['Auxiliary area', 'Ancillary']),
  height: pair(['Высота, м', 'Высота', 'Выс.', 'Высота здания', 'Внутренняя высота'], ['Height, m', 'Height', 'H']),
  volume: pair(
    ['Объём, куб.м', 'Объем', 'Объём м3', 'Строительный объём', 'Куб. м', 'Объем (куб. м)'],
    ['Volume', 'Volume, m³', 'Cubic content'],
  ),
  length: pair(
    ['Длина', 'Длина, м', 'Ширина', 'Протяжённость', 'Размер', 'Глубина'],
    ['Length', 'Width', 'Length, m', 'Depth'],
  ),
  formula: pair(
    [
      'Формула подсчета',
      'Подсчёт площади',
      'Формулы для подсчета площадей по наружному обмеру',
      'Размеры',
      'Формула подсчёта площади',
    ],
    ['Formula', 'Calculation', 'Dimensions', 'Measurements'],
  ),
  year: pair(
    ['Год постройки', 'Год ввода', 'Год', 'Год капремонта', 'Год возведения', 'Дата постройки'],
    ['Year', 'Year built', 'Built', 'Renovated'],
  ),
  storeys: pair(['Этажность', 'Этаж', 'Число этажей', 'Эт.'], ['Storeys', 'Floor', 'Levels']),
  material: pair(
    [
      'Материал',
      'Стены',
      'Описание',
      'Материал стен',
      'Описание конструктивных элементов',
      'Фундамент',
      'Кровля',
      'Техническое описание',
      'Перекрытия',
    ],
    ['Material', 'Walls', 'Description', 'Construction', 'Foundation', 'Roof'],
  ),
  percent: pair(
    [
      'Износ, %',
      '% износа',
      'Процент износа',
      'Износ',
      'Удельный вес',
      'Удельный вес элемента',
      'Физ. износ',
      'Поправки к уд. весам',
    ],
    ['Wear, %', 'Depreciation', 'Weight, %', 'Share, %'],
  ),
  money: pair(
    [
      'Стоимость, руб.',
      'Восстановительная стоимость',
      'Действительная стоимость',
      'Инвентаризационная стоимость',
      'Стоимость ед. изм.',
      'Балансовая стоимость',
      'Сумма',
      'Стоимость в ценах 1969 г.',
      'Стоимость по таблице',
      'Действит. ст-ть, руб.',
    ],
    ['Cost', 'Value', 'Replacement cost', 'Unit price', 'Depreciated value', 'Amount'],
  ),
  factor: pair(
    ['Коэффициент', 'Поправочный коэф.', 'Коэфф. на капитальность', 'К', 'Поправка'],
    ['Factor', 'Coefficient', 'Index'],
  ),
  table: pair(
    ['№ таблицы', '№ сборника', '№ сборника и таблицы', 'Табл.', '№ укруп. показателя'],
    ['Table', 'Schedule', 'Ref. table'],
  ),
  count: pair(
    ['Количество', 'Кол-во', 'Число', 'Кол.', 'Штук', 'Количество (шт.)'],
    ['Quantity', 'Qty', 'Count', 'Number'],
  ),
  unit: pair(['Ед. изм.', 'Единица измерения', 'Ед.', 'Измеритель'], ['Unit', 'U.', 'Unit of measure']),
  date: pair(
    [
      'Дата',
      'Дата записи',
      'Дата обследования',
      'Дата регистрации',
      'Дата выдачи',
      'Число, месяц, год',
      'Дата документа',
    ],
    ['Date', 'Date of entry', 'Registered', 'Issued on'],
  ),
  person: pair(
    ['Ф.И.О.', 'Субъект права', 'Собственник', 'Владелец', 'Фамилия, имя, отчество', 'Наниматель', 'Правообладатель'],
    ['Name', 'Owner', 'Holder', 'Full name', 'Tenant'],
  ),
  worker: pair(
    ['Исполнил', 'Техник', 'Исполнитель', 'Проверил', 'Бригадир', 'Кем выполнено', 'Обследовал'],
    ['Surveyed by', 'Checked by', 'Technician', 'Prepared by'],
  ),
  share: pair(
    ['Доля', 'Доля (часть)', 'Размер доли', 'Доля в праве', 'Доля (часть, литера)'],
    ['Share', 'Part', 'Ownership share'],
  ),
  document: pair(
    [
      'Документ',
      'Наименование документа',
      'Документы, подтверждающие право',
      'Основание',
      'Правоустанавливающий документ',
      'Вид документа',
    ],
    ['Document', 'Basis', 'Title document', 'Deed'],
  ),
  code: pair(
    ['Номер', 'Кадастровый номер', 'Инв. №', '№ документа', 'Реестровый номер', 'Код'],
    ['Number', 'Title No.', 'Code', 'Inventory no.'],
  ),
  room: pair(
    ['Помещение', 'Наименование помещения', 'Комната', 'Расположение', 'Место установки'],
    ['Room', 'Location', 'Premises'],
  ),
  note: pair(['Примечание', 'Прим.', 'Отметки', 'Особые отметки'], ['Remarks', 'Notes', 'Comment']),
  signature: pair(['Подпись', 'Подпись регистратора', 'Роспись', 'Подпись лица'], ['Signature', 'Signed']),
  state: pair(
    ['Техническое состояние', 'Состояние', 'Признаки износа', 'Осадка, трещины, гниль и т.п.'],
    ['Condition', 'State', 'Defects'],
  ),
  flat: pair(['№ квартиры', 'Квартира', 'Кв.', 'Номер помещения'], ['Flat', 'Unit', 'Apartment']),
  rooms: pair(
    ['Количество комнат', 'Число комнат', 'Комнат', 'Число жилых комнат'],
    ['Rooms', 'Number of rooms', 'Beds'],
  ),
};

const TEXTS = {
  equipment: pair(
    [
      'Водопровод',
      'Канализация',
      'Отопление',
      'Электроосвещение',
      'Горячее водоснабжение',
      'Газ',
      'Телефон',
      'Радио',
      'Лифт',
      'Мусоропровод',
      'Вентиляция',
      'Ванна',
      'Газовая плита',
      'Напольная электроплита',
      'Сигнализация',
      'Котёл',
      'Радиатор',
      'Счётчик',
      'Умывальник',
      'Унитаз',
      'Мойка',
      'Телевидение',
    ],
    [
      'Water supply',
      'Sewerage',
      'Heating',
      'Electricity',
      'Hot water',
      'Gas',
      'Telephone',
      'Lift',
      'Ventilation',
      'Bath',
      'Gas stove',
      'Boiler',
      'Radiator',
      'Meter',
      'Basin',
      'WC',
    ],
  ),
  openings: pair(
    [
      'Окно',
      'Дверь',
      'Оконный блок',
      'Дверной блок',
      'Балконная дверь',
      'Окно двойное',
      'Дверь входная',
      'Дверь филёнчатая',
      'Проём',
      'Витраж',
      'Ворота',
      'О-1',
      'О-2',
      'Д-1',
      'Д-2',
      'ОК-3',
      'Ниша',
    ],
    ['Window', 'Door', 'French window', 'Entrance door', 'Opening', 'W-1', 'W-2', 'D-1', 'D-2', 'Skylight', 'Gate'],
  ),
  land: pair(
    [
      'Всего по документам',
      'Фактически',
      'Застроенная',
      'Под строениями',
      'Двор',
      'Огород',
      'Сад',
      'Замощённая',
      'Озеленённая',
      'Незастроенная',
      'Прочая',
      'под проездами',
      'Газон',
      'Грунт',
      'Асфальт',
      'Спортплощадка',
      'Площадь по фактическому пользованию',
    ],
    ['Total', 'Built-up', 'Yard', 'Garden', 'Paved', 'Lawn', 'Unbuilt', 'Driveway', 'Orchard', 'Other'],
  ),
  documents: pair(
    [
      'Договор купли-продажи',
      'Свидетельство о праве на наследство',
      'Договор дарения',
      'Регистрационное удостоверение',
      'Договор передачи',
      'Решение суда',
      'Ордер',
      'Постановление главы',
      'Акт ввода в эксплуатацию',
      'План земельного участка',
      'Поэтажный план',
      'Экспликация',
      'Справка',
      'Акт обследования',
      'Ситуационный план',
      'Технический паспорт',
      'Журнал обмеров',
      'Абрис',
      'Доверенность',
      'Выписка из реестра',
      'Договор мены',
    ],
    [
      'Deed of sale',
      'Certificate of inheritance',
      'Deed of gift',
      'Court decision',
      'Site plan',
      'Floor plan',
      'Survey report',
      'Permit',
      'Lease',
      'Power of attorney',
      'Register extract',
    ],
  ),
  flats: pair(
    [
      'Однокомнатные',
      'Двухкомнатные',
      'Трёхкомнатные',
      'Четырёхкомнатные',
      'Пятикомнатные',
      '1-комнатные',
      '2-комнатные',
      '3-комнатные',
      'в 1 комнату',
      'в 2 комнаты',
      'в 3 комнаты',
      'Общежития',
      'Коммунальные',
    ],
    ['One-room', 'Two-room', 'Three-room', 'Four-room', 'Studio', '1-bed', '2-bed', '3-bed'],
  ),
  floors: pair(
    [
      '1 этаж',
      '2 этаж',
      '3 этаж',
      '4 этаж',
      'Подвал',
      'Мансарда',
      'Цоколь',
      'Чердак',
      'Антресоль',
      'I',
      'II',
      'III',
      '1',
      '2',
      '3',
      'Технический этаж',
    ],
    ['Ground floor', 'First floor', 'Second floor', 'Basement', 'Attic', '1', '2', '3'],
  ),
  states: pair(
    [
      'хорошее',
      'удовлетворительное',
      'трещины',
      'удовл.',
      'мелкие повреждения',
      'гниль',
      'осадка',
      'выбоины',
      'хор.',
      'отслоение краски',
      'неуд.',
      'ветхое',
      'прогибы',
    ],
    ['good', 'fair', 'cracks', 'poor', 'sound', 'minor damage', 'satisfactory'],
  ),
  notes: pair(
    [
      'самовольное',
      'снесено',
      'см. план',
      'без разрешения',
      'не завершено',
      'акт № 12',
      'на снос',
      'в пользовании',
      'частично',
    ],
    ['demolished', 'see plan', 'no permit', 'unfinished', 'in use', 'partly'],
  ),
  units: pair(['шт.', 'кв.м', 'м', 'пог. м', 'куб.м', 'компл.', 'точек'], ['pcs', 'sq m', 'm', 'm³', 'set']),
  uses: pair(
    [
      'Торговые',
      'Складские',
      'Конторские',
      'Учрежденческие',
      'Лечебно-санитарные',
      'Школьные',
      'Производственные',
      'Гаражи',
      'Прочие',
      'Учебно-научные',
      'Предприятия общ. питания',
      'Бытовые',
      'Культурно-просветительные',
      'Гостиницы',
    ],
    ['Retail', 'Storage', 'Offices', 'Education', 'Health', 'Industrial', 'Parking', 'Catering', 'Other'],
  ),
  works: pair(
    [
      'Паспортизация',
      'Текущая инвентаризация',
      'Первичная инвентаризация',
      'Обмер',
      'Обследование',
      'Внесение изменений',
      'Проверка',
      'Регистрация',
      'Оценка',
      'Плановая',
    ],
    ['Initial survey', 'Resurvey', 'Inspection', 'Valuation', 'Update', 'Measurement'],
  ),
  points: pair(
    ['1', '2', '3', '4', '5', 'н1', 'н2', 'н3', '1-2', '2-3', '3-4', '4-1'],
    ['1', '2', '3', '4', 'P1', 'P2', 'P3', '1-2', '2-3'],
  ),
};

const SUBJECTS = {
  equipment: pair(
    ['Вид оборудования', 'Наименование', 'Благоустройство', 'Инженерное оборудование', 'Виды благоустройства'],
    ['Equipment', 'Service', 'Utilities', 'Item'],
  ),
  openings: pair(
    ['Проёмы', 'Наименование проёма', 'Окна и двери', 'Марка', 'Наименование'],
    ['Opening', 'Mark', 'Windows and doors', 'Item'],
  ),
  land: pair(
    ['Угодья', 'Использование участка', 'Вид угодий', 'Части участка', 'Площадь участка'],
    ['Land use', 'Part of the plot', 'Use'],
  ),
  flats: pair(
    ['Квартиры', 'Тип квартир', 'Распределение квартир по числу комнат', 'Вид квартиры'],
    ['Flat type', 'Type', 'Dwellings'],
  ),
  floors: pair(['Этаж', 'Этажи', 'Наименование этажа', 'Часть здания'], ['Floor', 'Storey', 'Level']),
  uses: pair(
    ['Использование', 'Назначение помещений', 'Вид помещений', 'Характер использования'],
    ['Use', 'Purpose', 'Use class'],
  ),
  works: pair(['Вид работ', 'Содержание работы', 'Вид обследования', 'Причина'], ['Work', 'Type of survey', 'Reason']),
  points: pair(['Точка', '№ точки', 'Обозначение характерных точек', 'Линия'], ['Point', 'Line', 'Corner']),
  documents: pair(
    ['Наименование документа', 'Документ', 'Перечень документов', 'Состав дела'],
    ['Document', 'Title', 'Contents of the file'],
  ),
};

/** Subjects of tables: `first` are columns that always stand, `more` may stand. `sum` is the column with a total. */
const KINDS = [
  {
    name: 'equipment',
    weight: 3,
    first: ['=equipment'],
    more: ['index', 'count', 'unit', 'year', 'area', 'note', 'state', 'room', 'material', 'yes'],
    titles: pair(
      ['Благоустройство', 'Инженерное оборудование', 'Техническое оборудование', 'Благоустройство общей площади'],
      ['Services', 'Equipment'],
    ),
  },
  {
    name: 'windows and doors',
    weight: 2,
    first: ['=openings', 'length'],
    more: ['index', 'room', 'height', 'count', 'area', 'material', 'state', 'note'],
    titles: pair(['Ведомость окон и дверей', 'Проёмы', 'Спецификация'], ['Windows and doors', 'Openings']),
    sum: 'area',
  },
  {
    name: 'costs',
    weight: 3,
    first: ['building', 'money'],
    more: ['letter', 'table', 'unit', 'factor', 'volume', 'area', 'percent', 'money', 'money', 'year', 'storeys'],
    titles: pair(
      [
        'Исчисление стоимости',
        'Определение стоимости',
        'Стоимость строений',
        'Оценка служебных построек',
        'Исчисление восстановительной и действительной стоимости',
      ],
      ['Costs', 'Valuation of buildings'],
    ),
    sum: 'money',
  },
  {
    name: 'homestead',
    weight: 5,
    first: ['letter', 'building', 'area'],
    more: [
      'year',
      'height',
      'volume',
      'material',
      'percent',
      'formula',
      'length',
      'length',
      'storeys',
      'material',
      'note',
      'money',
    ],
    titles: pair(
      [
        'Состав объекта',
        'Сведения о принадлежности',
        'Служебные постройки',
        'Экспликация строений',
        'Описание строений и сооружений',
        'Ограждения и сооружения',
      ],
      ['Buildings on the plot', 'Outbuildings'],
    ),
    sum: 'area',
  },
  {
    name: 'dimensions',
    weight: 3,
    first: ['building', 'formula', 'area'],
    more: ['letter', 'height', 'volume', 'index', 'storeys', 'factor'],
    titles: pair(
      [
        'Исчисление площадей и объёмов',
        'Исчисление площадей и объемов здания и его частей',
        'Подсчёт площадей',
        'Таблица обмеров',
      ],
      ['Calculation of areas and volumes', 'Dimensions'],
    ),
    sum: 'area',
  },
  {
    name: 'plot use',
    weight: 3,
    first: ['=land', 'area'],
    more: ['index', 'note', 'percent', 'date'],
    titles: pair(
      [
        'Экспликация земельного участка',
        'Земельный участок',
        'Площадь участка, кв.м',
        'Распределение земельного участка',
      ],
      ['Land use', 'Plot'],
    ),
    sum: 'area',
  },
  {
    name: 'surveys',
    weight: 2,
    first: ['date', 'worker'],
    more: ['=works', 'worker', 'note', 'signature', 'index', 'code'],
    titles: pair(['Отметки об обследовании', 'Текущие изменения', 'Сведения об обследованиях'], ['Survey history']),
  },
  {
    name: 'documents',
    weight: 2,
    first: ['=documents'],
    more: ['index', 'date', 'code', 'count', 'note', 'signature', 'letter'],
    titles: pair(
      ['Перечень документов', 'Опись', 'Приложения', 'Содержание дела'],
      ['List of documents', 'Enclosures'],
    ),
  },
  {
    name: 'tenants',
    weight: 2,
    first: ['person', 'area'],
    more: ['index', 'flat', 'date', 'rooms', 'living', 'code', 'note', 'money', 'document'],
    titles: pair(
      ['Список жильцов', 'Арендаторы', 'Сведения о нанимателях', 'Пользователи помещений'],
      ['Tenants', 'Occupiers'],
    ),
    sum: 'area',
  },
  {
    name: 'flat types',
    weight: 2.5,
    first: ['=flats', 'count'],
    more: ['rooms', 'area', 'living', 'auxiliary', 'index', 'note'],
    titles: pair(
      ['Распределение квартир', 'Распределение площади квартир жилого здания по числу комнат', 'Квартирный состав'],
      ['Dwelling mix', 'Flats by number of rooms'],
    ),
    sum: 'area',
  },
  {
    name: 'floors',
    weight: 3,
    first: ['=floors', 'area'],
    more: ['letter', 'living', 'auxiliary', 'rooms', 'height', 'volume', 'count', 'index', 'note'],
    titles: pair(['Площадь по этажам', 'Поэтажные данные', 'Распределение площадей по этажам'], ['Areas by floor']),
    sum: 'area',
    unnamed: true,
  },
  {
    name: 'uses',
    weight: 2,
    first: ['=uses', 'area'],
    more: ['index', 'area', 'count', 'living', 'percent', 'note'],
    titles: pair(
      ['Распределение нежилой площади', 'Площадь встроенных помещений', 'Нежилые помещения'],
      ['Non-residential areas'],
    ),
    sum: 'area',
  },
  {
    name: 'flats',
    weight: 3,
    first: ['flat', 'area'],
    more: ['storeys', 'rooms', 'living', 'auxiliary', 'height', 'person', 'note', 'index', 'code'],
    titles: pair(['Список квартир', 'Площади квартир', 'Ведомость помещений'], ['List of flats', 'Units']),
    sum: 'area',
    long: true,
  },
  {
    name: 'points',
    weight: 1,
    first: ['=points', 'number'],
    more: ['number', 'length', 'note', 'index'],
    titles: pair(['Координаты', 'Каталог координат', 'Ведомость координат'], ['Coordinates']),
  },
];

const byLanguage = (context, one) => one[context.language] ?? one.ru;
const pick = (context, one) => context.random.pick(byLanguage(context, one));
const decimals = (random, low, high, places = 1) => Number((low + random.next() * (high - low)).toFixed(places));

function titleHtml(context, titles, probability = 0.45) {
  const { random } = context;
  if (!random.chance(probability)) return '';
  return box(
    `text-align:${random.pick(['center', 'center', 'left'])};${random.chance(0.4) ? 'font-weight:bold;' : ''}margin:${random.integer(0, 6)}px 0 ${random.integer(0, 4)}px`,
    escapeText(pick(context, titles)),
  );
}

function shortDate(random, how) {
  const day = String(random.integer(1, 28)).padStart(2, '0');
  const month = String(random.integer(1, 12)).padStart(2, '0');
  const year = random.integer(1948, 2014);
  if (how === 'short') return `${day}.${month}.${String(year).slice(2)}`;
  if (how === 'slash') return `${day}/${month}/${year}`;
  if (how === 'iso') return `${year}-${month}-${day}`;
  if (how === 'year') return `${day}.${month}.${year} г.`;
  return `${day}.${month}.${year}`;
}

/** Ways to print numbers and dates, the same in one whole table. */
function formats(context) {
  const { random, language } = context;
  const number = numberFormat(random);
  const thousands = random.pick(['', ' ', '\u00a0', '']);
  return {
    number,
    money: (amount) => String(Math.round(amount)).replace(/\B(?=(\d{3})+$)/g, thousands),
    date: random.pick(language === 'ru' ? ['dots', 'dots', 'short', 'year'] : ['dots', 'slash', 'iso']),
    sign: random.pick(['*', '×', 'x', 'х', '*']),
    nothing: random.pick(['', '', '-', '–', '—']),
    holes: random.pick([0, 0, 0.05, 0.15]),
    year: random.pick(['', '', '', ' г.']),
    scale: random.pick([1, 1, 3, 10]),
    start: random.chance(0.85) ? 1 : random.integer(2, 40),
    letters: random.chance(0.6) ? LETTERS.slice(random.integer(0, 4)) : random.shuffle(LETTERS),
    lowered: random.chance(0.25),
  };
}

/** The plain text of a cell. `numbers` gets the amount for a total. */
function content(context, how, kind, index, numbers) {
  const { random } = context;
  const keep = (amount) => {
    numbers.push(amount);
    return how.number(amount);
  };
  if (kind.startsWith('=')) {
    const list = byLanguage(context, TEXTS[kind.slice(1)]);
    how.taken ??= random.chance(0.5) ? random.shuffle(list) : list;
    return how.taken[index % how.taken.length];
  }
  if (!['index', 'letter', 'building', 'flat'].includes(kind) && random.chance(how.holes)) return how.nothing;
  switch (kind) {
    case 'index':
      return String(how.start + index);
    case 'letter':
      return how.letters[index % how.letters.length];
    case 'building':
      return random.pick(BUILDINGS[context.language]);
    case 'room':
      return random.pick(ROOMS[context.language]);
    case 'area':
    case 'living':
    case 'auxiliary':
      return keep(decimals(random, 2, 60 * how.scale));
    case 'height':
      return how.number(decimals(random, 1.8, 4, 2), 2);
    case 'volume':
      return String(random.integer(8, 900));
    case 'length':
      return how.number(decimals(random, 0.6, 14, 2), 2);
    case 'formula': {
      const side = () =>
        `${how.number(decimals(random, 0.8, 12, 2), 2)}${how.sign}${how.number(decimals(random, 0.8, 12, 2), 2)}`;
      return random.weighted([
        [side(), 5],
        [`${side()}+${side()}`, 2],
        [`(${side()})-(${side()})`, 0.5],
      ]);
    }
    case 'year':
      return `${random.integer(1900, 2015)}${how.year}`;
    case 'storeys':
      return String(random.integer(1, 5));
    case 'material':
      return context.material?.() || context.distract('text');
    case 'percent':
      return String(random.integer(0, 70));
    case 'money': {
      const amount = random.integer(100, 90_000 * how.scale);
      numbers.push(amount);
      return how.money(amount);
    }
    case 'factor':
      return how.number(decimals(random, 0.7, 1.6, 2), 2);
    case 'table':
      return random.pick([
        `${random.integer(1, 30)}-${random.integer(1, 160)}`,
        String(random.integer(1, 140)),
        `${random.integer(1, 36)}, т. ${random.integer(1, 99)}`,
      ]);
    case 'count':
      return String(random.integer(1, 24));
    case 'rooms':
      return String(random.integer(1, 5));
    case 'unit':
      return pick(context, TEXTS.units);
    case 'date':
      return shortDate(random, how.date);
    case 'person':
    case 'worker':
      return context.distract('person');
    case 'share':
      return random.pick(['1/2', '1/3', '1/4', '1', '2/3', '1/6', '50%', '0,5', 'целое', '34/100']);
    case 'document':
      return pick(context, TEXTS.documents) + (random.chance(0.4) ? ` № ${random.integer(1, 4000)}` : '');
    case 'code':
      return context.distract('code');
    case 'state':
      return pick(context, TEXTS.states);
    case 'note':
      return random.chance(0.25) ? pick(context, TEXTS.notes) : '';
    case 'flat':
      return String(how.start + index);
    case 'number':
      return how.number(decimals(random, 100, 9999, 2), 2);
    case 'yes':
      return context.distract('yesno');
    default:
      return '';
  }
}

const NUMERIC = new Set([
  'area',
  'living',
  'auxiliary',
  'height',
  'volume',
  'length',
  'year',
  'storeys',
  'percent',
  'money',
  'factor',
  'count',
  'rooms',
  'number',
]);
const GROUPS = pair(
  ['Площадь, кв.м', 'Площадь', 'в том числе', 'Размеры', 'Стоимость, руб.', 'Данные обмера'],
  ['Area', 'of which', 'Dimensions', 'Cost'],
);

function alignments(random) {
  const number = random.pick(['right', 'center', 'center', 'left']);
  const text = random.pick(['left', 'left', 'center']);
  return (kind) =>
    NUMERIC.has(kind) ? number : kind === 'index' || kind === 'letter' || kind === 'flat' ? 'center' : text;
}

function headOf(context, kind) {
  if (kind.startsWith('=')) return escapeText(context.wording(byLanguage(context, SUBJECTS[kind.slice(1)])));
  const heads = HEADS[kind] ?? HEADS[{ yes: 'note', number: 'length' }[kind] ?? 'note'];
  return escapeText(context.wording(byLanguage(context, heads)));
}

/** A total row: a title over the columns before the first sum. */
function totalCells(context, kinds, sums) {
  const first = kinds.findIndex((_kind, index) => sums[index] !== undefined);
  if (first < 1) return [];
  const title = escapeText(
    pick(
      context,
      pair(
        ['Итого', 'Всего', 'ИТОГО:', 'Итого:', 'Всего по дому', 'Итого по домовладению'],
        ['Total', 'TOTAL', 'Sum', 'In total'],
      ),
    ),
  );
  const cells = [cell(title, { span: first, quiet: true, align: context.random.pick(['left', 'right']) })];
  for (let i = first; i < kinds.length; i += 1) cells.push(cell(sums[i] ?? ''));
  return [cells];
}

function plainTable(context, kind) {
  const { random } = context;
  const how = formats(context);
  const most = Math.max(kind.first.length, Math.min(11, Math.floor(widthInCharacters(context) / 9)));
  const more = random.sample(kind.more, random.integer(0, Math.min(6, most - kind.first.length)));
  // The usual order: numbers and letters first, remarks last.
  const place = (one) =>
    ({ index: 0, letter: 1, flat: 1 })[one] ??
    (one.startsWith('=') || one === 'building' ? 2 : ['note', 'signature'].includes(one) ? 9 : 5);
  let kinds = [...kind.first, ...more];
  kinds = kinds
    .map((one, index) => [one, place(one) + index / 100])
    .sort((a, b) => a[1] - b[1])
    .map(([one]) => one);
  if (random.chance(0.15)) kinds = random.shuffle(kinds);
  const align = alignments(random);
  const columns = kinds.map((one) => ({ head: headOf(context, one), align: align(one) }));
  if (random.chance(0.25)) {
    const at = kinds.findIndex((one, index) => NUMERIC.has(one) && NUMERIC.has(kinds[index + 1]));
    const group = escapeText(pick(context, GROUPS));
    for (let i = at; at >= 0 && i < kinds.length && NUMERIC.has(kinds[i]); i += 1) columns[i].group = group;
  }
  const count = random.integer(1, kind.long && random.chance(0.4) ? 24 : 10);
  const numbers = kinds.map(() => []);
  const rows = Array.from({ length: count }, (_one, index) =>
    kinds.map((one, column) => {
      const text = String(content(context, how, one, index, numbers[column]) ?? '');
      return escapeText(how.lowered && (one === 'building' || one.startsWith('=')) ? text.toLowerCase() : text);
    }),
  );
  const total = [];
  if (kind.sum && random.chance(0.4)) {
    const summed = kinds.map((one) => one === kind.sum || one === 'living' || one === 'auxiliary' || one === 'money');
    const sums = numbers.map((list, column) => {
      if (!summed[column] || list.length === 0) return undefined;
      const sum = list.reduce((one, other) => one + other, 0);
      return escapeText(kinds[column] === 'money' ? how.money(sum) : how.number(sum));
    });
    // The last cost of a list of costs may be the inventory value.
    const last = kinds.lastIndexOf('money');
    const item =
      kind.name === 'costs' && last > 0 && random.chance(0.35) ? context.item('general:inventory_value') : undefined;
    if (item) {
      columns[last].head = item.label;
      sums[last] = item.value;
    }
    total.push(...totalCells(context, kinds, sums));
  }
  return (
    titleHtml(context, kind.titles) +
    printTable(context, { columns, rows, total, alwaysHead: columns.some(({ head }) => head.includes('data-l')) })
  );
}

/** Owners with shares, documents and dates. One owner is the owner of the facts, more are co-owners. */
function owners(context) {
  const { random } = context;
  const how = formats(context);
  const kinds = [
    'person',
    ...random.sample(['index', 'share', 'document', 'date', 'date', 'code', 'note', 'signature'], random.integer(1, 5)),
  ];
  const rank = ['index', 'date', 'person', 'document', 'share', 'code', 'note', 'signature'];
  const order = random.chance(0.7) ? kinds.sort((a, b) => rank.indexOf(a) - rank.indexOf(b)) : random.shuffle(kinds);
  const count = random.weighted([
    [1, 5],
    [2, 2],
    [3, 1],
  ]);
  const item = context.item('general:owner');
  // Former owners stand before the current one; a reader cannot tell which is meant, so that nothing is marked.
  const former = count > 1 && (!order.includes('share') || random.chance(0.4));
  const shares = { 1: ['1', 'целое', '1/1', '100%'], 2: ['1/2', '50%', '0,5'], 3: ['1/3'] };
  const share = random.pick(shares[former ? 1 : count]);
  const align = alignments(random);
  const columns = order.map((kind) => ({
    head: kind === 'person' && item ? item.label : headOf(context, kind),
    align: align(kind),
  }));
  const rows = Array.from({ length: count }, (_one, index) =>
    order.map((kind) => {
      if (kind === 'share') return escapeText(share);
      if (kind !== 'person') return escapeText(content(context, { ...how, holes: 0 }, kind, index, []));
      const name = index === 0 && item ? item.plain : context.distract('person');
      return former ? escapeText(name) : value('general:owner', escapeText(name));
    }),
  );
  if (former)
    for (const [index, kind] of order.entries()) if (kind === 'person') columns[index].head = headOf(context, kind);
  return (
    titleHtml(
      context,
      pair(
        ['Сведения о собственниках', 'Правообладатели', 'Субъекты права', 'Право собственности', 'Сведения о правах'],
        ['Owners', 'Ownership', 'Register of owners'],
      ),
    ) + printTable(context, { columns, rows, alwaysHead: !former })
  );
}

/** Wear by elements of the building; the descriptions and the final wear are fields. */
function wear(context) {
  const { random, vocabulary } = context;
  const how = formats(context);
  const elements = vocabulary.elements ?? [];
  if (elements.length === 0) return plainTable(context, KINDS[0]);
  const seen = new Set();
  const chosen = random.sample(elements, random.integer(4, 12)).filter((one) => {
    if (!one.field) return true;
    if (seen.has(one.field)) return false;
    seen.add(one.field);
    return true;
  });
  const described = random.chance(0.6);
  const kinds = [
    'element',
    ...(described ? ['material'] : []),
    ...random.sample(['state', 'percent', 'percent', 'factor', 'percent'], random.integer(1, 4)),
  ];
  if (random.chance(0.3)) kinds.unshift('index');
  const align = alignments(random);
  const columns = kinds.map((kind) => ({
    head:
      kind === 'element'
        ? escapeText(
            pick(
              context,
              pair(
                [
                  'Наименование конструктивных элементов',
                  'Конструктивный элемент',
                  'Элементы',
                  'Наименование элемента',
                ],
                ['Element', 'Component', 'Building element'],
              ),
            ),
          )
        : headOf(context, kind),
    align: align(kind),
  }));
  const rows = chosen.map((one, index) =>
    kinds.map((kind) => {
      if (kind === 'element') return escapeText(context.wording(one.name));
      if (kind === 'material' && one.field) {
        const plain = context.text(one.field);
        return plain === '' ? '' : value(one.field, escapeText(plain));
      }
      return escapeText(content(context, how, kind, index, []) ?? '');
    }),
  );
  const last = kinds.lastIndexOf('percent');
  const total = [];
  if (last > 0 && random.chance(0.6)) {
    const item = context.item('construction:wear_percent');
    const title =
      item && random.chance(0.7)
        ? item.label
        : escapeText(
            pick(
              context,
              pair(
                ['Итого', 'Итого процент износа', 'Процент износа, приведённый к 100'],
                ['Total wear', 'Overall depreciation'],
              ),
            ),
          );
    const named = item && /data-l|износ|wear|deprec/i.test(title);
    total.push([
      cell(title, { span: last, quiet: true }),
      cell(named ? item.value : '100'),
      ...kinds.slice(last + 1).map(() => cell('')),
    ]);
  }
  return (
    titleHtml(
      context,
      pair(
        [
          'Износ конструктивных элементов',
          'Определение износа',
          'Техническое описание и износ',
          'Описание конструктивных элементов и определение износа',
        ],
        ['Wear of elements', 'Condition of elements'],
      ),
    ) + printTable(context, { columns, rows, total })
  );
}

/** A survey with one entry is the survey of this passport. */
function lastSurvey(context) {
  const { random } = context;
  const items = ['general:issue_date', 'general:technician', 'general:head']
    .map((field) => context.item(field))
    .filter(Boolean);
  const chosen = items.filter((_item, index) => index < 2 || random.chance(0.6));
  if (chosen.length === 0) return plainTable(context, KINDS[6]);
  const columns = chosen.map((item) => ({ head: item.label, align: 'center' }));
  const row = chosen.map((item) => item.value);
  if (random.chance(0.4)) {
    columns.push({ head: headOf(context, 'signature'), align: 'center' });
    row.push('');
  }
  if (random.chance(0.3)) {
    columns.unshift({ head: headOf(context, '=works'), align: 'left' });
    row.unshift(escapeText(pick(context, TEXTS.works)));
  }
  return titleHtml(context, KINDS[6].titles, 0.3) + printTable(context, { columns, rows: [row], alwaysHead: true });
}

/** One row of figures of the whole object; those that are fields are marked. */
function summary(context) {
  const { random } = context;
  const fields = [
    'areas:total_area',
    'areas:living_area',
    'areas:auxiliary_area',
    'areas:ceiling_height',
    'general:floors',
    'general:year_built',
    'construction:wear_percent',
    'general:inventory_value',
  ];
  const items = random
    .sample(fields, random.integer(1, 4))
    .map((field) => context.item(field))
    .filter(Boolean);
  const kinds = ['area', 'count', 'volume', 'length', 'money', 'number', 'area', 'percent'];
  for (const kind of random.sample(kinds, random.integer(1, 4))) items.push(context.distractor(kind));
  const most = Math.max(2, Math.floor(widthInCharacters(context) / 11));
  const chosen = random.shuffle(items).slice(0, most);
  const align = random.pick(['center', 'center', 'left', 'right']);
  const columns = chosen.map((item) => ({ head: item.label, align }));
  const group = escapeText(pick(context, GROUPS));
  if (random.chance(0.2)) for (const column of columns.slice(0, random.integer(1, 2))) column.group = group;
  const titles = pair(
    ['Общие сведения', 'Техническая характеристика', 'Основные показатели', 'Итоговые данные'],
    ['Summary', 'General data', 'Main figures'],
  );
  return (
    titleHtml(context, titles) +
    printTable(context, { columns, rows: [chosen.map((item) => item.value)], alwaysHead: true })
  );
}

export const blocks = [
  ...KINDS.map((kind) => ({
    name: `table of ${kind.name}`,
    kind: 'other',
    weight: kind.weight,
    make: (context) => plainTable(context, kind),
  })),
  { name: 'table of owners', kind: 'other', weight: 2.5, make: owners },
  { name: 'table of wear', kind: 'other', weight: 2.5, make: wear },
  { name: 'table of figures', kind: 'other', weight: 2, make: summary },
  { name: 'table of the last survey', kind: 'other', weight: 1.2, make: lastSurvey },
];
