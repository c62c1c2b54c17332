// More layouts of labels with values, as registry cards, certificates, survey reports, valuation sheets and typewritten forms print them.
// Each takes a list of items: `{ label, caption, value, plain, field }`; an item without a field is a distractor.
import { readFileSync } from 'node:fs';
import { FIELDS } from '../context.mjs';
import * as english from '../facts.en.mjs';
import * as russian from '../facts.ru.mjs';
import { box, escapeText, label, newGroup, value } from '../markup.mjs';
import { blocks as simple } from './pairs.mjs';

const strong = (context, html) => `<span style="${context.style.valueStyle}">${html}</span>`;
const quiet = (context, html) => `<span style="${context.style.labelStyle}">${html}</span>`;
const small = (size, html, more = '') => box(`font-size:${size}em;line-height:1.15;${more}`, html);
const td = (style, html, attributes = '') => `<td ${attributes} style="${style}">${html}</td>`;
const tr = (cells, style = '') =>
  `<tr${style ? ` style="${style}"` : ''}>${Array.isArray(cells) ? cells.join('') : cells}</tr>`;
const table = (rows, style = 'width:100%') =>
  `<table style="border-collapse:collapse;${style}">${rows.join('')}</table>`;
const readLabels = (name) =>
  JSON.parse(readFileSync(new URL(`../vocabulary/${name}.json`, import.meta.url), 'utf8')).labels;
const LABELS = { ru: readLabels('ru'), en: readLabels('en') };
const MONO = ['Liberation Mono', 'DejaVu Sans Mono', 'PT Mono', 'FreeMono', 'Courier New'];

/** Short names of fields as heads of narrow columns and strips print them. */
const SHORT = {
  ru: {
    'general:cadastral_number': ['Кад. №', 'К/н', 'КН', 'Кадастр. №'],
    'general:inventory_number': ['Инв. №', 'Инв.№', 'Инв. N', 'И/н'],
    'general:purpose': ['Назн.', 'Назнач.', 'Исп.'],
    'general:year_built': ['Г.п.', 'Год постр.', 'Год', 'Постр.', 'Г. п.', 'Г/п'],
    'general:floors': ['Этажн.', 'Эт-ть', 'Кол. эт.', 'Эт-сть', 'Число эт.'],
    'general:floor': ['Эт.', 'Этаж', 'на эт.'],
    'general:inventory_value': ['Инв. ст-ть', 'Ст-ть', 'Инв. стоим.', 'И/ст.'],
    'general:issue_date': ['Дата', 'Дата сост.', 'Сост.'],
    'general:owner': ['Собств.', 'Влад.', 'Правообл.'],
    'general:technician': ['Техн.', 'Исполн.', 'Обмер'],
    'general:head': ['Нач.', 'Рук.'],
    'areas:total_area': ['S общ.', 'Общ. пл.', 'Общ.', 'О/пл', 'Sобщ', 'Общ. S'],
    'areas:living_area': ['S жил.', 'Жил. пл.', 'Жил.', 'Ж/пл', 'Sжил'],
    'areas:auxiliary_area': ['S всп.', 'Всп. пл.', 'Вспом.', 'Подс.', 'Sвсп'],
    'areas:ceiling_height': ['h', 'Выс.', 'h, м', 'Н', 'H пом.', 'В. пот.'],
    'construction:foundation': ['Фунд.', 'Ф-т'],
    'construction:wall_material': ['Ст.', 'Стены', 'Мат. стен', 'Мат-л'],
    'construction:partitions': ['Перег.', 'Пер-ки'],
    'construction:floors_material': ['Перекр.', 'Пер-тия'],
    'construction:roof': ['Кр.', 'Кровля', 'Крыша'],
    'construction:wear_percent': ['Изн.', 'Износ', '% изн.', 'Ф.И.'],
    'general:address': ['Адр.', 'Адрес'],
  },
  en: {
    'general:cadastral_number': ['Cad. no.', 'Parcel', 'APN', 'Title no.'],
    'general:inventory_number': ['Inv. no.', 'Ref.', 'File'],
    'general:purpose': ['Use', 'Type'],
    'general:year_built': ['Built', 'Yr blt', 'Year', 'Constr.'],
    'general:floors': ['Storeys', 'Flrs', 'Stories', 'No. flrs'],
    'general:floor': ['Floor', 'Flr', 'Level', 'Lvl'],
    'general:inventory_value': ['Value', 'Assessed', 'AV', 'Val.'],
    'general:issue_date': ['Issued', 'Date', 'Dated'],
    'general:owner': ['Owner', 'Prop.'],
    'general:technician': ['Surv.', 'By'],
    'general:head': ['Head', 'Appr.'],
    'areas:total_area': ['GIA', 'Total', 'Area', 'Tot. area', 'TFA'],
    'areas:living_area': ['Living', 'Liv.', 'Habitable'],
    'areas:auxiliary_area': ['Aux.', 'Anc.', 'Other'],
    'areas:ceiling_height': ['Ht', 'Ceil.', 'Height', 'H'],
    'construction:foundation': ['Fdn', 'Found.'],
    'construction:wall_material': ['Walls', 'Ext. walls', 'Wall'],
    'construction:partitions': ['Part.', 'Int. walls'],
    'construction:floors_material': ['Floors', 'Flr constr.'],
    'construction:roof': ['Roof', 'Rf'],
    'construction:wear_percent': ['Wear', 'Depr.', '% dep.'],
    'general:address': ['Addr.', 'Address'],
  },
};

const GROUPS = {
  ru: [
    'Общие сведения',
    'Характеристика здания',
    'Площадь',
    'Стоимость',
    'Сведения о здании',
    'Конструктивные элементы',
    'Учетные данные',
    'Основные показатели',
    'Объект',
    'Описание',
    'Сведения об учете',
    'Данные инвентаризации',
    'Технические данные',
    'Местоположение',
    'Регистрация',
    'Прочее',
    'Показатели',
    'Здание',
    'Квартира',
    'Документы',
  ],
  en: [
    'General',
    'Building',
    'Areas',
    'Value',
    'Location',
    'Construction',
    'Registration',
    'Survey',
    'Property',
    'Summary',
    'Description',
    'Records',
    'Dwelling',
    'Structure',
    'Tenure',
    'Other',
    'Key data',
    'Measurements',
  ],
};
const EMPTY = {
  ru: [
    'не заполняется',
    '—',
    'нет',
    '-',
    'отсутствует',
    'данные отсутствуют',
    'не установлено',
    'нет данных',
    'не определена',
    '',
    '',
    'Z',
    '- - -',
    'не проводилось',
    'значение отсутствует',
    'н/д',
    'прочерк',
    'x',
    'сведения отсутствуют',
  ],
  en: [
    'n/a',
    '—',
    'None',
    '-',
    'not known',
    'not applicable',
    '',
    '',
    'nil',
    'N/K',
    'not inspected',
    'no data',
    'unknown',
    'TBC',
    'not provided',
    'N/A',
    '--',
    'see above',
  ],
};

/** The text of a piece of HTML. */
const textOf = (html) =>
  html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
/** Changes the text between the tags. */
const mapText = (html, change) =>
  html.replace(/(^|>)([^<]+)/g, (_all, before, text) => before + escapeText(change(textOf(text))));
const isShort = (item, limit = 40) => item.plain.length <= limit;

/** A function that marks a part of the value of an item; all parts share one group. */
function marker(item) {
  const group = newGroup();
  return (text) => (item.field ? value(item.field, escapeText(text), group) : escapeText(text));
}

function chunks(items, size) {
  const rows = [];
  for (let i = 0; i < items.length; i += size) rows.push(items.slice(i, i + size));
  return rows;
}

/** Groups of random sizes. */
function pieces(random, items, min, max) {
  const groups = [];
  for (let i = 0; i < items.length; ) {
    const size = random.integer(min, max);
    groups.push(items.slice(i, i + size));
    i += size;
  }
  return groups;
}

/** Items that a block cannot print go to one of the simple layouts. */
function rest(context, items) {
  if (items.length === 0) return '';
  return context.random.weighted(simple.map((block) => [block, block.weight])).make(context, items);
}

/** Some items in one order, the others in another. */
function divide(items, test) {
  const yes = items.filter(test);
  return [yes, items.filter((item) => !yes.includes(item))];
}

/** Random look of a block: edges, paddings, sizes. */
function createLook(context) {
  const { random, style } = context;
  const line = random.weighted([
    [style.border, 6],
    ['1px solid #bbb', 1],
    ['0.5px solid #000', 2],
    ['2px solid #000', 0.5],
    ['1px dashed #555', 0.4],
    ['1px dotted #000', 0.4],
  ]);
  const ruled = random.weighted([
    ['all', 6],
    ['rows', 2],
    ['columns', 1],
    ['none', 2],
    ['outer', 1],
  ]);
  const padding = random.pick(['0 2px', '1px 3px', '1px 6px', '2px 5px', '4px 8px', '6px 4px', '0 1px']);
  const vertical = random.pick(['top', 'top', 'middle', 'bottom']);
  const edge = {
    all: `border:${line};`,
    rows: `border-bottom:${line};`,
    columns: `border-left:${line};border-right:${line};`,
    none: '',
    outer: '',
  }[ruled];
  const shade = random.chance(0.12) ? `background:${random.pick(['#eee', '#ddd', '#e8eef8', '#f3f0e0'])};` : '';
  return {
    line,
    size: random.pick([0.75, 0.85, 0.9, 1, 1, 1, 1.1]),
    align: random.pick(['left', 'left', 'left', 'center', 'right']),
    cell: `${edge}padding:${padding};vertical-align:${vertical};`,
    ruledCell: `border:${line};padding:${padding};vertical-align:${vertical};`,
    labelCell: `${edge}padding:${padding};vertical-align:${vertical};${shade}`,
    outer: ruled === 'outer' ? `border:${line};` : '',
    colon: random.pick([style.colon, style.colon, ':', '', ' –']),
  };
}

const units = (context, kind) => escapeText(context.random.pick(context.vocabulary.units[kind] ?? ['']));

/** The kind of unit a field has. */
function unitOf(item) {
  if (/area/.test(item.field ?? '')) return /height/.test(item.field) ? 'length' : 'area';
  if (/value/.test(item.field ?? '')) return 'money';
  if (/height/.test(item.field ?? '')) return 'length';
  if (/wear/.test(item.field ?? '')) return 'percent';
  return undefined;
}
const unitText = (context, item) => {
  const kind = unitOf(item);
  if (kind === 'percent') return '%';
  if (kind) return units(context, kind);
  if (item.field === 'general:floors' || item.field === 'general:floor')
    return context.random.pick(context.language === 'ru' ? ['эт.', 'шт.', '-'] : ['no.', '-']);
  if (item.field === 'general:year_built')
    return context.random.pick(context.language === 'ru' ? ['год', 'г.', '-'] : ['year', '-']);
  return context.random.pick(['-', '', '', '—', 'x']);
};
/** A value with its unit behind it unless it has one. */
const withUnit = (context, item) => {
  const kind = unitOf(item);
  if (!kind || item.plain === '' || /\p{L}|%|²/u.test(item.plain)) return strong(context, item.value);
  return `${strong(context, item.value)}${context.random.pick([' ', '&nbsp;', ''])}${kind === 'percent' ? '%' : units(context, kind)}`;
};

