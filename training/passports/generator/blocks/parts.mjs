// The other parts of a page: titles, addresses in parts, elements of a building, prose, signatures, stamps, notes.
import { PARTS } from '../context.mjs';
import { box, escapeText, label, newGroup, value } from '../markup.mjs';
import { headOf, inGenitive } from '../refine.mjs';
import { rivalValue } from '../rivals.mjs';

const strong = (context, html) => `<span style="${context.style.valueStyle}">${html}</span>`;

export function title(context) {
  const { random, vocabulary } = context;
  const size = random.pick([1.1, 1.3, 1.5, 1.8, 2.2]);
  const lines = [`<b>${escapeText(context.wording(vocabulary.titles))}</b>`];
  if (random.chance(0.3)) lines.push(escapeText(context.wording(vocabulary.headings)));
  if (random.chance(0.2)) lines.push(`№ ${escapeText(context.distract('code'))}`);
  lines.push(...titleDates(context));
  if (random.chance(0.1)) lines.push(partOfAddress(context));
  return box(
    `font-size:${size}em;text-align:${random.pick(['center', 'center', 'left', 'right'])};margin:4px 0`,
    lines.filter(Boolean).join('<br>'),
  );
}

/** Street and house, or the place, which a heading repeats of the address. */
function partOfAddress(context) {
  const { random, facts } = context;
  const { city, street, house } = facts.address;
  const plain = (random.chance(0.7) ? [street, house] : [city, street]).filter(Boolean).join(', ');
  return plain === '' ? '' : rivalValue('general:address', 2, escapeText(plain));
}

/** Dates under a title: that of the passport without a label, and others with one. */
function titleDates(context) {
  const { random, language } = context;
  const small = (html) => `<span style="font-size:${random.pick([0.5, 0.6, 0.75])}em">${html}</span>`;
  const lines = [];
  const field = 'general:issue_date';
  const plain = context.text(field);
  if (plain && random.chance(0.16)) {
    const date = value(field, escapeText(plain));
    const lead = random.weighted([
      ['', 5],
      [language === 'ru' ? 'от ' : 'dated ', 3],
    ]);
    const place = random.chance(0.2) ? `${escapeText(context.distract('place'))} &nbsp;&nbsp;&nbsp; ` : '';
    lines.push(small(random.chance(0.8) ? place + lead + date : `${lead}${date} № ${random.integer(1, 999)}`));
  }
  if (random.chance(0.12)) {
    const rival = context.rivals.item(field);
    if (rival)
      lines.push(small(random.chance(0.3) ? `(${rival.label} ${rival.value})` : `${rival.label} ${rival.value}`));
  }
  return random.shuffle(lines);
}

export function heading(context) {
  const { random, vocabulary } = context;
  const number = random.chance(0.4)
    ? random.pick(['1. ', '2. ', 'I. ', 'II. ', '3) ', 'А. ', 'Раздел 1. ', 'III. '])
    : '';
  const style = random.pick([
    'font-weight:bold',
    'font-weight:bold;text-align:center',
    'text-align:center',
    'text-decoration:underline',
    `border-bottom:${context.style.border}`,
    'background:#ddd',
    'font-style:italic',
  ]);
  return box(`${style};margin:${random.integer(1, 8)}px 0`, number + escapeText(context.wording(vocabulary.headings)));
}

