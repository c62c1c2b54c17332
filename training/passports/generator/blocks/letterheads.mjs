// Page furniture: letterheads with the office and its own address, and footers. Only the issuer is marked.
import { box, escapeText, value } from '../markup.mjs';
import { rivalValue } from '../rivals.mjs';

const WORDS = {
  ru: {
    above: [
      'Министерство экономического развития Российской Федерации',
      'РОССИЙСКАЯ ФЕДЕРАЦИЯ',
      'Федеральное агентство кадастра объектов недвижимости',
      'Министерство жилищно-коммунального хозяйства РСФСР',
      'Министерство коммунального хозяйства',
      'Администрация области',
      'Федеральная служба государственной регистрации, кадастра и картографии',
      'Исполнительный комитет Совета народных депутатов',
      'Управление архитектуры и градостроительства',
      'Департамент имущественных отношений',
      'Комитет по управлению имуществом',
    ],
    address: ['Адрес: ', 'Юр. адрес: ', 'Местонахождение: ', '', '', 'Почтовый адрес: ', 'адрес организации: '],
    motto: [
      'Система менеджмента качества сертифицирована',
      'Служим точности',
      'Филиал № 3',
      'Северное отделение',
      'Отдел по работе с гражданами',
      'Участок № 2',
      'Сектор учета',
    ],
  },
  en: {
    above: [
      'Department of Finance',
      'Office of the County Assessor',
      'Ministry of Housing',
      'Land and Property Services',
      'Chartered Surveyors',
      'Department of Environment',
      'City Council',
      'Registry of Deeds',
      'Valuation Office',
      'National Mapping Agency',
    ],
    address: ['Office: ', 'Registered office: ', '', '', '', 'Head office: ', 'Correspondence to: '],
    motto: [
      'Regulated by RICS',
      'ISO 9001 certified',
      'North branch',
      'Surveying since 1962',
      'Public records division',
      'Room 12',
    ],
  },
};

const digits = (random, count) => Array.from({ length: count }, () => random.integer(0, 9)).join('');

/** Lines about the office: telephones, numbers, bank, address, outgoing number. */
function details(context) {
  const { random, language } = context;
  const phone = () =>
    random.pick(
      language === 'ru'
        ? [
            `(${digits(random, 4)}) ${digits(random, 2)}-${digits(random, 2)}-${digits(random, 2)}`,
            `8 (${digits(random, 3)}) ${digits(random, 3)}-${digits(random, 2)}-${digits(random, 2)}`,
            `${random.integer(2, 9)}-${digits(random, 2)}-${digits(random, 2)}`,
            `+7 ${digits(random, 3)} ${digits(random, 7)}`,
          ]
        : [
            `(${digits(random, 3)}) ${digits(random, 3)}-${digits(random, 4)}`,
            `+44 ${digits(random, 4)} ${digits(random, 6)}`,
            `0${digits(random, 3)} ${digits(random, 3)} ${digits(random, 4)}`,
          ],
    );
  const site = `${random.pick(['bti', 'kadastr', 'inventory', 'survey', 'office', 'mail', 'info'])}@${random.pick(['region', 'city', 'bti', 'cadastre', 'survey'])}${random.integer(1, 99)}.${language === 'ru' ? 'ru' : random.pick(['org', 'gov', 'com'])}`;
  const address = escapeText(random.pick(WORDS[language].address) + context.distract('place'));
  const others =
    language === 'ru'
      ? [
          `тел. ${phone()}`,
          `тел./факс: ${phone()}`,
          `Тел.: ${phone()}, ${phone()}`,
          `ИНН ${digits(random, 10)}`,
          `ИНН/КПП ${digits(random, 10)}/${digits(random, 9)}`,
          `ОГРН 1${digits(random, 12)}`,
          `ОКПО ${digits(random, 8)}`,
          `р/с 40${digits(random, 18)}`,
          `БИК 04${digits(random, 7)}`,
          `e-mail: ${site}`,
          `Исх. № ${random.integer(1, 9999)} от ${context.distract('date')}`,
          `На № _______ от _________`,
          `Лицензия № ${digits(random, 5)} от ${context.distract('date')}`,
          `Заказ № ${random.integer(1, 99999)}`,
          `Аттестат № ${random.integer(10, 99)}-${random.integer(10, 16)}-${random.integer(1, 900)}`,
        ]
      : [
          `Tel: ${phone()}`,
          `Fax ${phone()}`,
          `Phone ${phone()}`,
          site,
          `VAT no. ${digits(random, 9)}`,
          `Company no. ${digits(random, 8)}`,
          `Our ref: ${random.pick(['AB', 'JS', 'RM'])}/${random.integer(1, 999)}`,
          `Your ref: ________`,
          `Licence ${digits(random, 6)}`,
          `Printed ${context.distract('date')}`,
          `Job ${digits(random, 5)}`,
        ];
  return [...(random.chance(0.8) ? [address] : []), ...random.sample(others, random.integer(1, 5)).map(escapeText)];
}