const shortLabel = (context, item) => {
  const some = SHORT[context.language][item.field];
  return some ? label(item.field, escapeText(context.random.pick(some))) : item.label;
};
const group = (context) =>
  escapeText(
    context.random.chance(0.6)
      ? context.random.pick(GROUPS[context.language])
      : context.wording(context.vocabulary.headings),
  );

/** The same field of another object. */
function createNeighbour(context) {
  const facts = (context.language === 'ru' ? russian : english).generateFacts(context.random);
  return (item) => {
    const read = FIELDS[item.field];
    const text = read
      ? String(read(facts, context) ?? '')
      : /^[\d\s.,]+$/.test(item.plain)
        ? context.distract('area')
        : context.random.pick(context.vocabulary.distractorTexts);
    return text === item.plain ? '' : escapeText(text);
  };
}

/** A table with groups of rows: the heading of a group stands in a merged first column. */
function groupedRows(context, items) {
  const { random } = context;
  const look = createLook(context);
  const upright = random.chance(0.4);
  const share = random.integer(20, 50);
  const last = random.chance(0.1);
  const rows = pieces(random, items, 2, 6).flatMap((part) =>
    part.map((item, i) => {
      const turned = upright
        ? `<div style="writing-mode:vertical-rl;transform:rotate(180deg);white-space:nowrap;max-height:${random.integer(60, 140)}px;text-align:center">`
        : '<div>';
      const heading =
        i === 0
          ? td(
              `${look.ruledCell}width:${upright ? 24 : random.integer(60, 150)}px;text-align:center`,
              `${turned}${group(context)}</div>`,
              `rowspan="${part.length}"`,
            )
          : '';
      const cells =
        td(`${look.ruledCell}width:${share}%`, quiet(context, item.label) + look.colon) +
        td(`${look.ruledCell}text-align:${look.align}`, strong(context, item.value));
      return tr(last ? cells + heading : heading + cells);
    }),
  );
  return table(rows, `width:100%;font-size:${look.size}em`);
}

/** A ruled grid of labels; the value of each stands in the row below. Columns have different spans in each pair of rows. */
function valuesInNextRow(context, items) {
  const { random } = context;
  const look = createLook(context);
  const columns = random.pick([6, 8, 12]);
  const height = random.integer(14, 40);
  const size = random.pick([0.6, 0.7, 0.8, 0.9, 1]);
  const align = random.pick(['left', 'center', 'center']);
  const rows = [];
  const widths = tr(Array.from({ length: columns }, () => '<td style="padding:0;height:0"></td>'));
  for (const part of pieces(random, items, 1, 4)) {
    const spans = part.map(() => 1);
    for (let left = columns - part.length; left > 0; left--) spans[random.integer(0, part.length - 1)] += 1;
    rows.push(
      tr(
        part.map((item, i) =>
          td(
            `${look.ruledCell}text-align:${align};font-size:${size}em;line-height:1.1`,
            quiet(context, item.label),
            `colspan="${spans[i]}"`,
          ),
        ),
      ),
    );
    rows.push(
      tr(
        part.map((item, i) =>
          td(`${look.ruledCell}text-align:${align}`, strong(context, item.value), `colspan="${spans[i]}"`),
        ),
        `height:${height}px`,
      ),
    );
    if (random.chance(0.15))
      rows.push(tr(td(`${look.ruledCell}text-align:center;font-weight:bold`, group(context), `colspan="${columns}"`)));
  }
  return table(
    [widths, ...rows],
    `width:100%;overflow-wrap:anywhere;${items.every((item) => isShort(item, 25)) ? 'table-layout:fixed' : ''}`,
  );
}

/** A grid of cells with different spans and heights; each cell has its label and value inside, some hold several lines or a heading. */
function mixedGrid(context, items) {
  const { random } = context;
  const look = createLook(context);
  const columns = random.integer(3, 6);
  const inline = random.chance(0.35);
  const size = random.pick([0.6, 0.7, 0.8, 1]);
  const print = (item) =>
    inline || random.chance(0.2)
      ? box('', `${quiet(context, item.label)}${look.colon} ${strong(context, item.value)}`)
      : small(size, quiet(context, item.label)) +
        box(`text-align:${look.align};min-height:1em`, strong(context, item.value));
  const left = [...items];
  const taken = [];
  const occupy = (row, at) => {
    taken[row] ??= [];
    taken[row][at] = true;
  };
  const rows = [];
  for (let y = 0; left.length > 0 || taken.slice(y).flat().some(Boolean); y++) {
    taken[y] ??= [];
    const cells = [];
    for (let x = 0; x < columns; ) {
      if (taken[y][x]) {
        x++;
        continue;
      }
      let free = 1;
      while (x + free < columns && !taken[y][x + free]) free++;
      const long = left[0] && left[0].plain.length > 40;
      const span = left.length === 0 ? free : Math.min(free, random.integer(long ? 2 : 1, long ? columns : 3));
      const tall =
        left.length > 3
          ? random.weighted([
              [1, 7],
              [2, 2],
              [3, 1],
            ])
          : 1;
      for (let row = y; row < y + tall; row++) for (let at = x; at < x + span; at++) occupy(row, at);
      const kind = random.weighted([
        ['item', 10],
        ['heading', 1],
        ['several', tall * 1.5],
        ['empty', 0.5],
      ]);
      const html =
        left.length === 0
          ? ''
          : kind === 'heading'
            ? `<b>${group(context)}</b>`
            : kind === 'empty'
              ? ''
              : left
                  .splice(0, kind === 'several' ? random.integer(2, 3) : 1)
                  .map(print)
                  .join('');
      cells.push(td(look.ruledCell, html || '&nbsp;', `colspan="${span}" rowspan="${tall}"`));
      x += span;
    }
    rows.push(tr(cells, `height:${random.integer(12, 44)}px`));
    if (y > 60) break;
  }
  return (
    table(
      rows,
      `width:100%;font-size:${look.size}em;overflow-wrap:anywhere;${random.chance(0.5) ? 'table-layout:fixed' : ''}`,
    ) + rest(context, left)
  );
}

/** Cells that hold two or three lines of label and value. */
function severalInCell(context, items) {
  const { random } = context;
  const look = createLook(context);
  const columns = random.integer(1, 3);
  const separator = random.pick(['<br>', '<br>', '; ', ', ']);
  const cells = pieces(random, items, 2, 4).map((part) => {
    const lead = random.chance(0.3) ? `<b>${group(context)}</b><br>` : '';
    return td(
      `${look.ruledCell}width:${Math.round(100 / columns)}%`,
      lead +
        part.map((item) => `${quiet(context, item.label)}${look.colon} ${strong(context, item.value)}`).join(separator),
    );
  });
  const lead = () =>
    columns === 1 && random.chance(0.5) ? td(`${look.ruledCell}width:${random.integer(15, 30)}%`, group(context)) : '';
  return table(
    chunks(cells, columns).map((row) => tr(lead() + row.join(''))),
    `width:100%;font-size:${look.size}em`,
  );
}

/** The label stands in a cell or line under the value. */
function labelUnderValue(context, items) {
  const { random } = context;
  const look = createLook(context);
  const size = random.pick([0.55, 0.65, 0.75, 0.9]);
  const kind = random.integer(0, 2);
  const columns = random.integer(1, 5);
  return chunks(items, columns)
    .map((row) => {
      const values = tr(
        row.map((item) =>
          td(
            `${kind === 0 ? look.ruledCell : `border-bottom:${look.line};padding:0 4px;`}text-align:center;height:${random.integer(14, 30)}px;width:${Math.round(100 / row.length)}%`,
            strong(context, item.value),
          ),
        ),
      );
      const labels = tr(
        row.map((item) =>
          td(
            `${kind === 0 ? look.ruledCell : 'padding:0 4px;'}text-align:center;vertical-align:top;font-size:${size}em;line-height:1.1`,
            kind === 2 ? `(${item.label})` : quiet(context, item.label),
          ),
        ),
      );
      return table([values, labels], 'width:100%;margin-bottom:4px');
    })
    .join('');
}

/** Three or four columns: label, value, then a remark, a date or a document. */
function withRemarks(context, items) {
  const { random, language } = context;
  const look = createLook(context);
  const kinds = random.sample(
    ['remark', 'date', 'document', 'code', 'source'],
    random.weighted([
      [1, 5],
      [2, 2],
    ]),
  );
  const heads =
    language === 'ru'
      ? {
          name: ['Наименование показателя', 'Показатель', 'Характеристика', 'Наименование'],
          value: ['Значение', 'Содержание', 'Описание', 'Данные'],
          remark: ['Примечание', 'Прим.', 'Особые отметки'],
          date: ['Дата', 'Дата записи', 'Дата внесения'],
          document: ['Документ-основание', 'Основание', 'Реквизиты документа'],
          code: ['Код', 'Код строки', '№ строки'],
          source: ['Источник', 'Подпись'],
        }
      : {
          name: ['Item', 'Attribute', 'Particulars', 'Characteristic'],
          value: ['Value', 'Details', 'Entry', 'Description'],
          remark: ['Remarks', 'Comment', 'Notes'],
          date: ['Date', 'Entered', 'As of'],
          document: ['Document', 'Reference', 'Evidence'],
          code: ['Code', 'Line'],
          source: ['Source', 'Checked by'],
        };
  const documents =
    language === 'ru'
      ? [
          'Договор № 14',
          'Акт ввода',
          'Свид. о гос. рег.',
          'Тех. паспорт',
          'Решение исполкома',
          'Приказ № 37',
          'Ордер',
          'акт обмера',
        ]
      : ['Deed', 'Survey report', 'Permit 2041', 'Title register', 'Schedule B', 'Order 12'];
  const text = (kind) => {
    if (random.chance(0.45)) return '';
    if (kind === 'date') return escapeText(context.distract('date'));
    if (kind === 'document')
      return escapeText(`${random.pick(documents)}${random.chance(0.4) ? ` ${context.distract('date')}` : ''}`);
    if (kind === 'code') return String(random.integer(1, 40) * 10).padStart(3, '0');
    if (kind === 'source') return escapeText(random.chance(0.5) ? context.distract('person') : random.pick(documents));
    return random.chance(0.3)
      ? escapeText(random.pick(EMPTY[language]))
      : escapeText(random.pick(context.vocabulary.distractorTexts));
  };
  const order = random.weighted([
    [['name', 'value', ...kinds], 6],
    [['name', ...kinds, 'value'], 2],
    [[...kinds, 'name', 'value'], 1],
  ]);
  const head = random.chance(0.75)
    ? tr(
        order.map((kind) =>
          td(
            `${look.ruledCell}text-align:center;${random.chance(0.3) ? 'font-weight:bold' : ''}`,
            escapeText(random.pick(heads[kind])),
          ),
        ),
      )
    : '';
  const numbers =
    head && random.chance(0.25) ? tr(order.map((_, i) => td(`${look.ruledCell}text-align:center`, String(i + 1)))) : '';
  const rows = items.map((item) =>
    tr(
      order.map((kind) =>
        kind === 'name'
          ? td(`${look.labelCell}width:${random.integer(25, 45)}%`, quiet(context, item.label))
          : kind === 'value'
            ? td(`${look.cell}text-align:${look.align}`, strong(context, item.value))
            : td(`${look.cell}font-size:.9em`, text(kind)),
      ),
    ),
  );
  return table([head, numbers, ...rows], `width:100%;font-size:${look.size}em;${look.outer}`);
}