/** An address whose parts stand in separate blanks, boxes or cells. */
export function addressParts(context) {
  const { random, style } = context;
  const wanted = PARTS.filter((part) => context.text(part) !== '' && random.chance(0.85));
  const group = newGroup();
  const parts = wanted.map((part) => {
    const plain = random.chance(0.7) ? context.facts.bare[part.slice(8)] || context.text(part) : context.text(part);
    return {
      label: context.label(part),
      caption: context.caption(part),
      value: strong(context, value(part, escapeText(plain), group)),
    };
  });
  if (random.chance(0.12)) random.shuffle(parts);
  const spare = () =>
    random.chance(0.12)
      ? [
          {
            label: escapeText(
              random.pick(['корпус', 'строение', 'литера', 'индекс', 'комната', 'Block', 'Postcode', 'Unit']),
            ),
            caption: escapeText(random.pick(['корпус', 'строение', 'литера', 'Block'])),
            value: random.chance(0.5) ? '' : escapeText(context.distract('code')),
          },
        ]
      : [];
  const all = parts.flatMap((part) => [part, ...spare()]);
  const lead = random.chance(0.4)
    ? box(
        '',
        label('general:address', escapeText(context.wording(context.vocabulary.labels['general:address']))) +
          style.colon,
      )
    : '';
  const kind = random.integer(0, 4);
  const blank = (part, flex) =>
    `<span style="flex:${flex};border-bottom:${style.border};padding:0 4px;min-width:20px">${part.value}</span>`;
  if (kind === 0)
    return (
      lead +
      box(
        'display:flex;flex-wrap:wrap;gap:2px 6px',
        all
          .map(
            (part) =>
              `<span style="display:flex;flex:1 1 ${random.pick([90, 150, 300])}px"><span style="white-space:nowrap">${part.label}&nbsp;</span>${blank(part, 1)}</span>`,
          )
          .join(''),
      )
    );
  if (kind === 1)
    return (
      lead +
      `<table style="border-collapse:collapse;width:100%">${all.map((part) => `<tr><td style="border:${style.border};width:${random.integer(30, 50)}%">${part.label}</td><td style="border:${style.border}">${part.value}</td></tr>`).join('')}</table>`
    );
  if (kind === 2)
    return (
      lead +
      box(
        'display:flex;gap:8px',
        all
          .map(
            (part) =>
              `<div style="flex:${random.integer(1, 4)}"><div style="border-bottom:${style.border};min-height:1.1em;text-align:center">${part.value}</div><div style="font-size:.65em;text-align:center">(${part.caption})</div></div>`,
          )
          .join(''),
      )
    );
  if (kind === 3)
    return (
      lead + box('', all.map((part) => `${part.label} <u>&nbsp;${part.value}&nbsp;</u>`).join(random.pick([' ', ', '])))
    );
  const cell = `border:${style.border};padding:1px 3px`;
  return (
    lead +
    `<table style="border-collapse:collapse;width:100%"><tr>${all.map((part) => `<td style="${cell};font-size:.75em">${part.label}</td>`).join('')}</tr><tr>${all.map((part) => `<td style="${cell}">${part.value}</td>`).join('')}</tr></table>`
  );
}

/** A table of the elements of the building with their description, share and wear. */
export function elements(context) {
  const { random, style, vocabulary, language } = context;
  const cell = `border:${random.chance(0.85) ? style.border : '0'};padding:${random.pick(['0 2px', '1px 3px', '3px 5px'])};vertical-align:${random.pick(['top', 'middle'])}`;
  const known = vocabulary.elements.filter(({ field }) => field);
  const other = vocabulary.elements.filter(({ field }) => !field);
  const rows = random.chance(0.7)
    ? [...known.filter(() => random.chance(0.85)), ...random.sample(other, random.integer(0, 8))]
    : random.shuffle([...random.sample(known, 4), ...random.sample(other, random.integer(1, 8))]);
  const used = new Set();
  const columns = ['name', 'text'];
  const extra = random.sample(
    ['state', 'share', 'wear', 'result', 'change', 'quantity'],
    random.weighted([
      [0, 4],
      [1, 3],
      [2, 3],
      [3, 2],
      [4, 1],
    ]),
  );
  const numbers = random.chance(0.5);
  const swapped = random.chance(0.06);
  const order = [...(swapped ? ['text', 'name'] : columns), ...extra];
  const HEADS =
    language === 'ru'
      ? {
          name: [
            'Наименование конструктивных элементов',
            'Наименование',
            'Элементы',
            'Конструктивный элемент',
            'Части здания',
          ],
          text: [
            'Описание',
            'Материал, конструкция, отделка',
            'Описание конструктивных элементов (материал, конструкция или система, отделка и прочее)',
            'Материал',
            'Характеристика',
          ],
          state: ['Техническое состояние', 'Состояние (осадки, трещины, гниль и т.п.)', 'Признаки износа'],
          share: ['Удельный вес', 'Уд. вес по таблице', 'Ценностный коэф.'],
          wear: ['Износ, %', '% износа элемента', 'Процент износа'],
          result: ['% износа к строению', 'Произведение процентов износа'],
          change: ['Изменения', 'Текущие изменения износа'],
          quantity: ['Кол-во', 'Ед. изм.'],
        }
      : {
          name: ['Element', 'Building element', 'Component', 'Item'],
          text: ['Description', 'Material / construction', 'Type', 'Details'],
          state: ['Condition', 'Defects noted', 'Remarks'],
          share: ['Weight', 'Share, %'],
          wear: ['Wear, %', 'Depreciation'],
          result: ['Weighted wear'],
          change: ['Changes'],
          quantity: ['Qty', 'Unit'],
        };
  const cellText = (kind) => {
    if (kind === 'state')
      return random.pick(
        language === 'ru'
          ? ['удовл.', 'хорошее', 'трещины', 'осадка', 'удовлетворительное', '', 'гниль', 'отл.']
          : ['good', 'fair', 'worn', 'satisfactory', 'cracks', ''],
      );
    if (kind === 'share' || kind === 'wear' || kind === 'quantity') return String(random.integer(1, 60));
    if (kind === 'result') return `${random.integer(0, 9)},${random.integer(0, 9)}`;
    return random.chance(0.8) ? '' : String(random.integer(1, 40));
  };
  const groupsWithParts = random.chance(0.2);
  const body = rows.map((row, i) => {
    const name = escapeText(context.wording(row.name));
    const marked = row.field && !used.has(row.field);
    const plain = marked ? context.text(row.field) : '';
    if (marked && plain) used.add(row.field);
    const cells = order.map((kind) => {
      if (kind === 'name') {
        const shown = marked ? label(row.field, name) : name;
        return `<td style="${cell}">${groupsWithParts && random.chance(0.3) ? `${random.pick(['а) ', 'б) ', 'в) ', 'a) ', '- '])}${shown}` : shown}</td>`;
      }
      if (kind === 'text')
        return `<td style="${cell}">${strong(context, marked && plain ? value(row.field, escapeText(plain)) : escapeText(random.chance(0.55) ? context.material() : random.pick(vocabulary.distractorTexts)))}</td>`;
      return `<td style="${cell}">${escapeText(cellText(kind))}</td>`;
    });
    const lead = numbers ? `<td style="${cell}">${i + 1}</td>` : '';
    return `<tr>${lead}${cells.join('')}</tr>`;
  });
  const head = random.chance(0.8)
    ? `<tr>${numbers ? `<td style="${cell}">№</td>` : ''}${order.map((kind) => `<td style="${cell}">${escapeText(random.pick(HEADS[kind]))}</td>`).join('')}</tr>`
    : '';
  const numbersRow =
    head && random.chance(0.2)
      ? `<tr>${[...(numbers ? [0] : []), ...order].map((_, i) => `<td style="${cell};text-align:center">${i + 1}</td>`).join('')}</tr>`
      : '';
  const wear =
    random.chance(0.25) && context.text('construction:wear_percent')
      ? box(
          '',
          `${context.label('construction:wear_percent')}${style.colon} ${strong(context, value('construction:wear_percent', escapeText(context.text('construction:wear_percent'))))}`,
        )
      : '';
  return `<table style="border-collapse:collapse;width:100%;font-size:${random.pick([0.8, 0.9, 1])}em">${head}${numbersRow}${body.join('')}</table>${wear}`;
}

