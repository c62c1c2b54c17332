// The typography of one page.
const FONTS = [
  ['Liberation Sans', 5],
  ['Liberation Serif', 6],
  ['Liberation Mono', 2],
  ['DejaVu Sans', 2],
  ['DejaVu Serif', 2],
  ['DejaVu Sans Mono', 1],
  ['PT Sans', 3],
  ['PT Serif', 3],
  ['PT Mono', 1],
  ['PT Sans Narrow', 1],
  ['FreeSerif', 2],
  ['FreeSans', 1],
  ['FreeMono', 1],
  ['Noto Sans', 2],
  ['Noto Serif', 2],
  ['Roboto', 2],
  ['Roboto Condensed', 1],
  ['Open Sans', 2],
  ['Liberation Sans Narrow', 1],
];
const SIZES = [
  [[210, 297], 12],
  [[297, 210], 4],
  [[148, 210], 2],
  [[210, 148], 1],
  [[297, 420], 1],
  [[420, 297], 2],
  [[216, 279], 1],
];

/** Random sizes, fonts and colours; `width` and `height` of the page in millimetres. */
export function createStyle(random) {
  const [width, height] = random.weighted(SIZES);
  const font = random.weighted(FONTS);
  const size =
    random.pick([7.5, 8, 8.5, 9, 9.5, 10, 10, 10.5, 11, 11, 12, 12, 13, 14]) * (width * height < 35_000 ? 0.8 : 1);
  const valueFont = random.chance(0.3) ? random.weighted(FONTS) : font;
  const margin = [random.integer(6, 28), random.integer(6, 24), random.integer(6, 20), random.integer(8, 30)];
  const line = random.pick([1, 1.1, 1.15, 1.2, 1.3, 1.5, 1.8]);
  const border = `${random.pick([0.5, 0.7, 1, 1, 1.5, 2])}px solid ${random.pick(['#000', '#000', '#444', '#888'])}`;
  const valueStyle = [
    `font-family:'${valueFont}'`,
    random.chance(0.2) ? 'font-style:italic' : '',
    random.chance(0.2) ? 'font-weight:bold' : '',
    random.chance(0.12) ? 'color:#1a2f8a' : '',
    random.chance(0.15) ? `font-size:${random.pick([0.9, 1.1, 1.2, 1.3])}em` : '',
  ]
    .filter(Boolean)
    .join(';');
  const labelStyle = [
    random.chance(0.15) ? 'font-weight:bold' : '',
    random.chance(0.1) ? 'color:#555' : '',
    random.chance(0.08) ? 'font-style:italic' : '',
  ]
    .filter(Boolean)
    .join(';');
  return {
    width,
    height,
    font,
    size,
    margin,
    line,
    border,
    valueStyle,
    labelStyle,
    css: `font-family:'${font}';font-size:${size}pt;line-height:${line};padding:${margin.map((mm) => `${mm}mm`).join(' ')};width:${width}mm;height:${height}mm`,
    /** In parts of the page: how much a blank between blocks. */
    gap: random.pick([0, 2, 4, 6, 8, 12]),
    colon: random.pick(['', '', ':', ':', ' -', ' –', '.', ' =']),
    columns: width > height && random.chance(0.6) ? 2 : random.chance(0.08) ? 2 : 1,
  };
}