/** Rows numbered within sections: 1.1, 1.2, 2.1. */
function sectionNumbers(context, items) {
  const { random } = context;
  const look = createLook(context);
  const dot = random.pick(['', '.', ')']);
  const own = random.chance(0.6);
  const tabled = random.chance(0.7);
  const first = random.integer(1, 4);
  const share = random.integer(25, 60);
  return (tabled ? (html) => table([html], `width:100%;font-size:${look.size}em;${look.outer}`) : (html) => html)(
    pieces(random, items, 2, 7)
      .map((part, section) => {
        const title = random.chance(0.8) ? `${first + section}. ${group(context)}` : '';
        const rows = part.map((item, i) => {
          const number = `${first + section}.${i + 1}${dot}`;
          if (!tabled)
            return box(
              `margin:${random.integer(0, 2)}px 0 0 ${random.pick([0, 10, 25])}px`,
              `${number} ${quiet(context, item.label)}${look.colon} ${strong(context, item.value)}`,
            );
          const lead = own ? td(`${look.cell}width:34px`, number) : '';
          return tr(
            `${lead}${td(`${look.labelCell}width:${share}%`, (own ? '' : `${number} `) + quiet(context, item.label) + look.colon)}${td(`${look.cell}text-align:${look.align}`, strong(context, item.value))}`,
          );
        });
        if (!title) return rows.join('');
        return (
          (tabled
            ? tr(
                td(
                  `${look.cell}font-weight:bold;text-align:${random.pick(['left', 'center'])}`,
                  title,
                  `colspan="${own ? 3 : 2}"`,
                ),
              )
            : box('font-weight:bold', title)) + rows.join('')
        );
      })
      .join(''),
  );
}

/** Two lists beside each other, each in its own layout. */
function twoLists(context, items) {
  const { random, style } = context;
  const isNumber = ({ plain }) => /\d/.test(plain) && plain.length < 30;
  const [left, right] = random.chance(0.6)
    ? divide(items, isNumber)
    : [items.slice(0, items.length >> 1), items.slice(items.length >> 1)];
  if (left.length === 0 || right.length === 0) return rest(context, items);
  const sides = random
    .shuffle([left, right])
    .map(
      (list) =>
        (random.chance(0.4) ? `<b>${group(context)}</b>` : '') +
        random.pick([plainLines, plainLines, valueOnOwnLine, mixedGrid, sectionNumbers, narrowLabels])(context, list),
    );
  const line = random.chance(0.4) ? `border-left:${style.border};` : '';
  const share = random.integer(30, 65);
  return box(
    `display:flex;gap:${random.integer(6, 30)}px;align-items:${random.pick(['flex-start', 'stretch'])}`,
    `<div style="width:${share}%">${sides[0]}</div><div style="flex:1;${line}padding-left:4px">${sides[1]}</div>`,
  );
}

/** Lines of label and value without a table. */
function plainLines(context, items) {
  const { random } = context;
  const look = createLook(context);
  const indent = random.pick([0, 0, 10, 20]);
  return items
    .map((item) =>
      box(
        `margin:${random.integer(0, 3)}px 0 0 ${indent}px;${random.chance(0.5) ? `text-indent:-${indent}px` : ''}`,
        `${quiet(context, item.label)}${look.colon} ${strong(context, item.value)}`,
      ),
    )
    .join('');
}

/** A block in a corner of the page: number of the form, annex, codes and some fields. */
function cornerHeader(context, items) {
  const { random, style, language } = context;
  const [some, others] = divide(items, (item) => isShort(item, 60) && random.chance(0.8));
  const lines =
    language === 'ru'
      ? random.sample(
          [
            `Приложение № ${random.integer(1, 9)}`,
            `к приказу Минэкономразвития от ${context.distract('date')} № ${random.integer(2, 400)}`,
            `Форма № ${random.integer(1, 30)}`,
            `Форма по ОКУД 0${random.integer(300000, 999999)}`,
            'Утверждена приказом',
            `Экз. № ${random.integer(1, 3)}`,
            'СССР',
            'Министерство коммунального хозяйства РСФСР',
            `Типовая форма № ${random.integer(1, 9)}`,
            'Для служебного пользования',
            `Лист ${random.integer(1, 9)}`,
          ],
          random.integer(0, 4),
        )
      : random.sample(
          [
            `Form ${random.integer(1, 99)}`,
            `Annex ${random.integer(1, 9)}`,
            `Sheet ${random.integer(1, 4)} of ${random.integer(4, 9)}`,
            'Official copy',
            `Schedule ${random.integer(1, 6)}`,
            `Rev. ${random.integer(1, 12)}`,
            'For office use',
            `Printed ${context.distract('date')}`,
          ],
          random.integer(0, 3),
        );
  const printed = lines.map((line) => box('', escapeText(line)));
  const fields = random.chance(0.35)
    ? [
        table(
          [
            random.chance(0.6)
              ? tr(
                  `${td('', '')}${td(`border:${style.border};text-align:center`, language === 'ru' ? 'Коды' : 'Codes')}`,
                )
              : '',
            ...some.map((item) =>
              tr(
                `${td('text-align:right;padding-right:4px', item.label)}${td(`border:${style.border};padding:1px 6px;min-width:60px`, strong(context, item.value))}`,
              ),
            ),
          ],
          '',
        ),
      ]
    : some.map((item) =>
        box(
          random.chance(0.3) ? `border-bottom:${style.border}` : '',
          `${quiet(context, item.label)}${style.colon} ${strong(context, item.value)}`,
        ),
      );
  const size = random.pick([0.7, 0.8, 0.9, 1]);
  const share = random.integer(28, 60);
  const block = `<div style="width:${share}%;font-size:${size}em;text-align:${random.pick(['left', 'right', 'center'])};${random.chance(0.15) ? `border:${style.border};padding:3px` : ''}">${random.chance(0.7) ? printed.join('') + fields.join('') : fields.join('') + printed.join('')}</div>`;
  const side = random.chance(0.3)
    ? box('flex:1;min-width:0', random.pick([plainLines, narrowLabels, valueOnOwnLine])(context, others))
    : '<div style="flex:1"></div>';
  const beside = side.length > 30;
  return (
    box('display:flex;gap:10px;justify-content:space-between', random.chance(0.85) ? side + block : block + side) +
    (beside ? '' : rest(context, others))
  );
}

/** A box like a registration stamp with a few fields. */
function registryStamp(context, items) {
  const { random, language } = context;
  const colour = random.pick(['#000', '#000', '#2038a0', '#6040a0', '#a02040']);
  const leads =
    language === 'ru'
      ? {
          'general:issue_date': [
            'Паспорт составлен по состоянию на',
            'Составлен по состоянию на',
            'Дата обследования',
            'Инвентаризация произведена',
          ],
          'general:inventory_number': ['Инвентарный номер', 'Зарегистрировано за инв. №', 'внесено в реестр за №'],
          'general:cadastral_number': ['Присвоен кадастровый номер', 'Кадастровый №'],
          'general:owner': ['Записано за', 'Право собственности зарегистрировано за'],
          'general:technician': ['Обследовал', 'Выполнил'],
          'general:head': ['Начальник', 'Утвердил'],
        }
      : {
          'general:issue_date': ['Surveyed as at', 'Position as of', 'Issued on'],
          'general:inventory_number': ['Registered under no.', 'Record no.'],
          'general:cadastral_number': ['Assigned cadastral no.', 'Parcel no.'],
          'general:owner': ['Registered in the name of', 'Recorded owner'],
          'general:technician': ['Measured by'],
          'general:head': ['Approved by'],
        };
  const top = random.chance(0.6)
    ? box('text-align:center;font-weight:bold', escapeText(random.pick(context.vocabulary.stamps)))
    : '';
  const foot = random.chance(0.3)
    ? box(
        'text-align:center',
        escapeText(
          random.pick(
            language === 'ru'
              ? ['подпись ________', 'М.П.', 'Ответственный исполнитель ______']
              : ['Signature ________', 'Seal', 'Registrar ______'],
          ),
        ),
      )
    : '';
  const few = items.slice(0, random.integer(2, 6));
  const over = random.chance(0.35);
  const lines = few.map((item) => {
    const name =
      leads[item.field] && random.chance(0.6)
        ? label(item.field, escapeText(random.pick(leads[item.field])))
        : item.label;
    return box(
      over ? 'margin-top:2px;text-align:center' : '',
      `${name}${over ? '<br>' : ' '}${random.chance(0.3) ? `<u>&nbsp;${item.value}&nbsp;</u>` : strong(context, item.value)}`,
    );
  });
  const width = random.integer(150, 330);
  const stamp = `<div style="width:${width}px;border:${random.pick([1, 2, 3])}px ${random.pick(['solid', 'solid', 'double'])} ${colour};color:${colour};padding:${random.integer(2, 10)}px;font-size:${random.pick([0.7, 0.8, 0.9, 1])}em;line-height:1.15;${random.pick(['', 'margin-left:auto;', 'margin:0 auto;'])}">${top}${lines.join('')}${foot}</div>`;
  return stamp + rest(context, items.slice(few.length));
}