const fieldsOf = (html) => [...html.matchAll(/data-f="([^"]+)"/g)].map(([, field]) => field);

/** One to six sentences with values in them, or one or two paragraphs. */
export function prose(context) {
  const { random, style } = context;
  const used = new Set();
  const parts = [];
  // A second value of the same field would be another statement.
  const add = (html) => {
    const fields = fieldsOf(html);
    if (html === '' || fields.some((field) => used.has(field))) return;
    for (const field of fields) used.add(field);
    parts.push(html);
  };
  const isReport = context.vocabulary.paragraphs.length > 0 && random.chance(0.6);
  if (isReport) for (let i = random.pick([1, 1, 2, 2, 3, 5]); i > 0; i--) add(context.paragraph(used));
  for (let i = 0; !isReport && i < random.integer(1, 7); i++) {
    add(context.sentence());
    if (random.chance(0.15)) parts.push(context.note());
  }
  const clause = isReport && random.chance(0.2) ? random.integer(1, 9) : 0;
  const numbered = parts.map((html, i) =>
    clause ? `${random.chance(0.5) ? `${clause}.${i + 1}` : `${clause + i}.`} ${html}` : html,
  );
  const written = random.weighted([
    ['', 8],
    [style.valueStyle, 1],
    [`border-bottom:${style.border}`, 0.7],
    ['font-weight:bold', 0.5],
  ]);
  const separator = isReport ? random.pick(['<br>', '<br><br>', ' ']) : random.chance(0.75) ? ' ' : '<br>';
  const html = numbered.join(separator);
  return box(
    `text-align:${random.pick(['left', 'justify'])};text-indent:${random.pick([0, 0, 20, 30])}px;margin:3px 0`,
    written ? html.replaceAll('<span data-f=', `<span style="${written}" data-f=`) : html,
  );
}

