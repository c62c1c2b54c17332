// Rooms in running text and in lists, with dimensions that are not areas.
import { box, escapeText, newGroup, value } from '../markup.mjs';

const EXTRAS = {
  ru: [
    'пол дощатый',
    'окно на юг',
    'с печью',
    'проходная',
    'смежная',
    'изолированная',
    'с выходом на балкон',
    'пол - плитка',
    'стены оклеены обоями',
    'отопление печное',
  ],
  en: [
    'with bay window',
    'fireplace',
    'fitted units',
    'carpeted',
    'window to rear',
    'quarry-tiled floor',
    'radiator',
    'built-in wardrobe',
    'exposed beams',
    'rear aspect',
  ],
};

function make(context) {
  const { random, facts, language, format } = context;
  const withNumber = random.chance(0.6);
  const withSize = random.chance(0.4);
  const withHeight = random.chance(0.2);
  const numberFirst = random.chance(0.8);
  const nameOnly = random.chance(0.05);
  const sizeFirst = random.chance(0.6);
  const unit = random.chance(0.7) ? ` ${random.pick(context.vocabulary.units.area)}` : '';
  const link = random.pick([' – ', ' - ', ', ', ': ', ' площадью ', ' ', ' = ', language === 'en' ? ' of ' : ' пл. ']);
  const mark = random.pick([
    (n) => `${n}.`,
    (n) => n,
    (n) => `(${n})`,
    (n) => `№ ${n}`,
    (n) => `${n})`,
    (n) => `${language === 'en' ? 'Room' : 'помещение'} ${n}`,
  ]);
  const rooms = facts.rooms.slice(0, random.integer(2, 14)).map((room) => {
    const row = newGroup();
    const number = withNumber ? mark(value('rooms:no', escapeText(room.no), row)) : '';
    const name = value('rooms:name', escapeText(room.name), row);
    const area = `${value('rooms:area', escapeText(String(format.area(room.area, random))), row)}${unit}`;
    const side = (room.area ** 0.5 * (0.7 + 0.6 * random.next())).toFixed(2);
    const size = withSize
      ? `${side} ${random.pick(['x', '×', 'х', 'by', '*'])} ${(room.area / side).toFixed(2)}${random.pick([' m', ' м', 'm', ''])}`
      : '';
    const height =
      withHeight && room.height
        ? `, ${language === 'en' ? 'height' : random.pick(['высота', 'h =', 'выс.'])} ${value('rooms:height', escapeText(String(format.height(room.height, random))), row)}`
        : '';
    const extra = random.chance(0.15) ? ` ${random.pick(EXTRAS[language])}` : '';
    const measure = nameOnly
      ? ''
      : size && sizeFirst
        ? `${link}${size}, ${area}`
        : size
          ? `${link}${area} (${size})`
          : `${link}${area}`;
    return `${numberFirst ? `${number} ${name}` : `${name} ${number ? `(${number})` : ''}`}${extra}${measure}${height}`;
  });
  const joined = rooms.join(random.pick(['; ', ', ', '. ', '<br>', '<br>', '; ']));
  const frames = context.roomSentences ?? [];
  if (frames.length > 0 && random.chance(0.6))
    return box('text-align:justify', context.fill(random.pick(frames)).replace('{rooms}', joined));
  return box(`text-align:${random.pick(['left', 'justify'])}`, joined);
}

export const blocks = [{ name: 'room prose', kind: 'rooms', weight: 2, make }];