const PHRASES = {
  ru: {
    'general:floors': ['дом имеет # этажей', 'в # этажей', 'этажностью #', 'количество этажей #'],
    'general:floor': ['расположена на # этаже', 'на # этаже', 'этаж #'],
    'general:year_built': ['построен в # году', '# года постройки', 'возведен в #', 'введен в эксплуатацию в # г.'],
    'areas:total_area': ['общей площадью # кв.м', 'имеет общую площадь # кв. метров', 'общая площадь составляет #'],
    'areas:living_area': ['в том числе жилой # кв.м', 'из них жилая площадь #', 'жилой площадью #'],
    'areas:auxiliary_area': ['вспомогательной # кв.м', 'подсобная площадь #'],
    'areas:ceiling_height': ['высота помещений # м', 'при высоте потолков #'],
    'construction:wall_material': ['стены #', 'из материала #', 'стены выполнены #'],
    'construction:foundation': ['фундамент #', 'на фундаменте #'],
    'construction:roof': ['крыша #', 'под кровлей #'],
    'construction:partitions': ['перегородки #'],
    'construction:floors_material': ['перекрытия #'],
    'construction:wear_percent': ['физический износ # процентов', 'износ здания #'],
    'general:owner': ['принадлежит гр. #', 'числится за #', 'собственник #'],
    'general:address': ['находящийся по адресу #', 'расположен: #', 'по адресу: #'],
    'general:cadastral_number': ['с кадастровым номером #', 'кадастровый № #'],
    'general:inventory_number': ['инвентарный номер #', 'учтен под № #'],
    'general:inventory_value': ['инвентаризационной стоимостью # руб.', 'оценен в #'],
    'general:issue_date': ['по состоянию на #', 'паспорт составлен #'],
    'general:issuer': ['паспорт составлен #', 'выдан #'],
    'general:purpose': ['используется как #', 'назначение #'],
    'general:head': ['начальник #'],
    'general:technician': ['обмер произвел #', 'составил техник #'],
  },
  en: {
    'general:floors': ['a building of # storeys', 'having # floors'],
    'general:floor': ['situated on floor #', 'on the # floor'],
    'general:year_built': ['built in #', 'erected in the year #', 'constructed about #'],
    'areas:total_area': ['with a total area of # sq m', 'measuring # in all'],
    'areas:living_area': ['of which # sq m is living space', 'living area #'],
    'areas:auxiliary_area': ['with # sq m of ancillary rooms', 'auxiliary area #'],
    'areas:ceiling_height': ['ceilings # m high', 'ceiling height #'],
    'construction:wall_material': ['walls of #', 'external walls #'],
    'construction:foundation': ['standing on #', 'foundations: #'],
    'construction:roof': ['under a roof of #', 'roof #'],
    'construction:partitions': ['internal partitions #'],
    'construction:floors_material': ['floors of #'],
    'construction:wear_percent': ['physical wear # per cent', 'depreciated by #'],
    'general:owner': ['owned by #', 'the property of #'],
    'general:address': ['known as #', 'situated at #'],
    'general:cadastral_number': ['parcel number #', 'cadastral no. #'],
    'general:inventory_number': ['file number #', 'inventory number #'],
    'general:inventory_value': ['assessed at #', 'valued at #'],
    'general:issue_date': ['as at #', 'this day #'],
    'general:issuer': ['certified by #', 'issued by #'],
    'general:purpose': ['used as #', 'intended for #'],
    'general:head': ['head of office #'],
    'general:technician': ['surveyed by #', 'measured by #'],
  },
};

/** A pre-printed sentence with filled blanks. */
function sentenceBlanks(context, items) {
  const { random, style, language } = context;
  const kind = random.pick(['u', 'u', 'border', 'underscores', 'dots']);
  const fill = (html) => {
    if (kind === 'u')
      return `<u>&nbsp;${'&nbsp;'.repeat(random.integer(0, 5))}${strong(context, html)}${'&nbsp;'.repeat(random.integer(0, 8))}</u>`;
    if (kind === 'border')
      return `<span style="display:inline-block;border-bottom:${style.border};min-width:${random.integer(30, 160)}px;text-align:center;line-height:1.1">${strong(context, html)}</span>`;
    const character = kind === 'dots' ? '.' : '_';
    return `${character.repeat(random.integer(2, 8))} ${strong(context, html)} ${character.repeat(random.integer(2, 8))}`;
  };
  const opening =
    language === 'ru'
      ? [
          'Жилой дом',
          'Строение',
          'Здание',
          'Квартира',
          'Домовладение',
          'Настоящий паспорт составлен на объект',
          'Помещение',
          'Объект',
        ]
      : [
          'The building',
          'The dwelling',
          'The premises',
          'The flat',
          'This certifies that the property',
          'A dwelling house',
        ];
  const [sentences, others] = divide(items, (item) => !item.field || PHRASES[language][item.field] !== undefined);
  const parts = sentences.map((item) => {
    const phrases = PHRASES[language][item.field];
    if (!phrases || random.chance(0.12)) return `${item.label} ${fill(item.value)}`;
    const [before, after] = random
      .pick(phrases)
      .split('#')
      .map((text) => text.trim());
    return `${before ? `${label(item.field, escapeText(before))} ` : ''}${fill(item.value)}${after ? ` ${label(item.field, escapeText(after))}` : ''}`;
  });
  const separator = random.pick([', ', ', ', '; ', ',<br>', '<br>']);
  const text = `${random.chance(0.7) ? `${random.pick(opening)} ` : ''}${parts.join(separator)}${random.chance(0.6) ? '.' : ''}`;
  return (
    box(
      `text-align:${random.pick(['left', 'justify'])};line-height:${random.pick([1.2, 1.5, 1.8, 2.1])};text-indent:${random.pick([0, 20, 40])}px`,
      text,
    ) + rest(context, others)
  );
}

