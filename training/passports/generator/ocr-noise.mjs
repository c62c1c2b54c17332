// Errors that OCR makes, applied to words read from the DOM: confused characters, split and joined words, doubtful
// confidence, shifted boxes, lost words and rules, words made of dirt.
const CONFUSED = {
  о: 'оос0',
  О: '0ОО',
  0: '0ОО',
  3: '3З5',
  З: '33З',
  5: '5S6',
  1: '1I|l',
  l: '1I',
  I: '1|l',
  б: '6бб',
  6: '6б8',
  8: '8В3',
  В: 'В8',
  п: 'пнл',
  н: 'нпи',
  и: 'иннй',
  й: 'ий',
  ш: 'шщи',
  щ: 'шщ',
  ц: 'цп',
  е: 'есё',
  с: 'се',
  а: 'аo',
  л: 'лп',
  д: 'дл',
  ж: 'жк',
  м: 'мн',
  т: 'тг',
  г: 'гт',
  з: 'з3э',
  э: 'эз',
  ь: 'ьъы',
  ы: 'ыь',
  ю: 'юо',
  я: 'яа',
  '.': '.,',
  ',': ',.',
  '«': '«"<',
  '»': '»">',
  '-': '-—_',
  '/': '/1|',
  4: '4А',
  7: '71?',
  2: '2?',
  9: '9д',
  '№': 'N№М',
  '²': '2*?"',
  '%': '%°',
  a: 'aа',
  e: 'eе',
  o: 'oо',
  c: 'cс',
  p: 'pр',
  n: 'nhи',
  r: 'rг',
  m: 'mм',
  u: 'uи',
  g: 'g9',
  q: 'q9',
  t: 'tт',
  h: 'hb',
  B: 'B8В',
  S: 'S5',
  A: 'AА',
};
const DIRT = ['|', '.', '-', '—', '_', ',', '`', "'", '=', ':', '|', 'у', '°', '*', 'i', 'Г', '1'];

/** Changes `page` in place; `level` about 0.2 (clean scan) to 2 (bad photo). */
export function addOcrNoise(page, random, level) {
  const words = [];
  const dirt = { left: random.chance(0.2 * level), share: random.chance(0.4) ? 0.01 * level : 0 };
  const shift = () => (random.next() - 0.5) * 0.0012 * level;
  const tilt = (random.next() - 0.5) * 0.006 * level;
  for (const word of page.words) {
    const [x0, y0, x1, y1] = word.box;
    const height = y1 - y0;
    if (random.chance(0.006 * level + (height < 0.0045 ? 0.05 * level : 0))) continue;
    let { text } = word;
    // Underscores and dots around a value are read as part of a line or not at all.
    if (/^[_.…-]{3,}$/u.test(text)) {
      if (random.chance(0.7)) continue;
    } else text = text.replace(/_+/gu, () => (random.chance(0.7) ? '' : '_'));
    const rate = 0.012 * level * (random.chance(0.08) ? 8 : 1);
    let wrong = 0;
    text = [...text]
      .map((character) => {
        if (!random.chance(rate)) return character;
        wrong++;
        const near = CONFUSED[character];
        if (near && random.chance(0.8)) return near[Math.floor(random.next() * near.length)];
        return random.chance(0.4) ? '' : character + random.pick(['.', ',', 'и', "'", '-', '']);
      })
      .join('');
    if (text === '') continue;
    const confidence = Math.max(
      0.02,
      Math.min(
        0.97,
        0.955 -
          0.3 * wrong * random.next() -
          (random.chance(0.1 * level) ? 0.6 * random.next() : 0) -
          0.03 * random.next(),
      ),
    );
    const y = tilt * ((x0 + x1) / 2 - 0.5);
    const made = { ...word, text, confidence, box: [x0 + shift(), y0 + y + shift(), x1 + shift(), y1 + y + shift()] };
    if (text.length > 5 && random.chance(0.008 * level)) {
      const cut = random.integer(2, text.length - 2);
      const middle = x0 + ((x1 - x0) * cut) / text.length;
      words.push({ ...made, text: text.slice(0, cut), box: [made.box[0], made.box[1], middle - 0.001, made.box[3]] });
      words.push({ ...made, text: text.slice(cut), box: [middle, made.box[1], made.box[2], made.box[3]] });
      continue;
    }
    const last = words.at(-1);
    // Two words without their space.
    if (
      last &&
      random.chance(0.01 * level) &&
      last.field === word.field &&
      last.group === word.group &&
      Math.abs(last.box[3] - made.box[3]) < 0.3 * height &&
      made.box[0] - last.box[2] < 0.5 * height &&
      made.box[0] > last.box[2] - height
    ) {
      last.text += text;
      last.box = [last.box[0], Math.min(last.box[1], made.box[1]), made.box[2], Math.max(last.box[3], made.box[3])];
      continue;
    }
    words.push(made);
    if (dirt.share > 0 && random.chance(dirt.share)) {
      words.push({
        text: random.pick(DIRT),
        confidence: 0.1 + 0.7 * random.next(),
        group: 0,
        box: [x1 + 0.002, y0, x1 + 0.006, y1],
      });
    }
  }
  if (dirt.left) {
    for (let i = random.integer(1, 12); i > 0; i--) {
      const x = random.chance(0.5) ? 0.01 + 0.02 * random.next() : 0.96 + 0.03 * random.next();
      const y = random.next();
      words.push({
        text: random.pick(DIRT),
        confidence: 0.1 + 0.8 * random.next(),
        group: 0,
        box: [x, y, x + 0.004, y + 0.01],
      });
    }
  }
  page.words = words;
  const lost = random.chance(0.3) ? 0.1 * level * random.next() : 0.01 * level;
  page.rules = page.rules
    .filter(() => !random.chance(lost))
    .map(([x0, y0, x1, y1]) => [
      x0 + shift(),
      y0 + tilt * ((x0 + x1) / 2 - 0.5),
      x1 + shift(),
      y1 + tilt * ((x0 + x1) / 2 - 0.5),
    ]);
}