/** The head of a sheet with the name of the office. */
export function letterhead(context) {
  const { random, style, facts, language } = context;
  const words = WORDS[language];
  const issuer = facts.issuer
    ? `<div style="${random.pick(['font-weight:bold', 'font-weight:bold', '', 'font-style:italic'])};font-size:${random.pick([0.9, 1, 1.1, 1.3, 1.6])}em;line-height:1.15">${value('general:issuer', escapeText(facts.issuer))}</div>`
    : '';
  const parent =
    facts.parent && random.chance(0.6)
      ? box(
          `font-size:${random.pick([0.8, 0.9, 1, 1.2])}em;${random.chance(0.3) ? 'font-weight:bold' : ''}`,
          rivalValue('general:issuer', 2, escapeText(random.chance(0.15) ? facts.parent.toUpperCase() : facts.parent)),
        )
      : '';
  const description = random.chance(0.3)
    ? box(`font-size:${random.pick([0.7, 0.85, 1])}em`, escapeText(facts.description ?? ''))
    : '';
  // A letterhead of the parent alone names the issuer.
  const office = parent && random.chance(0.15) ? '' : issuer;
  const named = random.pick([parent + office, parent + office, office + parent]) + description;
  const above = random
    .sample(
      words.above,
      random.weighted([
        [0, 4],
        [1, 4],
        [2, 1],
      ]),
    )
    .map((text) =>
      box(random.chance(0.3) ? 'font-weight:bold' : '', escapeText(random.chance(0.3) ? text.toUpperCase() : text)),
    );
  const motto = random.chance(0.15) ? box('font-style:italic', escapeText(random.pick(words.motto))) : '';
  const small = random.pick([0.6, 0.7, 0.8, 0.9]);
  const lines = details(context);
  const contact = box(
    `font-size:${small}em;line-height:1.2`,
    lines.join(random.pick(['<br>', ', ', '; ', ' | ', ' &nbsp; '])),
  );
  const rule = random.pick([
    `border-bottom:${style.border};`,
    'border-bottom:3px double #000;',
    'border-bottom:2px solid #000;',
    '',
    '',
    `border:${style.border};padding:3px;`,
  ]);
  const align = random.pick(['center', 'center', 'left', 'right']);
  const logo = `<div style="width:${random.integer(22, 60)}px;height:${random.integer(22, 50)}px;border:${style.border};text-align:center;font-size:.7em;flex:none">${escapeText(random.pick(language === 'ru' ? ['', '', 'БТИ', 'герб'] : ['', '', 'LOGO', 'PS']))}</div>`;
  const kind = random.integer(0, 3);
  const main = above.join('') + named + motto;
  const margin = `margin-bottom:${random.integer(3, 14)}px;`;
  if (kind === 0) return box(`${rule}${margin}text-align:${align}`, main + contact);
  if (kind === 1)
    return box(
      `${rule}${margin}display:flex;justify-content:space-between;gap:14px`,
      `<div style="max-width:60%">${main}</div><div style="max-width:45%;text-align:${random.pick(['left', 'right'])}">${contact}</div>`,
    );
  if (kind === 2)
    return box(
      `${rule}${margin}display:flex;gap:10px;align-items:center`,
      `${logo}<div style="flex:1;text-align:${align}">${main}${contact}</div>`,
    );
  // A corner stamp of an office, at the left.
  return box(
    `${margin}display:flex`,
    `<div style="width:${random.integer(32, 48)}%;text-align:center;font-size:.9em;${random.chance(0.3) ? `border:${style.border};padding:4px` : ''}">${main}${contact}</div>`,
  );
}

