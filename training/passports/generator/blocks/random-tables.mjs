// Tables of other things than rooms: columns of random kinds, none of them a field.
import { escapeText } from '../markup.mjs';

const COLUMNS = {
  ru: [
    ['№ п/п', 'index'],
    ['№', 'index'],
    ['Литера', 'letter'],
    ['Лит.', 'letter'],
    ['Наименование', 'name'],
    ['Наименование строений', 'name'],
    ['Наименование помещений и сооружений', 'name'],
    ['Назначение', 'purpose'],
    ['Год постройки', 'year'],
    ['Год ввода', 'year'],
    ['Год кап. ремонта', 'year'],
    ['Площадь, кв.м', 'area'],
    ['Площадь застройки', 'area'],
    ['Общая площадь', 'area'],
    ['Длина', 'length'],
    ['Ширина', 'length'],
    ['Высота', 'length'],
    ['Объём, куб.м', 'volume'],
    ['Стены', 'material'],
    ['Фундамент', 'material'],
    ['Материал стен', 'material'],
    ['Крыша', 'material'],
    ['Описание', 'material'],
    ['Износ, %', 'percent'],
    ['% износа', 'percent'],
    ['Удельный вес', 'percent'],
    ['Стоимость, руб.', 'money'],
    ['Инвентаризационная стоимость', 'money'],
    ['Восстановительная стоимость', 'money'],
    ['Действительная стоимость', 'money'],
    ['Цена единицы', 'money'],
    ['Кадастровый номер', 'code'],
    ['Инвентарный номер', 'code'],
    ['Документ', 'text'],
    ['Дата', 'date'],
    ['Дата записи', 'date'],
    ['Дата обследования', 'date'],
    ['Субъект права', 'person'],
    ['Собственник', 'person'],
    ['Ф.И.О.', 'person'],
    ['Исполнитель', 'person'],
    ['Доля', 'share'],
    ['Подпись', 'empty'],
    ['Примечание', 'text'],
    ['Этаж', 'floor'],
    ['Кол-во', 'count'],
    ['Ед. изм.', 'unit'],
    ['Количество комнат', 'count'],
    ['Жилая площадь', 'area'],
    ['Квартира', 'index'],
    ['Формула', 'formula'],
    ['Адрес', 'place'],
    ['Состояние', 'text'],
    ['Вид работ', 'text'],
    ['№ таблицы', 'index'],
    ['Поправки', 'text'],
    ['Код', 'code'],
    ['Показатель', 'text'],
    ['Значение', 'number'],
  ],
  en: [
    ['No.', 'index'],
    ['Ref', 'index'],
    ['Item', 'name'],
    ['Outbuilding', 'name'],
    ['Description', 'material'],
    ['Use', 'purpose'],
    ['Year', 'year'],
    ['Year built', 'year'],
    ['Area, m²', 'area'],
    ['Floor area', 'area'],
    ['Length', 'length'],
    ['Width', 'length'],
    ['Height', 'length'],
    ['Volume', 'volume'],
    ['Walls', 'material'],
    ['Roof', 'material'],
    ['Wear, %', 'percent'],
    ['Condition', 'text'],
    ['Cost', 'money'],
    ['Value', 'money'],
    ['Rate', 'money'],
    ['Sale price', 'money'],
    ['Sale date', 'date'],
    ['Date', 'date'],
    ['Grantor', 'person'],
    ['Owner', 'person'],
    ['Tenant', 'person'],
    ['Surveyor', 'person'],
    ['Rent', 'money'],
    ['Floor', 'floor'],
    ['Qty', 'count'],
    ['Unit', 'unit'],
    ['Remarks', 'text'],
    ['Title No.', 'code'],
    ['Address', 'place'],
    ['Life, years', 'count'],
    ['Remaining', 'count'],
    ['Weight', 'percent'],
    ['Share', 'share'],
  ],
};
const NAMES = {
  ru: [
    'Жилой дом',
    'Сарай',
    'Баня',
    'Гараж',
    'Уборная',
    'Погреб',
    'Летняя кухня',
    'Навес',
    'Забор',
    'Колодец',
    'Основное строение',
    'Пристройка',
    'Веранда',
    'Склад',
    'Котельная',
    'Мансарда',
    'Подвал',
    'Терраса',
    'Ворота',
    'Окна',
    'Двери',
    'Полы',
    'Лестницы',
    'Отделка',
    'Магазин',
    'Контора',
    'Квартира',
    'Итого',
    'Всего',
    'Кухня',
    'Комната',
    'Коридор',
  ],
  en: [
    'Main house',
    'Garage',
    'Shed',
    'Porch',
    'Deck',
    'Patio',
    'Boiler',
    'Windows',
    'Doors',
    'Kitchen units',
    'Bathroom',
    'Roof covering',
    'Land',
    'Improvements',
    'Fence',
    'Extension',
    'Cellar',
    'Carport',
    'Total',
    'Store',
  ],
};