/** Lines of at most `width` characters. */
function wrap(text, width) {
  const lines = [''];
  for (let word of text.split(/\s+/)) {
    while (word.length > width) {
      if (lines.at(-1) !== '') lines.push('');
      lines[lines.length - 1] = word.slice(0, width);
      word = word.slice(width);
    }
    const open = lines.at(-1);
    if (open === '') lines[lines.length - 1] = word;
    else if (open.length + 1 + word.length <= width) lines[lines.length - 1] = `${open} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Characters in a line of a monospaced text. */
function charactersOf({ style }, size) {
  const width = (style.width - style.margin[1] - style.margin[3]) / style.columns - 4;
  return Math.max(24, Math.floor(width / (style.size * size * 0.3528 * 0.605)));
}
const typewriter = (context, size, lines) =>
  box(
    `white-space:pre;font-family:'${context.random.pick(MONO)}';font-size:${size}em;line-height:${context.random.pick([1, 1.1, 1.2, 1.4, 1.7])}`,
    lines.join('\n'),
  );

/** Typewritten columns aligned with spaces, dots or underscores. */
function typewritten(context, items) {
  const { random } = context;
  const size = random.pick([0.75, 0.85, 0.95, 1]);
  const total = charactersOf(context, size);
  const pairs = total > 70 && random.chance(0.35) ? 2 : 1;
  const width = Math.floor(total / pairs) - 2;
  const labelWidth = Math.max(10, Math.round(width * (random.integer(25, 60) / 100)));
  const fill = random.weighted([
    [' ', 6],
    ['.', 2],
    ['_', 2],
    ['-', 0.5],
  ]);
  const indent = random.pick([0, 0, 1, 4]);
  const colon = random.pick(['', ':', ' :', ' -', ': ']);
  const ends = random.chance(0.3);
  const blocks = items.map((item) => {
    const mark = marker(item);
    const names = wrap(textOf(item.label), labelWidth - 2);
    const values = item.plain === '' ? [''] : wrap(item.plain, Math.max(8, width - labelWidth - indent));
    // The value starts beside the last line of the label or beside its first line.
    const shift = ends ? names.length - 1 : 0;
    return Array.from({ length: Math.max(names.length, values.length + shift) }, (_, i) => {
      const name = names[i] ?? '';
      const text = values[i - shift] ?? '';
      const tail = name === names.at(-1) && name ? colon : '';
      const space = Math.max(1, labelWidth - name.length - tail.length);
      const used = indent + Math.max(labelWidth, name.length + tail.length + 1) + text.length;
      return {
        html:
          ' '.repeat(indent) +
          label(item.field, escapeText(name)) +
          tail +
          (text && i === shift ? ` ${fill.repeat(Math.max(0, space - 2))} `.slice(0, space) : ' '.repeat(space)) +
          (text ? mark(text) : ''),
        used,
      };
    });
  });
  const lines = chunks(blocks, pairs).flatMap((row) =>
    Array.from({ length: Math.max(...row.map((block) => block.length)) }, (_, i) =>
      row.map((block) => (block[i]?.html ?? '') + ' '.repeat(Math.max(2, width + 2 - (block[i]?.used ?? 0)))).join(''),
    ),
  );
  return typewriter(context, size, lines);
}

/** A typewritten table with lines of characters. */
function typewrittenFrame(context, items) {
  const { random } = context;
  const size = random.pick([0.75, 0.85, 0.95]);
  const total = Math.min(charactersOf(context, size), 110) - 2;
  const first = Math.max(10, Math.round(total * (random.integer(28, 55) / 100)));
  const second = total - first - 7;
  const [side, line, cross] = random.pick([
    ['|', '-', '+'],
    ['!', '-', '-'],
    ['│', '─', '┼'],
    ['I', '-', 'I'],
    ['║', '═', '╬'],
    [' ', '-', ' '],
  ]);
  const rule = cross + line.repeat(first + 2) + cross + line.repeat(second + 2) + cross;
  const every = random.chance(0.6);
  const lines = [rule];
  for (const item of items) {
    const mark = marker(item);
    const names = wrap(textOf(item.label), first);
    const values = item.plain === '' ? [''] : wrap(item.plain, second);
    for (let i = 0; i < Math.max(names.length, values.length); i++) {
      const [name, text] = [names[i] ?? '', values[i] ?? ''];
      lines.push(
        `${side} ${label(item.field, escapeText(name))}${' '.repeat(Math.max(0, first - name.length))} ${side} ${text ? mark(text) : ''}${' '.repeat(Math.max(0, second - text.length))} ${side}`,
      );
    }
    if (every) lines.push(rule);
  }
  if (!every) lines.push(rule);
  return typewriter(context, size, lines);
}

/** The label takes two lines and the value stands between or after them. */
function splitLabels(context, items) {
  const { random, style } = context;
  const kind = random.integer(0, 2);
  const look = createLook(context);
  return items
    .map((item) => {
      const words = textOf(item.label).split(' ');
      const cut = Math.max(1, words.length >> 1);
      const [a, b] = [words.slice(0, cut), words.slice(cut)].map((part) =>
        label(item.field, escapeText(part.join(' '))),
      );
      if (words.length < 2) return box('margin:2px 0', `${item.label}${look.colon} ${strong(context, item.value)}`);
      if (kind === 0)
        return box(
          'display:flex;align-items:center;gap:8px;margin:3px 0',
          `<div style="line-height:1.05">${a}<br>${b}</div>${random.chance(0.3) ? '<span>}</span>' : ''}<div style="flex:1;${random.chance(0.6) ? `border-bottom:${style.border}` : ''}">${strong(context, item.value)}</div>`,
        );
      if (kind === 1)
        return box(
          'margin:3px 0',
          `<div style="display:flex"><span style="white-space:nowrap">${a}&nbsp;</span><span style="flex:1;border-bottom:${style.border};text-align:center">${strong(context, item.value)}</span></div><div>${b}</div>`,
        );
      return box(
        'display:flex;margin:3px 0',
        `<span>${a}&nbsp;</span><span style="flex:${random.integer(1, 3)};border-bottom:${style.border};text-align:center;padding:0 4px">${strong(context, item.value)}</span><span style="flex:1">&nbsp;${b}</span>`,
      );
    })
    .join('');
}

/** The value stands in bold on its own line. */
function valueOnOwnLine(context, items) {
  const { random, style } = context;
  const size = random.pick([0.75, 0.9, 1]);
  const gap = random.integer(1, 7);
  const indent = random.pick([0, 10, 25, 60]);
  const align = random.pick(['left', 'left', 'center', 'right']);
  const look = random.pick([
    'font-weight:bold',
    'font-weight:bold',
    'font-style:italic',
    `border-bottom:${style.border}`,
    `border:${style.border};padding:1px 4px`,
    'text-decoration:underline',
  ]);
  const columns = random.weighted([
    [1, 4],
    [2, 3],
    [3, 1],
  ]);
  const html = items
    .map((item) =>
      box(
        `break-inside:avoid;margin-bottom:${gap}px`,
        box(`font-size:${size}em`, quiet(context, item.label) + random.pick([':', ':', style.colon])) +
          box(`margin-left:${indent}px;text-align:${align};${look};min-height:1em`, item.value),
      ),
    )
    .join('');
  return columns > 1
    ? box(`display:grid;grid-template-columns:repeat(${columns},1fr);gap:0 ${random.integer(6, 24)}px`, html)
    : html;
}

/** Captions in capitals, as key data of reports. */
function capitals(context, items) {
  const { random } = context;
  const look = createLook(context);
  const size = random.pick([0.6, 0.7, 0.8]);
  const columns = random.integer(1, 4);
  const beside = random.chance(0.3);
  const spacing = random.pick([0, 0.03, 0.08, 0.12]);
  const colour = random.chance(0.2) ? 'color:#777;' : '';
  const cells = items.map((item) => {
    const caption = `<span style="letter-spacing:${spacing}em;font-size:${size}em;${colour}">${mapText(item.label, (text) => text.toUpperCase())}</span>`;
    return td(
      `${look.cell}width:${Math.round(100 / columns)}%`,
      `${caption}${beside ? ' &nbsp;' : '<br>'}${strong(context, item.value)}`,
    );
  });
  return table(
    chunks(cells, columns).map((row) => tr(row)),
    `width:100%;${look.outer}`,
  );
}

/** Values before their labels. */
function valuesFirst(context, items) {
  const { random } = context;
  const look = createLook(context);
  const dash = random.pick([' — ', ' – ', ' - ', ' ', ' (', ' = ']);
  const close = dash === ' (' ? ')' : '';
  if (random.chance(0.3))
    return table(
      items.map((item) =>
        tr(
          `${td(`${look.cell}text-align:right;width:${random.integer(20, 50)}%`, withUnit(context, item))}${td(look.cell, quiet(context, item.label))}`,
        ),
      ),
      `width:100%;${look.outer}`,
    );
  const separator = random.pick(['<br>', '<br>', '; ', ', ']);
  return box(
    '',
    items
      .map(
        (item) =>
          `${item.plain ? withUnit(context, item) : '____'}${dash}${quiet(
            context,
            mapText(item.label, (text) => (random.chance(0.6) ? text[0].toLowerCase() + text.slice(1) : text)),
          )}${close}`,
      )
      .join(separator),
  );
}

/** A list with bullets. */
function bullets(context, items) {
  const { random } = context;
  const mark = random.pick(['•', '–', '-', '*', '—', '▪', '■', '►', '◦', '✓', '·', '+']);
  const look = createLook(context);
  const indent = random.integer(0, 40);
  const grouped = random.chance(0.3);
  const list = (some, more) =>
    some
      .map((item) =>
        box(
          `padding-left:${indent + more + 12}px;text-indent:-12px;margin-top:${random.integer(0, 2)}px`,
          `${mark} ${quiet(context, item.label)}${look.colon || ':'} ${withUnit(context, item)}${random.chance(0.2) ? ';' : ''}`,
        ),
      )
      .join('');
  if (!grouped) return list(items, 0);
  return pieces(random, items, 2, 5)
    .map((part) => box('', `${group(context)}:`) + list(part, 14))
    .join('');
}

/** Several objects in rows or columns of one table; only the object of the passport is marked. */
function severalObjects(context, items) {
  const { random, language } = context;
  const look = createLook(context);
  const [few, others] = divide(
    items,
    (item) => isShort(item, 45) && item.field !== 'general:issuer' && item.field !== 'notes:text',
  );
  if (few.length < 2) return rest(context, items);
  const count = random.integer(1, 4);
  const neighbours = Array.from({ length: count }, () => createNeighbour(context));
  const names =
    language === 'ru'
      ? random.pick([
          ['Объект', 'Аналог'],
          ['Объект оценки', 'Аналог №'],
          ['Данный объект', 'Соседний'],
          ['Оцениваемый объект', 'Объект-аналог'],
          ['Настоящая квартира', 'Кв.'],
        ])
      : random.pick([
          ['Subject', 'Comparable'],
          ['Subject property', 'Comp.'],
          ['This property', 'Sale'],
          ['The property', 'Neighbour'],
        ]);
  const place = random.chance(0.65) ? 0 : random.integer(0, count);
  const strongRow = random.chance(0.3) || place > 0;
  const subject = random.pick(['font-weight:bold;', 'background:#e4e4e4;', 'font-weight:bold;background:#eee;']);
  let index = 0;
  const objects = Array.from({ length: count + 1 }, (_, i) => {
    const isSubject = i === place;
    const neighbour = isSubject ? undefined : neighbours[index++];
    return {
      name: isSubject ? names[0] : `${names[1]} ${index}`,
      style: isSubject && strongRow ? subject : '',
      print: (item) => (isSubject ? item.value : neighbour(item) || '—'),
    };
  });
  const parts = chunks(few, random.integer(3, 8));
  return (
    parts
      .map((part) => {
        if (random.chance(0.5)) {
          // Objects in rows.
          const head = tr([
            td(look.ruledCell, random.pick(['', '№', language === 'ru' ? 'Объект' : 'Property'])),
            ...part.map((item) =>
              td(`${look.ruledCell}text-align:center`, random.chance(0.3) ? shortLabel(context, item) : item.label),
            ),
          ]);
          return table(
            [
              head,
              ...objects.map((object) =>
                tr(
                  [
                    td(look.ruledCell, escapeText(object.name)),
                    ...part.map((item) => td(`${look.ruledCell}text-align:center`, object.print(item))),
                  ],
                  object.style,
                ),
              ),
            ],
            `width:100%;font-size:${random.pick([0.7, 0.8, 0.9])}em;margin-bottom:3px`,
          );
        }
        const head = tr([
          td(look.ruledCell, ''),
          ...objects.map((object) => td(`${look.ruledCell}${object.style}`, escapeText(object.name))),
        ]);
        return table(
          [
            head,
            ...part.map((item) =>
              tr([
                td(look.ruledCell, item.label),
                ...objects.map((object) => td(`${look.ruledCell}${object.style}`, object.print(item))),
              ]),
            ),
          ],
          `width:100%;font-size:${random.pick([0.75, 0.85, 1])}em;margin-bottom:3px`,
        );
      })
      .join('') + rest(context, others)
  );
}

/** Former and current values; only the current one is marked. Later columns may be empty, as in forms for several inventories. */
function history(context, items) {
  const { random, language } = context;
  const look = createLook(context);
  const empty = random.chance(0.4);
  const columns = random.integer(2, 4);
  const russianForm = language === 'ru';
  const current = empty ? 0 : columns - 1;
  const base = random.integer(1965, 2000);
  const step = random.integer(3, 8);
  const names = empty
    ? Array.from({ length: columns }, (_, i) =>
        i === 0
          ? russianForm
            ? `на ${base} г.`
            : String(base)
          : russianForm
            ? random.pick(['на ____ г.', '20__ г.', '«__» ____ 20__ г.'])
            : '____',
      )
    : columns === 2
      ? random.pick(
          russianForm
            ? [
                ['Прежнее значение', 'Новое значение'],
                ['Было', 'Стало'],
                ['По данным предыдущей инвентаризации', 'По данным текущей инвентаризации'],
                ['До перепланировки', 'После перепланировки'],
                ['По документам', 'По факту'],
              ]
            : [
                ['Previous', 'Current'],
                ['Was', 'Now'],
                ['Last survey', 'This survey'],
                ['Before', 'After'],
              ],
        )
      : Array.from({ length: columns }, (_, i) =>
          russianForm ? `${random.pick(['на', 'по сост. на'])} ${base + i * step} г.` : `${base + i * step}`,
        );
  const neighbour = createNeighbour(context);
  const former = (item) => (random.chance(0.35) ? escapeText(random.pick(EMPTY[language])) : neighbour(item));
  const head = tr([
    td(look.ruledCell, random.pick(['', russianForm ? 'Показатель' : 'Item'])),
    ...names.map((name) => td(`${look.ruledCell}text-align:center`, escapeText(name))),
  ]);
  const rows = items.map((item) =>
    tr([
      td(`${look.ruledCell}width:${random.integer(25, 40)}%`, quiet(context, item.label)),
      ...names.map((_, i) =>
        td(
          `${look.ruledCell}text-align:${look.align}`,
          i === current ? strong(context, item.value) : empty ? '' : former(item),
        ),
      ),
    ]),
  );
  return table([head, ...rows], `width:100%;font-size:${look.size}em`);
}

/** The unit has its own column, before the value. */
function unitColumn(context, items) {
  const { random, language } = context;
  const look = createLook(context);
  const numbers = random.chance(0.5);
  const codes = random.chance(0.25);
  const heads =
    language === 'ru'
      ? ['№ п/п', 'Наименование показателей', 'Ед. изм.', 'Код стр.', 'Величина']
      : ['No.', 'Item', 'Unit', 'Code', 'Value'];
  const head = random.chance(0.7)
    ? tr(
        [numbers ? heads[0] : null, heads[1], heads[2], codes ? heads[3] : null, heads[4]]
          .filter((text) => text !== null)
          .map((text) => td(`${look.ruledCell}text-align:center`, text)),
      )
    : '';
  const rows = items.map((item, i) =>
    tr([
      numbers ? td(`${look.cell}width:24px`, `${i + 1}${random.chance(0.5) ? '.' : ''}`) : '',
      td(`${look.labelCell}width:${random.integer(30, 50)}%`, quiet(context, item.label)),
      td(`${look.cell}text-align:center;width:${random.integer(40, 80)}px`, unitText(context, item)),
      codes ? td(`${look.cell}text-align:center;width:40px`, String(random.integer(1, 99)).padStart(3, '0')) : '',
      td(`${look.cell}text-align:${look.align}`, strong(context, item.value)),
    ]),
  );
  return table([head, ...rows], `width:100%;font-size:${look.size}em;${look.outer}`);
}

/** A row of abbreviations over a row of values. */
function abbreviations(context, items) {
  const { random } = context;
  const look = createLook(context);
  const [few, others] = divide(
    items,
    (item) => isShort(item, 25) && (!item.field || SHORT[context.language][item.field]),
  );
  if (few.length === 0) return rest(context, items);
  const names = (row) =>
    tr(row.map((item) => td(`${look.cell}text-align:center`, item.field ? shortLabel(context, item) : item.label)));
  const values = (row) => tr(row.map((item) => td(`${look.cell}text-align:center`, strong(context, item.value))));
  return (
    chunks(few, random.integer(4, 9))
      .map((row) =>
        table(
          random.chance(0.9) ? [names(row), values(row)] : [values(row), names(row)],
          `${random.chance(0.6) ? 'width:100%;' : ''}font-size:${random.pick([0.7, 0.8, 0.9])}em;margin-bottom:3px;${look.outer}`,
        ),
      )
      .join('') + rest(context, others)
  );
}

/** Numbered questions with the answers under or behind them. */
function questionnaire(context, items) {
  const { random, style, language } = context;
  const below = random.chance(0.7);
  const answer = random.pick(language === 'ru' ? ['', '', 'Ответ: ', 'отв. '] : ['', '', 'Answer: ', 'A. ']);
  const first = random.integer(1, 20);
  const question = (item) => {
    const low = (text) => text[0].toLowerCase() + text.slice(1);
    if (random.chance(0.35)) return item.label;
    const [before, after] = random.pick(
      language === 'ru'
        ? [
            ['', '?'],
            ['Укажите: ', ''],
            ['Сведения: ', ''],
            ['', ' (указать)'],
            ['Какой (какая, какие): ', '?'],
          ]
        : [
            ['What is the ', '?'],
            ['', '?'],
            ['Please state the ', ''],
            ['Give the ', ''],
            ['State ', ''],
          ],
    );
    return before + mapText(item.label, before ? low : (text) => text) + after;
  };
  return items
    .map((item, i) => {
      const lead = random.chance(0.9) ? `${first + i}${random.pick(['.', '.', ')'])} ` : '';
      const line = `border-bottom:${random.pick([style.border, '0'])};`;
      return box(
        `margin-bottom:${random.integer(1, 6)}px`,
        below
          ? box('', lead + quiet(context, question(item))) +
              box(
                `${line}padding-left:${random.pick([0, 14, 30])}px;min-height:1.1em`,
                answer + strong(context, item.value),
              )
          : `${lead}${quiet(context, question(item))} ${answer}${strong(context, item.value)}`,
      );
    })
    .join('');
}

/** A list of points with check marks, some of them without a value. */
function checkList(context, items) {
  const { random, language } = context;
  const [yes, no] = random.pick([
    ['☑', '☐'],
    ['☒', '☐'],
    ['[x]', '[ ]'],
    ['[V]', '[ ]'],
    ['✓', '✗'],
    ['■', '□'],
    ['(X)', '( )'],
    ['●', '○'],
  ]);
  const look = createLook(context);
  const flags = language === 'ru' ? ['да', 'нет'] : ['yes', 'no'];
  const extra = Array.from({ length: random.integer(0, 4) }, () => ({
    isPlain: true,
    html: `${no} ${context.distractor('yesno').label}`,
  }));
  const lines = items.map((item) => ({
    html: `${item.plain ? yes : no} ${quiet(context, item.label)}${look.colon} ${strong(context, item.value)}`,
  }));
  const all = random.chance(0.4) ? random.shuffle([...lines, ...extra]) : [...lines, ...extra];
  const choices = () =>
    ` &nbsp; ${random.shuffle([`${random.pick([yes, no])} ${flags[0]}`, `${random.pick([yes, no])} ${flags[1]}`]).join(' ')}`;
  const columns = random.weighted([
    [1, 4],
    [2, 2],
  ]);
  return box(
    `display:grid;grid-template-columns:repeat(${columns},1fr);gap:1px 12px`,
    all.map((line) => `<div>${line.html}${line.isPlain && random.chance(0.5) ? choices() : ''}</div>`).join(''),
  );
}

/** A form filled in by hand: dotted lines with captions, the text a little above or on the line. */
function filledByHand(context, items) {
  const { random } = context;
  const hand = `font-family:'${random.pick(['FreeSerif', 'PT Serif', 'DejaVu Serif', 'Liberation Serif'])}';font-style:italic;font-size:${random.pick([1, 1.1, 1.2, 1.3])}em;${random.chance(0.5) ? 'color:#20308a;' : ''}`;
  const line = `border-bottom:1px ${random.pick(['dotted', 'dotted', 'dashed', 'solid'])} #333;`;
  const size = random.pick([0.55, 0.65, 0.75]);
  return items
    .map((item) => {
      const lift = random.integer(-3, 2);
      const written = `<span style="position:relative;top:${lift}px;left:${random.integer(0, 30)}px;${hand}">${item.value}</span>`;
      const kind = random.integer(0, 2);
      const lead = kind > 0 ? `<span>${quiet(context, item.label)}&nbsp;</span>` : '';
      const caption =
        kind === 0 || random.chance(0.3)
          ? small(
              size,
              `(${kind === 0 ? item.caption : escapeText(random.pick(context.language === 'ru' ? ['прописью', 'полностью', 'нужное подчеркнуть', 'указать'] : ['in full', 'in words', 'state', 'block letters']))})`,
              'text-align:center;',
            )
          : '';
      const empty = item.plain.length > 60 && random.chance(0.5) ? box(`${line}height:1.2em`, '') : '';
      return box(
        'display:flex;margin:2px 0;align-items:flex-start',
        `${lead}<div style="flex:1"><div style="${line}min-height:1.2em;line-height:1.15">${written}</div>${caption}${empty}</div>`,
      );
    })
    .join('');
}

/** A cover: few centred values with space between them. */
function cover(context, items) {
  const { random, style } = context;
  const few = items.slice(0, random.integer(3, 7));
  const html = few.map((item) => {
    const size = random.pick([1, 1.1, 1.3, 1.6]);
    const name = `<span style="font-size:${random.pick([0.7, 0.85, 1])}em">${quiet(context, item.label)}</span>`;
    const shown = `<span style="font-size:${item.plain.length > 40 ? 1 : size}em">${strong(context, item.value)}</span>`;
    const kind = random.weighted([
      ['over', 4],
      ['inline', 3],
      ['under', 2],
    ]);
    const body =
      kind === 'over'
        ? `${name}<br>${shown}`
        : kind === 'under'
          ? `<div style="border-bottom:${style.border}">${shown}</div>${name}`
          : `${name}${style.colon} ${shown}`;
    return box(`text-align:center;margin:${random.integer(3, 26)}px ${random.integer(0, 80)}px`, body);
  });
  return html.join('') + rest(context, items.slice(few.length));
}

/** An index card: a frame with boxes in the corners. */
function indexCard(context, items) {
  const { random, style } = context;
  const [few, others] = divide(items, (item) => isShort(item, 30));
  const corners = few.slice(0, 4);
  const inner = [...others, ...few.slice(4)];
  const size = random.pick([0.55, 0.65, 0.75]);
  const corner = (item) => {
    if (!item) return '<div></div>';
    const framed = random.chance(0.75);
    const name = small(size, item.label);
    const shown = box('min-height:1em', strong(context, item.value));
    return `<div style="${framed ? `border:${style.border};` : ''}padding:2px 5px;max-width:45%;min-width:${random.integer(40, 110)}px;text-align:${random.pick(['left', 'center'])}">${random.chance(0.8) ? name + shown : shown + name}</div>`;
  };
  const row = (a, b) =>
    box(
      'display:flex;justify-content:space-between;align-items:flex-start',
      corner(a) + (random.chance(0.3) ? `<b>${group(context)}</b>` : '') + corner(b),
    );
  return box(
    `border:${random.pick([style.border, '2px solid #000', '3px double #000'])};padding:${random.integer(0, 8)}px;max-width:${random.integer(70, 100)}%`,
    row(corners[0], corners[1]) +
      box(
        `margin:${random.integer(2, 10)}px ${random.integer(0, 20)}px`,
        inner.length > 0 ? random.pick([plainLines, rest, valueOnOwnLine])(context, inner) : '',
      ) +
      (corners.length > 2 ? row(corners[2], corners[3]) : ''),
  );
}

/** A data sheet: columns of labels and values with light lines. */
function dataSheet(context, items) {
  const { random } = context;
  const columns = random.weighted([
    [2, 2],
    [3, 4],
    [4, 1],
  ]);
  const line = `1px solid ${random.pick(['#ccc', '#ddd', '#aaa', '#e0e0e0'])}`;
  const colour = random.pick(['#666', '#333', '#000']);
  const padding = random.pick([1, 2, 4]);
  const order = random.chance(0.5);
  const apart = random.chance(0.6);
  const cells = items
    .map(
      (item) =>
        `<div style="${random.chance(0.97) ? `border-bottom:${line};` : ''}display:flex;justify-content:${apart ? 'space-between' : 'flex-start'};gap:6px;padding:${padding}px 0;break-inside:avoid"><span style="color:${colour}">${item.label}</span><span style="${apart ? 'text-align:right;' : ''}">${strong(context, item.value)}</span></div>`,
    )
    .join('');
  const style = order
    ? `display:grid;grid-template-columns:repeat(${columns},1fr);column-gap:${random.integer(8, 30)}px;align-items:start`
    : `column-count:${columns};column-gap:${random.integer(8, 30)}px;${random.chance(0.4) ? `column-rule:${line}` : ''}`;
  return box(`${style};font-size:${random.pick([0.7, 0.8, 0.9])}em`, cells);
}

/** Key facts in one line. */
function strip(context, items) {
  const { random } = context;
  const [few, others] = divide(items, (item) => isShort(item, 35));
  const [padding, size, align] = [
    random.integer(0, 5),
    random.pick([0.8, 0.9, 1, 1.15]),
    random.pick(['left', 'center', 'justify']),
  ];
  const separator = random.pick([' | ', ' · ', ' • ', ' / ', ' &nbsp;&nbsp; ', ', ', ' – ', ' ‖ ']);
  const parts = few.map((item) => {
    const name = random.chance(0.6) ? shortLabel(context, item) : item.label;
    const shown = withUnit(context, item);
    return `<span style="white-space:${random.chance(0.6) ? 'nowrap' : 'normal'}">${random.chance(0.85) ? `${name}${random.pick([' ', ': ', ' – '])}${shown}` : `${shown} ${name}`}</span>`;
  });
  const look = random.pick([
    '',
    'background:#eee;',
    `border-top:${context.style.border};border-bottom:${context.style.border};`,
    `border:${context.style.border};`,
  ]);
  return (
    chunks(parts, random.integer(3, 7))
      .map((row) => box(`${look}padding:${padding}px;text-align:${align};font-size:${size}em`, row.join(separator)))
      .join('') + rest(context, others)
  );
}

/** Labels in two languages. */
function bilingual(context, items) {
  const { random } = context;
  const other = context.language === 'ru' ? 'en' : 'ru';
  const look = createLook(context);
  const kind = random.integer(0, 3);
  const share = random.integer(25, 55);
  const size = random.pick([0.65, 0.8, 1]);
  const twice = (item) => {
    const second =
      item.field && LABELS[other][item.field]
        ? label(item.field, escapeText(random.pick(LABELS[other][item.field])))
        : '';
    if (!second) return item.label;
    if (kind === 0) return `${item.label} / ${second}`;
    if (kind === 1) return `${item.label}<br><i style="font-size:${size}em">${second}</i>`;
    if (kind === 2) return random.chance(0.5) ? `${item.label} (${second})` : `${second} (${item.label})`;
    return `${item.label} <i>${second}</i>`;
  };
  if (random.chance(0.35))
    return items
      .map((item) => box('margin:2px 0', `${twice(item)}${look.colon || ':'} ${strong(context, item.value)}`))
      .join('');
  // The second label may have a column of its own on the other side of the value.
  if (random.chance(0.2))
    return table(
      items.map((item) =>
        tr(
          `${td(`${look.labelCell}width:30%`, item.label)}${td(`${look.cell}text-align:center`, strong(context, item.value))}${td(`${look.labelCell}width:30%;text-align:right`, item.field && LABELS[other][item.field] ? label(item.field, escapeText(random.pick(LABELS[other][item.field]))) : '')}`,
        ),
      ),
      `width:100%;${look.outer}`,
    );
  return table(
    items.map((item) =>
      tr(
        `${td(`${look.labelCell}width:${share}%`, twice(item))}${td(`${look.cell}text-align:${look.align}`, strong(context, item.value))}`,
      ),
    ),
    `width:100%;font-size:${look.size}em;${look.outer}`,
  );
}

/** Labels with stars or numbers of footnotes, which stand below. */
function footnotes(context, items) {
  const { random } = context;
  const kind = random.pick(['*', '*', '1)', 'sup', '¹']);
  const marks = [];
  const next = () => {
    const i = marks.length + 1;
    const mark =
      kind === '*'
        ? '*'.repeat(i)
        : kind === '1)'
          ? `${i})`
          : kind === '¹'
            ? ['¹', '²', '³', '⁴', '⁵', '⁶'][i - 1]
            : `<sup>${i}</sup>`;
    marks.push(mark);
    return mark;
  };
  const noted = items.map((item) => {
    if (marks.length >= 4 || !random.chance(0.4)) return item;
    return random.chance(0.75)
      ? { ...item, label: `${item.label}${next()}` }
      : { ...item, value: item.value ? `${item.value}${next()}` : '' };
  });
  const notes = marks.map((mark) => box('', `${mark} ${context.note()}`)).join('');
  return (
    random.pick([plainLines, plainLines, sectionNumbers, withRemarks, narrowLabels, dataSheet])(context, noted) +
    box(
      `font-size:${random.pick([0.6, 0.7, 0.8])}em;${random.chance(0.4) ? `border-top:${context.style.border};` : ''}margin-top:3px`,
      notes,
    )
  );
}

/** A narrow column of labels that wrap over several lines. */
function narrowLabels(context, items) {
  const { random } = context;
  const look = createLook(context);
  const width = random.integer(60, 120);
  const size = random.pick([0.75, 0.85, 1]);
  const columns = random.weighted([
    [1, 5],
    [2, 3],
  ]);
  return table(
    chunks(items, columns).map((row) =>
      tr(
        row.map(
          (item) =>
            td(
              `${look.labelCell}width:${width}px;font-size:${size}em;line-height:1.05`,
              quiet(context, item.label) + look.colon,
            ) + td(`${look.cell}text-align:${look.align}`, strong(context, item.value)),
        ),
      ),
    ),
    `width:100%;${look.outer}`,
  );
}

const TOGETHER = {
  ru: {
    lead: {
      areas: ['Площадь', 'Площадь, кв.м', 'Площадь квартиры (кв. м)', 'Площадь помещений', 'Площади, м²'],
      parts: [
        'Материал',
        'Конструкции',
        'Основные конструкции',
        'Конструктивные элементы',
        'Материал основных конструкций',
      ],
    },
    names: {
      'areas:total_area': ['общая', 'всего', 'общая полезная', 'Общая'],
      'areas:living_area': ['жилая', 'в т.ч. жилая', 'в том числе жилая', 'из нее жилая', 'Жилая'],
      'areas:auxiliary_area': ['вспомогательная', 'подсобная', 'вспомогат.', 'нежилая', 'Вспомогательная'],
      'construction:foundation': ['фундамент', 'фундаментов'],
      'construction:wall_material': ['стен', 'стены', 'Стены', 'наружных стен'],
      'construction:partitions': ['перегородок', 'перегородки'],
      'construction:floors_material': ['перекрытий', 'перекрытия', 'Перекрытия'],
      'construction:roof': ['кровли', 'крыши', 'Кровля', 'крыша'],
    },
  },
  en: {
    lead: {
      areas: ['Area', 'Areas, sq m', 'Floor area', 'Areas (m²)'],
      parts: ['Construction', 'Materials', 'Structure', 'Construction of'],
    },
    names: {
      'areas:total_area': ['total', 'gross', 'Total', 'overall'],
      'areas:living_area': ['living', 'of which living', 'habitable', 'Living'],
      'areas:auxiliary_area': ['auxiliary', 'ancillary', 'Service', 'non-living'],
      'construction:foundation': ['foundations', 'Foundation'],
      'construction:wall_material': ['walls', 'external walls', 'Walls'],
      'construction:partitions': ['partitions', 'inner walls'],
      'construction:floors_material': ['floors', 'slabs', 'Floors'],
      'construction:roof': ['roof', 'Roof', 'covering'],
    },
  },
};

/** Fields of one kind under a common head: "Площадь: общая …, жилая …". */
function commonHead(context, items) {
  const { random, style, language } = context;
  const look = createLook(context);
  const { lead, names } = TOGETHER[language];
  const kinds = [
    ['areas', /^areas:.*area$/],
    ['parts', /^construction:(?!wear)/],
  ];
  let others = items;
  const out = [];
  for (const [kind, test] of kinds) {
    const [some, left] = divide(others, (item) => test.test(item.field ?? ''));
    if (some.length < 2) continue;
    others = left;
    const head = escapeText(random.pick(lead[kind]));
    const name = (item) => label(item.field, escapeText(random.pick(names[item.field])));
    const shape = random.integer(0, 3);
    if (shape === 0) {
      out.push(
        table(
          [
            tr(td(`${look.ruledCell}text-align:center`, head, `colspan="${some.length}"`)),
            tr(some.map((item) => td(`${look.ruledCell}text-align:center`, name(item)))),
            tr(some.map((item) => td(`${look.ruledCell}text-align:center`, strong(context, item.value)))),
          ],
          `${random.chance(0.7) ? 'width:100%;' : ''}font-size:${look.size}em;margin:2px 0`,
        ),
      );
    } else if (shape === 1) {
      out.push(
        table(
          some.map((item, i) =>
            tr(
              `${i === 0 ? td(`${look.ruledCell}width:${random.integer(18, 35)}%`, head, `rowspan="${some.length}"`) : ''}${td(`${look.ruledCell}width:${random.integer(18, 30)}%`, name(item))}${td(look.ruledCell, strong(context, item.value))}`,
            ),
          ),
          `width:100%;font-size:${look.size}em;margin:2px 0`,
        ),
      );
    } else if (shape === 2) {
      out.push(
        box(
          'margin:2px 0',
          `${head}: ${some.map((item) => `${name(item)}${random.pick([' ', ' – ', ': '])}${random.chance(0.4) ? `<u>&nbsp;${item.value}&nbsp;</u>` : withUnit(context, item)}`).join(random.pick(['; ', ', ', ' ']))}`,
        ),
      );
    } else {
      out.push(
        box(
          'margin:2px 0',
          box('', `${head}:`) +
            some
              .map((item) =>
                box(
                  `padding-left:${random.integer(10, 60)}px;display:flex`,
                  `<span>${random.pick(['', '– ', 'а) '])}${name(item)}&nbsp;</span><span style="flex:1;border-bottom:${random.pick([style.border, '0'])}">${strong(context, item.value)}</span>`,
                ),
              )
              .join(''),
        ),
      );
    }
  }
  const tail = rest(context, others);
  return random.chance(0.5) ? out.join('') + tail : tail + out.join('');
}

/** The areas in one cell or line, the parts after the total: "45,6 кв.м, в том числе жилая 30,1 кв.м". */
function areasTogether(context, items) {
  const { random, language } = context;
  const look = createLook(context);
  const total = items.find(({ field }) => field === 'areas:total_area');
  const parts = items.filter(({ field }) => field === 'areas:living_area' || field === 'areas:auxiliary_area');
  if (!total || parts.length === 0) return commonHead(context, items);
  const others = items.filter((item) => item !== total && !parts.includes(item));
  const { names } = TOGETHER[language];
  const extra = random.chance(0.25)
    ? `${random.pick([', ', '; '])}${escapeText(random.pick(language === 'ru' ? ['балкон', 'лоджия', 'кладовая', 'кухня'] : ['balcony', 'terrace', 'kitchen', 'store']))} ${escapeText(context.distract('area'))}`
    : '';
  const including = random.pick(
    language === 'ru'
      ? [', в том числе ', ', из них ', ' (в т.ч. ', ', в т.ч.: ', '; из нее ']
      : [', including ', ', of which ', ' (incl. ', '; made up of '],
  );
  const list = parts.map((item) => {
    const name = label(
      item.field,
      escapeText(random.pick(names[item.field]).replace(/^(в т\.ч\. |в том числе |из нее |of which )/, '')),
    );
    return random.chance(0.8) ? `${name} ${withUnit(context, item)}` : `${withUnit(context, item)} ${name}`;
  });
  const text = `${withUnit(context, total)}${including}${list.join(random.pick([', ', '; ', language === 'ru' ? ' и ' : ' and ']))}${including.includes('(') ? ')' : ''}${extra}`;
  const html = random.chance(0.6)
    ? table(
        [
          tr(`${td(`${look.labelCell}width:${random.integer(20, 45)}%`, total.label)}${td(look.cell, text)}`),
          ...(random.chance(0.5)
            ? others
                .splice(0, others.length)
                .map((item) => tr(`${td(look.labelCell, item.label)}${td(look.cell, strong(context, item.value))}`))
            : []),
        ],
        `width:100%;${look.outer}`,
      )
    : box('margin:2px 0', `${total.label}${look.colon || ':'} ${text}`);
  return html + rest(context, others);
}

/** Labels without a value or with a dash, between the others. */
function withEmptyFields(context, items) {
  const { random, language, vocabulary } = context;
  const used = context.used ?? new Set();
  const mixed = items.flatMap((item) => {
    const add = [];
    while (random.chance(0.4)) {
      if (random.chance(0.25)) {
        const open = Object.keys(FIELDS).filter((field) => !used.has(field) && vocabulary.labels[field]);
        if (open.length > 0) {
          const field = random.pick(open);
          used.add(field);
          add.push({ field, label: context.label(field), caption: context.caption(field), value: '', plain: '' });
          continue;
        }
      }
      const plain = random.pick(EMPTY[language]);
      add.push({ ...context.distractor(), value: escapeText(plain), plain });
    }
    return random.chance(0.5) ? [item, ...add] : [...add, item];
  });
  return random.pick([
    plainLines,
    rest,
    rest,
    rest,
    sectionNumbers,
    valuesInNextRow,
    mixedGrid,
    narrowLabels,
    unitColumn,
    withRemarks,
    filledByHand,
    questionnaire,
  ])(context, mixed);
}

/** The small line that each sheet repeats: number of the record, address, sheet. */
function runningLine(context, items) {
  const { random, style, language } = context;
  const [few, others] = divide(
    items,
    (item) =>
      [
        'general:inventory_number',
        'general:address',
        'general:cadastral_number',
        'general:issue_date',
        'general:issuer',
      ].includes(item.field) || isShort(item, 20),
  );
  const some = few.slice(0, 4);
  const sheet =
    language === 'ru'
      ? random.pick(['Лист 2', 'стр. 3 из 8', 'Листов 6', 'Лист № 4 Всего листов 9', '- 2 -'])
      : random.pick(['Page 2', 'Sheet 3 of 8', '2/7', 'p. 4']);
  // A second line repeats the same text, so that both marks agree.
  const line = () => {
    const parts = some.map((item) => {
      const mark = marker(item);
      return random.chance(0.8)
        ? `${quiet(context, item.label)} ${item.plain ? mark(item.plain) : ''}`
        : mark(item.plain);
    });
    if (random.chance(0.6)) parts.push(sheet);
    return box(
      `display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 12px;font-size:${random.pick([0.6, 0.7, 0.8])}em;border-${random.pick(['bottom', 'top'])}:${random.pick([style.border, '0'])};margin:3px 0`,
      parts.map((part) => `<span>${part}</span>`).join(''),
    );
  };
  return line() + rest(context, [...others, ...few.slice(4)]) + (random.chance(0.4) ? line() : '');
}

/** Rows with codes of the line, as in statistical forms. */
function lineCodes(context, items) {
  const { random, language } = context;
  const look = createLook(context);
  const step = random.pick([1, 10, 100]);
  const first = random.integer(1, 30);
  const columns = random.weighted([
    [1, 3],
    [2, 2],
  ]);
  const heads =
    language === 'ru'
      ? [
          ['Показатели', 'Наименование'],
          ['Код строки', '№ строки', 'Код'],
          ['Значение', 'Всего', 'Фактически'],
        ]
      : [
          ['Indicator', 'Item'],
          ['Line', 'Code'],
          ['Entry', 'Amount'],
        ];
  const head = random.chance(0.8)
    ? tr(
        Array.from({ length: Math.min(columns, items.length) }, () =>
          heads.map((some) => td(`${look.ruledCell}text-align:center`, random.pick(some))).join(''),
        ),
      )
    : '';
  let code = 0;
  const rows = chunks(items, columns).map((row) =>
    tr(
      row.map(
        (item) =>
          td(look.ruledCell, quiet(context, item.label)) +
          td(`${look.ruledCell}text-align:center;width:36px`, String((first + code++) * step).padStart(3, '0')) +
          td(`${look.ruledCell}text-align:${look.align};min-width:60px`, strong(context, item.value)),
      ),
    ),
  );
  return table([head, ...rows], `width:100%;font-size:${look.size}em`);
}

/** The title block of a drawing, at the right edge. */
function drawingStamp(context, items) {
  const { random, style, language } = context;
  const [people, others] = divide(items, ({ field }) => field === 'general:head' || field === 'general:technician');
  const line = `border:${style.border};padding:0 3px;`;
  const heads = language === 'ru' ? ['Должность', 'Фамилия', 'Подпись', 'Дата'] : ['Role', 'Name', 'Signed', 'Date'];
  const extra = Array.from({ length: random.integer(0, 2) }, () => context.distractor('person'));
  const rows = random
    .shuffle([...people, ...extra])
    .map((item) =>
      tr(
        `${td(line, item.label)}${td(line, strong(context, item.value))}${td(`${line}width:40px`, '')}${td(line, random.chance(0.5) ? escapeText(context.distract('date')) : '')}`,
      ),
    );
  const left =
    rows.length > 0 ? table([random.chance(0.6) ? tr(heads.map((head) => td(line, head))) : '', ...rows], '') : '';
  const cell = (item) => {
    const under = random.chance(0.4);
    return td(
      line,
      under
        ? small(0.65, item.label) + strong(context, item.value)
        : `${item.label}${style.colon} ${strong(context, item.value)}`,
    );
  };
  const columns = random.integer(1, 3);
  const right = table(
    chunks(others, columns).map((row) => tr(row.map(cell))),
    'width:100%',
  );
  return box(
    `display:flex;align-items:stretch;width:${random.integer(60, 100)}%;${random.chance(0.7) ? 'margin-left:auto;' : ''}font-size:${random.pick([0.65, 0.75, 0.85])}em;border:${random.pick(['2px solid #000', style.border])}`,
    `<div>${left}</div><div style="flex:1">${right}</div>`,
  );
}

/** Paragraphs that start with the label, as in survey reports. */
function paragraphs(context, items) {
  const { random } = context;
  const look = random.pick(['font-weight:bold', 'text-decoration:underline', 'font-style:italic', '']);
  const own = random.chance(0.4);
  const number = random.chance(0.3) ? random.integer(1, 6) : 0;
  return items
    .map((item, i) => {
      const lead = `${number ? `${number}.${i + 1} ` : ''}<span style="${look}">${item.label}</span>`;
      const more = random.chance(0.25) ? ` ${context.note()}` : '';
      const before = random.chance(0.12) ? `${context.note()} ` : '';
      return box(
        'margin:2px 0;text-align:justify',
        `${lead}${own ? '<br>' : random.pick(['. ', ': ', ' — '])}${before}${strong(context, item.value)}${/[.!?]$/.test(item.plain) ? '' : '.'}${more}`,
      );
    })
    .join('');
}

/** A form in several columns with vertical lines: numbers of points in circles or boxes before the labels. */
function numberedBoxes(context, items) {
  const { random } = context;
  const look = createLook(context);
  const columns = random.integer(2, 4);
  const first = random.integer(1, 40);
  const cells = items.map((item, i) => {
    const number = `<span style="border:${look.line};padding:0 2px;${random.chance(0.3) ? 'border-radius:50%;' : ''}font-size:.8em">${first + i}</span>`;
    const long = item.plain.length > 45;
    return `<div style="grid-column:span ${long ? Math.min(columns, 2) : 1};border:${look.line};margin:-0.5px;padding:2px 4px">${number} <span style="font-size:${random.pick([0.65, 0.8])}em">${item.label}</span><div style="text-align:${look.align};min-height:1.1em">${strong(context, item.value)}</div></div>`;
  });
  return box(`display:grid;grid-template-columns:repeat(${columns},1fr);font-size:${look.size}em`, cells.join(''));
}

/** Values in boxes at the right edge, labels with long texts to the left. */
function answersAtRight(context, items) {
  const { random } = context;
  const width = random.integer(70, 230);
  const line = random.pick([`border:${context.style.border};`, `border-bottom:${context.style.border};`, '']);
  return items
    .map((item, i) => {
      const hint = random.chance(0.2) ? `<div style="font-size:.7em;font-style:italic">${context.note()}</div>` : '';
      return box(
        'display:flex;gap:8px;margin:2px 0;align-items:flex-end',
        `<div style="flex:1">${random.chance(0.3) ? `${i + 1}. ` : ''}${quiet(context, item.label)}${hint}</div><div style="width:${width}px;${line}padding:1px 4px;min-height:1.3em">${strong(context, item.value)}</div>`,
      );
    })
    .join('');
}

/** Square brackets, slashes or quotes around the values, as in printed database records. */
function records(context, items) {
  const { random } = context;
  const [open, close] = random
    .pick([
      ['[', ']'],
      ['"', '"'],
      ['«', '»'],
      ['', ''],
      ['<', '>'],
      ['/', '/'],
    ])
    .map(escapeText);
  const equals = random.pick([' = ', ': ', ':', ' => ', ' -> ', '\t', ' .. ']);
  const size = random.pick([0.75, 0.85, 1]);
  const width = charactersOf(context, size);
  const lines = items.map((item) => {
    const mark = marker(item);
    const name = textOf(item.label);
    const texts = item.plain === '' ? [''] : wrap(item.plain, Math.max(20, width - name.length - 6));
    return `${label(item.field, escapeText(name))}${equals}${open}${texts.map((text) => (text ? mark(text) : '')).join(`\n${' '.repeat(random.integer(2, 6))}`)}${close}`;
  });
  return typewriter(context, size, lines);
}

export const blocks = [
  { name: 'grouped rows', weight: 3, make: groupedRows },
  { name: 'values in next row', weight: 3, make: valuesInNextRow },
  { name: 'mixed grid', weight: 4, make: mixedGrid },
  { name: 'several in cell', weight: 2.5, make: severalInCell },
  { name: 'label under value', weight: 2, make: labelUnderValue },
  { name: 'with remarks', weight: 3, make: withRemarks },
  { name: 'section numbers', weight: 3, make: sectionNumbers },
  { name: 'two lists', weight: 3, make: twoLists },
  { name: 'plain lines', weight: 2, make: plainLines },
  { name: 'corner header', weight: 2, make: cornerHeader },
  { name: 'registry stamp', weight: 1.5, make: registryStamp },
  { name: 'sentence blanks', weight: 3, make: sentenceBlanks },
  { name: 'typewritten', weight: 3, make: typewritten },
  { name: 'typewritten frame', weight: 1, make: typewrittenFrame },
  { name: 'records', weight: 0.7, make: records },
  { name: 'split labels', weight: 1.5, make: splitLabels },
  { name: 'value on own line', weight: 2, make: valueOnOwnLine },
  { name: 'capitals', weight: 1.5, make: capitals },
  { name: 'values first', weight: 1, make: valuesFirst },
  { name: 'bullets', weight: 1.5, make: bullets },
  { name: 'several objects', weight: 2, make: severalObjects },
  { name: 'history', weight: 2, make: history },
  { name: 'unit column', weight: 2, make: unitColumn },
  { name: 'abbreviations', weight: 1.5, make: abbreviations },
  { name: 'questionnaire', weight: 1.5, make: questionnaire },
  { name: 'check list', weight: 1, make: checkList },
  { name: 'filled by hand', weight: 2.5, make: filledByHand },
  { name: 'cover', weight: 2, make: cover },
  { name: 'index card', weight: 1.5, make: indexCard },
  { name: 'data sheet', weight: 2, make: dataSheet },
  { name: 'strip', weight: 1.5, make: strip },
  { name: 'bilingual', weight: 1.5, make: bilingual },
  { name: 'footnotes', weight: 1.5, make: footnotes },
  { name: 'narrow labels', weight: 2, make: narrowLabels },
  { name: 'common head', weight: 2.5, make: commonHead },
  { name: 'areas together', weight: 2, make: areasTogether },
  { name: 'with empty fields', weight: 3, make: withEmptyFields },
  { name: 'running line', weight: 1.5, make: runningLine },
  { name: 'line codes', weight: 1, make: lineCodes },
  { name: 'drawing stamp', weight: 1.5, make: drawingStamp },
  { name: 'paragraphs', weight: 1.5, make: paragraphs },
  { name: 'numbered boxes', weight: 1.5, make: numberedBoxes },
  { name: 'answers at right', weight: 1.5, make: answersAtRight },
].map((block) => ({ kind: 'pairs', ...block }));
