// Composes one page from blocks chosen at random.

import { blocks as choices } from './blocks/choices.mjs';
import { blocks as forms } from './blocks/forms.mjs';
import { footer, letterhead } from './blocks/letterheads.mjs';
import { roomBlocks as lookalikeRooms, blocks as lookalikes } from './blocks/lookalikes.mjs';
import { blocks as otherTables } from './blocks/other-tables.mjs';
import { blocks as pairs } from './blocks/pairs.mjs';
import { addressParts, elements, heading, notes, prose, signatures, stamp, title } from './blocks/parts.mjs';
import { blocks as randomTables } from './blocks/random-tables.mjs';
import { blocks as roomProse } from './blocks/room-prose.mjs';
import { blocks as rooms } from './blocks/rooms.mjs';
import { createContext, FIELDS } from './context.mjs';
import { box, escapeText, label, value } from './markup.mjs';
import { createRandom } from './random.mjs';
import { resolveRivals } from './rivals.mjs';
import { createStyle } from './style.mjs';

const PAIRS = [...pairs, ...forms, ...choices];

const weighted = (random, blocks) => random.weighted(blocks.map((block) => [block, block.weight]));
const KINDS = [
  ['main', 8],
  ['title', 2],
  ['rooms', 5],
  ['mixed', 7],
  ['other', 1.5],
  ['text', 1.5],
  ['elements', 2],
];
/** English passports are more often reports and letters. */
const ENGLISH_KINDS = KINDS.map(([kind, weight]) => [kind, kind === 'text' ? 4 : weight]);

/** `{ html, width, height }` in millimetres; the same number gives the same page. */
export function composePage(number) {
  const random = createRandom(`page ${number}`);
  const style = createStyle(random);
  const context = createContext(random, random.chance(0.72) ? 'ru' : 'en', style);
  const kinds = context.language === 'en' ? ENGLISH_KINDS : KINDS;
  const kind = random.weighted(kinds);
  const parts = [];
  const add = (html) =>
    parts.push(
      box(
        `margin-bottom:${style.gap}px;${random.chance(0.06) ? `padding-left:${random.integer(10, 120)}px;` : ''}`,
        html,
      ),
    );
  const hasLetterhead = random.chance(0.25);
  if (hasLetterhead) add(letterhead(context));
  if (kind !== 'rooms' || random.chance(0.5)) {
    if (!hasLetterhead && random.chance(0.3)) add(fields(context, ['general:issuer'], 0.5));
    if (random.chance(0.75)) add(title(context));
  }
  const sections = {
    main: () => [
      pairsOf(context, random.integer(8, 22)),
      maybe(0.3, () => prose(context)),
      maybe(0.25, () => elements(context)),
      maybe(0.2, () => other(context)),
    ],
    title: () => [pairsOf(context, random.integer(3, 9)), maybe(0.3, () => notes(context))],
    rooms: () => [
      maybe(0.5, () => pairsOf(context, random.integer(1, 6))),
      room(context),
      maybe(0.3, () => other(context)),
    ],
    mixed: () => [
      pairsOf(context, random.integer(4, 14)),
      maybe(0.3, () => elements(context)),
      room(context),
      maybe(0.3, () => pairsOf(context, random.integer(1, 5))),
    ],
    other: () => [
      other(context),
      maybe(0.5, () => pairsOf(context, random.integer(1, 4))),
      maybe(0.6, () => other(context)),
    ],
    text: () => [
      prose(context),
      maybe(0.5, () => prose(context)),
      maybe(0.4, () => pairsOf(context, random.integer(1, 6))),
      maybe(0.3, () => room(context)),
    ],
    elements: () => [
      maybe(0.6, () => pairsOf(context, random.integer(1, 8))),
      elements(context),
      maybe(0.3, () => other(context)),
    ],
  };
  function maybe(chance, make) {
    return random.chance(chance) ? make() : [];
  }
  const more = random.weighted([
    [0, 5],
    [1, 4],
    [2, 2],
  ]);
  const chosen = [kind, ...Array.from({ length: more }, () => random.weighted(kinds))];
  const blocks = chosen
    .flatMap((one) => sections[one]())
    .flat()
    .filter(Boolean);
  // Rooms behind much else would fall below the page.
  const at = blocks.findLastIndex((html) => html.includes('data-f="rooms:'));
  if (at > 1 && random.chance(0.5)) blocks.splice(random.integer(0, 1), 0, ...blocks.splice(at, 1));
  for (const html of blocks) {
    if (random.chance(0.35)) add(heading(context));
    add(html);
    if (random.chance(0.12)) add(notes(context));
  }
  context.hasIssueDate = parts.some((html) => html.includes('data-f="general:issue_date"'));
  if (random.chance(0.45)) add(signatures(context));
  if (random.chance(0.15)) add(notes(context));
  if (random.chance(0.2)) add(footer(context));
  const isWide = style.width > style.height;
  const columns = random.chance(isWide ? 0.4 : 0.15)
    ? panels(parts, random, isWide ? random.integer(2, 3) : 2)
    : style.columns > 1
      ? `<div style="column-count:${style.columns};column-gap:${random.integer(10, 40)}px">${parts.join('')}</div>`
      : parts.join('');
  const isFitted = columns.includes('data-f="rooms:') && random.chance(0.95);
  const stamps = random.chance(0.18) ? stamp(context) : '';
  const html = `<div class="page" style="${style.css}" data-language="${context.language}">${columns}${stamps}${isFitted ? FIT : ''}</div>`;
  return { html: resolveRivals(html), width: style.width, height: style.height };
}