/** Lines of signatures: function, blank, name. */
export function signatures(context) {
  const { random, style, vocabulary } = context;
  const used = new Set();
  const lines = random.sample(vocabulary.signatures, random.integer(1, 4)).flatMap((one) => {
    if (one.field && used.has(one.field)) return [];
    if (one.field) used.add(one.field);
    const plain = one.field ? context.text(one.field) : context.distract('person');
    if (!plain) return [];
    const name = strong(context, one.field ? value(one.field, escapeText(plain)) : escapeText(plain));
    const role = one.field ? label(one.field, escapeText(one.label)) : escapeText(one.label);
    if (one.field !== 'general:head' || !random.chance(0.3)) return [{ role, name, field: one.field }];
    // The office stands in the caption of its head.
    return [
      {
        role: `${label(one.field, escapeText(headOf(random, context.language)))} ${context.issuer(inGenitive(context.text('general:issuer')), 0.15)}`,
        name,
        field: one.field,
      },
    ];
  });
  const blank = `<span style="display:inline-block;border-bottom:${style.border};width:${random.integer(40, 160)}px">&nbsp;</span>`;
  // Without a date elsewhere, that beside the signature of the office is the date of issue.
  const often = random.pick([0, 0.2, 0.2, 0.5, 0.9]);
  const date = (field) => {
    if (!random.chance(often)) return '';
    if (context.hasIssueDate && random.chance(0.7)) return ` ${escapeText(context.distract('date'))}`;
    const own = context.text('general:issue_date');
    return field && own ? ` ${value('general:issue_date', escapeText(own))}` : '';
  };
  const caption = random.chance(0.3)
    ? `<div style="font-size:.6em;padding-left:${random.integer(60, 300)}px">${escapeText(random.pick(['(подпись) (Ф.И.О.)', '(подпись, фамилия, инициалы)', '(signature) (name)', 'М.П.', '(расшифровка подписи)']))}</div>`
    : '';
  const kind = random.integer(0, 3);
  // The place of the seal stands beside a name.
  if (random.chance(0.15))
    for (const line of lines.filter(() => random.chance(0.5))) {
      const seal = random.pick(['М. П.', 'М.П.', '(М. П.)', '(М.П.)', 'МП', 'L. S.', '(seal)']);
      line.role = random.chance(0.4) ? `${seal} ${line.role}` : line.role;
      line.name = line.role.startsWith(seal) ? line.name : `${line.name} ${seal}`;
    }
  if (kind === 0)
    return lines
      .map(
        ({ role, name, field }) =>
          box(
            `margin:${random.integer(1, 8)}px 0`,
            `${role} ${blank} ${random.chance(0.3) ? `(${name})` : `/ ${name} /`}${date(field)}`,
          ) + caption,
      )
      .join('');
  if (kind === 1)
    return lines
      .map(
        ({ role, name }) =>
          box(
            'display:flex;justify-content:space-between;margin:3px 0',
            `<span>${role}</span>${blank}<span>${name}</span>`,
          ) + caption,
      )
      .join('');
  if (kind === 2)
    return `<table style="border-collapse:collapse">${lines.map(({ role, name, field }) => `<tr><td style="border:${style.border};padding:2px 5px">${role}</td><td style="border:${style.border};padding:2px 5px">${name}</td><td style="border:${style.border};width:80px">${date(field)}</td></tr>`).join('')}</table>`;
  return box(
    'display:flex;gap:20px',
    lines
      .map(
        ({ role, name, field }) =>
          `<div style="flex:1">${role}<br>${blank}<br>${name}${random.chance(0.5) ? `<br>${date(field)}` : ''}</div>`,
      )
      .join(''),
  );
}

/** A stamp with text, over other text or beside it. */
export function stamp(context) {
  const { random, vocabulary, facts } = context;
  const colour = random.pick(['#2038a0', '#6040a0', '#000', '#a02040']);
  const words = random.sample(vocabulary.stamps, random.integer(1, 3)).map(escapeText);
  if (random.chance(0.3))
    words.push(random.chance(0.3) && facts.parent ? escapeText(facts.parent) : escapeText(facts.issuer ?? ''));
  if (random.chance(0.3)) words.push(escapeText(context.distract('date')));
  const round = random.chance(0.6);
  return `<div style="position:absolute;left:${random.integer(5, 75)}%;top:${random.integer(3, 88)}%;width:${random.integer(80, 190)}px;color:${colour};border:2px solid ${colour};${round ? 'border-radius:50%;' : ''}padding:${round ? 18 : 5}px;font-size:${random.pick([6, 7, 8, 9])}pt;line-height:1.1;text-align:center;transform:rotate(${random.chance(0.5) ? 0 : random.integer(-14, 14)}deg);opacity:.85">${words.join('<br>')}</div>`;
}

export function notes(context) {
  const { random } = context;
  const count = random.integer(1, 4);
  return box(
    `font-size:${random.pick([0.65, 0.75, 0.9, 1])}em;text-align:${random.pick(['left', 'justify', 'center'])}`,
    Array.from({ length: count }, () => context.note()).join(' '),
  );
}