/** The foot of a sheet, in the text or at the lower edge of the page. */
export function footer(context) {
  const { random, style, language } = context;
  const number = random.integer(1, 14);
  const pages =
    language === 'ru'
      ? [
          `Страница ${number} из ${number + random.integer(0, 9)}`,
          `стр. ${number}`,
          `- ${number} -`,
          `${number}`,
          `Лист ${number}`,
          `Лист № ${number}  Листов ${number + 3}`,
          `Приложение к договору № ${random.integer(1, 999)}`,
        ]
      : [
          `Page ${number} of ${number + random.integer(0, 9)}`,
          `- ${number} -`,
          `${number}`,
          `Sheet ${number}`,
          `p. ${number}`,
        ];
  const others =
    language === 'ru'
      ? [
          `Отпечатано ${context.distract('date')}`,
          `Тип. № ${random.integer(1, 9)} Зак. ${random.integer(100, 9999)} Тир. ${random.integer(1, 90)}000`,
          `Исп. ${context.distract('person')}`,
          `тел. ${digits(random, 2)}-${digits(random, 2)}-${digits(random, 2)}`,
          `Форма ${random.integer(1, 40)}-БТИ`,
          `Ф. № ${random.integer(1, 30)}, ${random.integer(1955, 1999)} г.`,
          'Без печати недействителен',
          'Документ сформирован в автоматизированной системе',
          'Госзнак. Москва, 1998',
          `Заказ ${random.integer(1000, 99999)}`,
          `ИНН ${digits(random, 10)}`,
        ]
      : [
          `Printed on ${context.distract('date')}`,
          `Ref ${digits(random, 6)}`,
          'Crown copyright',
          'Not valid without seal',
          `Form ${random.integer(1, 90)} (rev. ${random.integer(1, 12)}/${random.integer(85, 99)})`,
          'Confidential',
          `Prepared by ${context.distract('person')}`,
          'This report is subject to the terms of engagement',
        ];
  const parts = random
    .shuffle([
      ...random.sample(pages, 1),
      ...random.sample(others, random.integer(0, 3)),
      ...(random.chance(0.2) ? [context.distract('place')] : []),
    ])
    .map(escapeText);
  const issued = context.text('general:issue_date');
  if (random.chance(0.08) && issued) {
    const lead = random.pick(
      language === 'ru'
        ? ['Паспорт от', 'от', 'Технический паспорт от', '']
        : ['Report of', 'dated', 'Passport of', ''],
    );
    parts.push(`${lead} ${value('general:issue_date', escapeText(issued))}`);
  }
  if (random.chance(0.12) && context.facts.issuer)
    parts.push(value('general:issuer', escapeText(context.facts.issuer)));
  const rule = random.chance(0.5) ? `border-top:${style.border};` : '';
  const size = `font-size:${random.pick([0.55, 0.65, 0.75, 0.85])}em;line-height:1.1;`;
  // The lower margin of the page is free of text.
  const place = random.chance(0.5)
    ? `position:absolute;left:${style.margin[3]}mm;right:${style.margin[1]}mm;bottom:${random.integer(1, 3)}mm;`
    : `margin-top:${random.integer(3, 14)}px;`;
  if (random.chance(0.5))
    return box(
      `${place}${size}${rule}display:flex;justify-content:space-between;gap:10px`,
      parts.map((part) => `<span>${part}</span>`).join(''),
    );
  return box(
    `${place}${size}${rule}text-align:${random.pick(['center', 'left', 'right'])}`,
    parts.join(random.pick([' &nbsp; ', ' | ', '. ', place.startsWith('position') ? ' · ' : '<br>'])),
  );
}