/** Shrinks the text of a page in the browser until its last room stands above the lower margin, if the text stays legible. */
const FIT = `<script>(() => {
  const page = document.currentScript.parentElement;
  const start = parseFloat(page.style.fontSize);
  for (let i = 0, size = start; i < 3; i++) {
    const cells = page.querySelectorAll('[data-f^="rooms:"]');
    const frame = page.getBoundingClientRect();
    const last = Math.max(...[...cells].map((cell) => cell.getBoundingClientRect().bottom)) - frame.top;
    if (last < frame.height - 8 || size <= 5) return;
    size = Math.max(5, size * Math.max(0.5, ((frame.height - 8) / last) ** 1.15));
    page.style.fontSize = size + 'pt';
    page.style.lineHeight = Math.min(1.25, parseFloat(page.style.lineHeight));
  }
})()</script>`;

/** Distributes the parts over columns side by side, below some parts of full width. */
function panels(parts, random, count) {
  const head = parts.splice(0, random.integer(0, Math.min(2, parts.length - 1)));
  const line = random.chance(0.4) ? `border-left:1px solid ${random.pick(['#000', '#555', '#999'])};` : '';
  const gap = random.integer(4, 22);
  const share = Math.ceil(parts.length / count);
  const columns = Array.from({ length: count }, (_, i) => parts.slice(i * share, (i + 1) * share)).filter(
    (column) => column.length > 0,
  );
  const html = columns.map((column, i) =>
    box(
      `flex:${random.pick([1, 1, 1, 1.3, 0.8])};min-width:0;overflow:hidden;${i > 0 ? `${line}padding-left:${gap}px;` : ''}`,
      column.join(''),
    ),
  );
  return `${head.join('')}<div style="display:flex;gap:${gap}px;font-size:${random.pick([0.65, 0.75, 0.85])}em">${html.join('')}</div>`;
}