function make(context) {
  const { random, style, language } = context;
  const columns = random.sample(COLUMNS[language], random.integer(2, 9));
  const rows = random.integer(1, 14);
  const ruled = random.pick(['all', 'all', 'all', 'rows', 'none']);
  const edge = ruled === 'all' ? `border:${style.border};` : ruled === 'rows' ? `border-bottom:${style.border};` : '';
  const cell = `${edge}padding:${random.pick(['0 2px', '1px 4px', '3px 5px'])};vertical-align:${random.pick(['top', 'middle'])};text-align:${random.pick(['left', 'center'])}`;
  const text = (kind, row) => {
    if (random.chance(0.08)) return random.pick(['', '-', '—']);
    switch (kind) {
      case 'index':
        return String(row + 1);
      case 'letter':
        return random.pick(['А', 'Б', 'В', 'Г', 'Г1', 'а', 'а1', 'I', 'II', 'Д', 'A', 'B']);
      case 'name':
        return random.pick(NAMES[language]);
      case 'purpose':
        return context.facts.purpose && random.chance(0.3) ? context.facts.purpose : random.pick(NAMES[language]);
      case 'material':
        return context.material();
      case 'share':
        return random.pick(['1/2', '1/3', '1', '1/4', '100 %']);
      case 'floor':
        return random.pick(['1', '2', '3', 'подвал', '1 этаж', 'G', 'F1']);
      case 'unit':
        return random.pick(['шт.', 'кв.м', 'м', 'куб.м', 'm²', 'ea']);
      case 'formula':
        return `${random.integer(1, 9)},${random.integer(10, 99)}*${random.integer(1, 9)},${random.integer(10, 99)}`;
      case 'empty':
        return '';
      default:
        return context.distract(kind);
    }
  };
  const head = random.chance(0.9)
    ? `<tr>${columns.map(([name]) => `<td style="${cell}">${escapeText(name)}</td>`).join('')}</tr>`
    : '';
  const numbers =
    head && random.chance(0.2) ? `<tr>${columns.map((_, i) => `<td style="${cell}">${i + 1}</td>`).join('')}</tr>` : '';
  const body = Array.from(
    { length: rows },
    (_, row) =>
      `<tr>${columns.map(([, kind]) => `<td style="${cell}"><span style="${style.valueStyle}">${escapeText(text(kind, row))}</span></td>`).join('')}</tr>`,
  ).join('');
  const foot = random.chance(0.2)
    ? `<tr><td style="${cell}" colspan="${Math.max(1, columns.length - 1)}">${language === 'ru' ? random.pick(['Итого', 'Всего', 'ИТОГО:']) : 'Total'}</td><td style="${cell}">${escapeText(context.distract(random.pick(['area', 'money', 'number'])))}</td></tr>`
    : '';
  return `<table style="border-collapse:collapse;${random.chance(0.7) ? 'width:100%;' : ''}font-size:${random.pick([0.75, 0.85, 1])}em">${head}${numbers}${body}${foot}</table>`;
}

export const blocks = [{ name: 'random table', kind: 'other', weight: 6, make }];