/** Items of chosen fields with distractors between them, in one or several layouts. */
function pairsOf(context, count) {
  const { random } = context;
  context.used ??= new Set();
  const known = Object.keys(FIELDS).filter((field) => !context.used.has(field));
  const ordered = random.chance(0.5) ? random.shuffle(known) : known;
  const chosen = ordered.filter(() => random.chance(Math.min(1, count / Math.max(1, known.length))));
  const out = [];
  let open = [];
  const flush = () => {
    if (open.length > 0) out.push(weighted(random, PAIRS).make(context, open));
    open = [];
  };
  const clutter = random.pick([0, 0.1, 0.3, 0.6, 1]);
  const confusion = random.pick([0, 0.15, 0.4, 0.8]);
  let size = random.integer(2, 16);
  for (const field of chosen) {
    if (field === 'general:floors' && context.used.has(field)) continue;
    context.used.add(field);
    if (field === 'general:address' && random.chance(0.4)) {
      flush();
      out.push(addressParts(context));
      continue;
    }
    const isCombined = field === 'general:floor' && !context.used.has('general:floors') && random.chance(0.4);
    const item = isCombined ? floorOfFloors(context) : context.item(field);
    const isEmpty = random.chance(0.04);
    const beside = rivals(context, field, confusion);
    if (item) beside.splice(random.integer(0, beside.length), 0, isEmpty ? { ...item, value: '', plain: '' } : item);
    open.push(...beside);
    while (random.chance(clutter / (1 + clutter))) open.push(context.distractor());
    if (open.length >= size) {
      flush();
      size = random.integer(1, 14);
    }
  }
  // A weaker wording alone is the value.
  if (!context.used.has('general:year_built') && random.chance(0.1))
    open.push(context.rivals.item('general:year_built'));
  flush();
  if (random.chance(0.15)) out.push(prose(context));
  return out;
}

/** Items that look like the field and stand beside it, most often for those that forms print in several kinds. */
function rivals(context, field, confusion) {
  const { random } = context;
  if (!context.rivals.has(field)) return [];
  const isMixed = field === 'general:year_built' || field === 'general:issue_date';
  if (!random.chance(isMixed ? Math.min(1, confusion * 1.6) : confusion * 0.5)) return [];
  const count = random.weighted([
    [1, 5],
    [2, isMixed ? 4 : 1],
    [3, isMixed ? 2 : 0.3],
  ]);
  return Array.from({ length: count }, () => context.rivals.item(field));
}

const FLOOR_LABELS = {
  ru: [
    'Этаж / этажность',
    'Этаж/этажность',
    'Этаж / количество этажей',
    'Этаж, этажность',
    'этаж/этажей в доме',
    'Эт./этажн.',
    'На каком этаже / всего этажей',
    'Этаж (всего этажей)',
  ],
  en: ['Floor / storeys', 'Floor/No. of floors', 'Level / total levels', 'Floor of floors', 'Floor (of total)'],
};

/** Floor and number of storeys in one blank: 2 / 5. */
function floorOfFloors(context) {
  const { random, facts, language } = context;
  if (!facts.floor || !facts.floors) return context.item('general:floor');
  context.used.add('general:floors');
  const text = escapeText(random.pick(FLOOR_LABELS[language]));
  const [floor, floors] = [value('general:floor', facts.floor), value('general:floors', facts.floors)];
  const mark = random.pick([' / ', '/', ' из ', ' (', ', ']);
  const joined =
    mark === ' (' ? `${floor} (${floors})` : `${floor}${language === 'en' && mark === ' из ' ? ' of ' : mark}${floors}`;
  return {
    field: 'general:floor',
    label: label('general:floor', text),
    caption: label('general:floor', text),
    value: joined,
    plain: `${facts.floor} / ${facts.floors}`,
  };
}

function fields(context, names) {
  const items = names.flatMap((name) => context.item(name) ?? []);
  const { random } = context;
  // A letterhead has no label.
  return random.chance(0.6)
    ? box(`text-align:${random.pick(['left', 'center', 'right'])}`, items.map((item) => item.value).join('<br>'))
    : weighted(random, PAIRS).make(context, items);
}

function room(context) {
  return weighted(context.random, [...rooms, ...roomProse, ...(context.language === 'en' ? lookalikeRooms : [])]).make(
    context,
  );
}

function other(context) {
  return weighted(context.random, [...otherTables, ...randomTables, ...lookalikes]).make(context);
}
