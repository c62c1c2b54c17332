// Tables as grids of cells, printed with ruled lines in HTML or drawn with characters.
//
// A grid is a list of rows `{ kind, cells }`. The kind is head, numbers, body, band, subtotal, total or empty.
// A cell is `{ html, span, rows, align, vertical, gap, quiet }`; a cell with `rows` also covers the rows below it.
import { escapeText } from '../markup.mjs';

/** A cell of a grid. */
export const cell = (html = '', more = {}) => ({ html, span: 1, rows: 1, ...more });

/** A table cell that holds no value. */
export const blank = (more = {}) => cell('', more);

/** How many columns of text fit the width of the page. */
export function widthInCharacters({ style }) {
  const millimetres = (style.width - style.margin[1] - style.margin[3]) / (style.columns || 1);
  return Math.max(20, millimetres / (style.size * 0.3528 * 0.52));
}

const LINES = [
  { h: '─', v: '│', top: '┌┬┐', middle: '├┼┤', bottom: '└┴┘' },
  { h: '═', v: '║', top: '╔╦╗', middle: '╠╬╣', bottom: '╚╩╝' },
  { h: '─', v: '│', top: '───', middle: '─┼─', bottom: '───' },
  { h: '-', v: '|', top: '+++', middle: '+++', bottom: '+++' },
  { h: '-', v: '|', top: '---', middle: '|+|', bottom: '---' },
  { h: '-', v: '|', top: ' - ', middle: '|-|', bottom: ' - ' },
  { h: '-', v: '!', top: '---', middle: '!-!', bottom: '---' },
  { h: '-', v: 'I', top: '---', middle: 'I+I', bottom: '---' },
  { h: '=', v: '|', top: '===', middle: '===', bottom: '===' },
  { h: '-', v: ':', top: '---', middle: ':-:', bottom: '---' },
  { h: '-', v: ' ', top: '---', middle: '---', bottom: '---' },
];

/** Random choices about how a table looks. `options.characters` is the chance that characters draw it. */
export function createLook(context, options = {}) {
  const { random, style } = context;
  const [width, , color] = style.border.split(' ');
  const line = random.weighted([
    [style.border, 10],
    [`${random.pick([0.5, 1, 1.5])}px solid #000`, 3],
    [`1px solid ${random.pick(['#999', '#bbb', '#ccc'])}`, 2],
    [`1px ${random.pick(['dotted', 'dashed'])} ${color}`, 1],
    [`3px double ${color}`, 1],
    [`${random.pick([2, 2.5])}px solid ${color}`, 1],
  ]);
  return {
    characters: random.chance(options.characters ?? 0.1),
    ruled: random.weighted([
      ['all', 13],
      ['outer', 2],
      ['rows', 3],
      ['columns', 2],
      ['columns and outer', 2],
      ['head', 3],
      ['none', 3],
      ['thick outer', 2],
      ['double outer', 1],
    ]),
    line,
    thick: `${Math.max(2, Number.parseFloat(width) * 2)}px solid ${color}`,
    double: `3px double ${color}`,
    padding: random.pick([
      '0 1px',
      '0 2px',
      '0 3px',
      '1px 3px',
      '1px 4px',
      '2px 4px',
      '3px 6px',
      '4px 5px',
      '5px 8px',
      '8px',
    ]),
    height: random.chance(0.12) ? random.integer(18, 34) : 0,
    leading: random.chance(0.4) ? random.pick([0.95, 1, 1.1, 1.3]) : 0,
    scale: random.pick([0.75, 0.8, 0.85, 0.9, 0.95, 1, 1, 1]),
    boldHead: random.chance(0.25),
    headBackground: random.chance(0.12) ? random.pick(['#eee', '#ddd', '#e8eef5', '#f4f0e0']) : '',
    headScale: random.pick([0.75, 0.85, 0.9, 1, 1, 1]),
    headAlign: random.pick(['center', 'center', 'center', 'left']),
    headVertical: random.pick(['middle', 'middle', 'top', 'bottom']),
    boldTotal: random.chance(0.3),
    zebra: random.chance(0.08) ? random.pick(['#f3f3f3', '#eef3fa', '#f7f7ea']) : '',
    bodyVertical: random.pick(['middle', 'top', 'bottom', 'middle']),
    verticalHeight: random.integer(60, 140),
    flip: random.chance(0.85),
    full: random.chance(0.7),
    part: random.integer(55, 95),
    place: random.pick(['0', '0', '0 auto', '0 0 0 auto']),
    lines: random.pick(LINES),
    lineEvery: random.chance(0.25),
    monospaced: random.pick(['Liberation Mono', 'DejaVu Sans Mono', 'FreeMono', 'PT Mono', 'Liberation Mono']),
    wrapAt: random.integer(9, 30),
    charactersFull: random.chance(0.3),
  };
}

/** Prints a grid. `columns` may hold `{ width, align }`. */
export function renderGrid(context, grid, look, columns = []) {
  return look.characters ? drawGrid(context, grid, look, columns) : ruleGrid(context, grid, look, columns);
}

function cellBorder(look, kind, last) {
  const head = kind === 'head' || kind === 'numbers';
  switch (look.ruled) {
    case 'all':
    case 'thick outer':
    case 'double outer':
      return `border:${look.line};`;
    case 'rows':
      return `border-bottom:${look.line};`;
    case 'columns':
      return `border-left:${look.line};border-right:${look.line};${head ? `border-bottom:${look.line};` : ''}`;
    case 'columns and outer':
      return head || kind === 'total' ? `border:${look.line};` : `border-left:${look.line};border-right:${look.line};`;
    case 'head':
      return head || last ? `border-top:${look.line};border-bottom:${look.line};` : '';
    default:
      return '';
  }
}

function ruleGrid(context, grid, look, columns) {
  const { style } = context;
  let outer = '';
  if (look.ruled === 'outer' || look.ruled === 'columns and outer') outer = `border:${look.line};`;
  if (look.ruled === 'thick outer') outer = `border:${look.thick};`;
  if (look.ruled === 'double outer') outer = `border:${look.double};`;
  const wide = look.full
    ? 'width:100%;'
    : look.part > 75
      ? `width:${look.part}%;margin:${look.place};`
      : `margin:${look.place};`;
  const leading = look.leading ? `line-height:${look.leading};` : '';
  const count = Math.max(...grid.map((row) => row.cells.reduce((sum, one) => sum + one.span, 0)));
  const padding = count > 6 && /[3-9]px( |$)/.test(look.padding) ? '1px 2px' : look.padding;
  const scale = count > 8 ? Math.min(look.scale, 0.85) : look.scale;
  let stripe = 0;
  const lines = grid.map((row, index) => {
    const head = row.kind === 'head' || row.kind === 'numbers';
    const total = row.kind === 'total' || row.kind === 'subtotal';
    const striped = look.zebra && row.kind === 'body' && stripe++ % 2 === 1 ? `background:${look.zebra};` : '';
    let column = 0;
    const cells = row.cells.map((one) => {
      const align = one.align ?? (head ? look.headAlign : (columns[column]?.align ?? 'left'));
      column += one.span;
      let css = one.gap ? 'border:none;' : cellBorder(look, row.kind, index === grid.length - 1);
      css += `padding:${padding};text-align:${align};vertical-align:${head ? look.headVertical : look.bodyVertical};${striped}`;
      if (head && look.headBackground && !one.gap) css += `background:${look.headBackground};`;
      if (head) css += `font-size:${look.headScale}em;font-weight:${look.boldHead ? 'bold' : 'normal'};`;
      if (total && look.boldTotal) css += 'font-weight:bold;';
      if (one.gap) css += `width:${one.gap}px;min-width:${one.gap}px;padding:0;`;
      let html = one.html;
      if (row.kind === 'body' || (total && !one.quiet))
        html = html && `<span style="${style.valueStyle}">${html}</span>`;
      if (one.vertical) {
        const turn = look.flip ? 'transform:rotate(180deg);' : '';
        html = `<div style="writing-mode:vertical-rl;${turn}max-height:${look.verticalHeight}px;margin:0 auto">${html}</div>`;
      }
      if (html === '') html = '&nbsp;';
      const spans = `${one.span > 1 ? ` colspan="${one.span}"` : ''}${one.rows > 1 ? ` rowspan="${one.rows}"` : ''}`;
      return `<td${spans} style="${css}">${html}</td>`;
    });
    return `<tr${look.height && !head ? ` style="height:${look.height}px"` : ''}>${cells.join('')}</tr>`;
  });
  const widths = columns.some((one) => one.width)
    ? `<colgroup>${columns.map((one) => `<col${one.width ? ` style="width:${one.width}"` : ''}>`).join('')}</colgroup>`
    : '';
  return `<table style="border-collapse:collapse;font-size:${scale}em;${leading}${wide}${outer}">${widths}${lines.join('')}</table>`;
}

const decode = (text) =>
  text
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');

/** The text of marked HTML. */
export const plainText = (html) => decode(html.replace(/<br>/g, ' ').replace(/<[^>]*>/g, ''));

/** Words of marked HTML: `{ text, open, id, glued, breaks }`. `open` is the tag of the marked span around the word. */
function words(html) {
  const found = [];
  let open = '';
  let id = 0;
  let breaks = false;
  let ended = true;
  for (const [piece] of html.matchAll(/<[^>]*>|[^<]+/g)) {
    if (piece === '<br>') breaks = true;
    else if (piece.startsWith('</')) open = '';
    else if (piece.startsWith('<')) {
      open = piece;
      id += 1;
    } else {
      const parts = piece.split(/\s+/);
      for (const [index, part] of parts.entries()) {
        if (part !== '') {
          found.push({
            text: decode(part),
            open,
            id: open ? id : 0,
            glued: index === 0 && !ended && !breaks,
            breaks,
          });
          breaks = false;
          ended = false;
        }
        if (index < parts.length - 1) ended = true;
      }
    }
  }
  return found;
}

/** Breaks words into lines of at most `width` characters. Long words are split with a hyphen. */
function wrap(list, width) {
  const lines = [];
  let line = [];
  let used = 0;
  const next = () => {
    lines.push(line);
    line = [];
    used = 0;
  };
  for (const word of list) {
    let { text } = word;
    const space = line.length > 0 && !word.glued ? 1 : 0;
    if (line.length > 0 && (word.breaks || used + space + text.length > width)) next();
    while (text.length > width && width > 1) {
      line.push({ ...word, text: `${text.slice(0, width - 1)}-`, glued: line.length === 0 ? false : word.glued });
      text = text.slice(width - 1);
      next();
    }
    if (line.length > 0 && !word.glued) used += 1;
    line.push({ ...word, text });
    used += text.length;
  }
  if (line.length > 0) next();
  return lines;
}

const lengthOf = (line) =>
  line.reduce((sum, word, index) => sum + word.text.length + (index > 0 && !word.glued ? 1 : 0), 0);

function lineHtml(line) {
  let html = '';
  let last;
  for (const word of line) {
    const space = last && !word.glued ? ' ' : '';
    if (last && word.id && word.id === last.id) html += space + escapeText(word.text);
    else html += `${last?.id ? '</span>' : ''}${space}${word.open}${escapeText(word.text)}`;
    last = word;
  }
  return html + (last?.id ? '</span>' : '');
}

function padded(line, width, align) {
  const left = width - lengthOf(line);
  if (left <= 0) return lineHtml(line);
  const before = align === 'right' ? left : align === 'center' ? Math.floor(left / 2) : 0;
  return ' '.repeat(before) + lineHtml(line) + ' '.repeat(left - before);
}

function drawGrid(context, grid, look, columns) {
  const { style } = context;
  // Place the cells: those with `rows` leave blanks below.
  const covered = [];
  const placed = grid.map((row) => {
    const cells = [];
    let at = 0;
    const skip = () => {
      while (covered[at]?.rows > 0) {
        covered[at].rows -= 1;
        cells.push({ ...blank(), at, list: [] });
        at += 1;
      }
    };
    for (const one of row.cells) {
      skip();
      cells.push({ ...one, at, list: words(one.html) });
      if (one.rows > 1) for (let i = 0; i < one.span; i += 1) covered[at + i] = { rows: one.rows - 1 };
      at += one.span;
    }
    skip();
    return { ...row, cells, count: at };
  });
  const count = Math.max(...placed.map((row) => row.count));
  const widths = Array.from({ length: count }, () => 2);
  for (const row of placed) {
    const head = row.kind === 'head';
    for (const one of row.cells) {
      if (one.span > 1) continue;
      const whole = lengthOf(one.list);
      const longest = Math.max(0, ...one.list.map((word) => word.text.length));
      const wanted = head
        ? Math.min(Math.max(longest, Math.min(whole, 6)), 11)
        : Math.min(whole, Math.max(look.wrapAt, 4));
      widths[one.at] = Math.max(widths[one.at], wanted, head ? 0 : Math.min(longest, 24));
    }
  }
  const { h, v, top, middle, bottom } = look.lines;
  const rule = ([first, cross, last]) => first + widths.map((width) => h.repeat(width + 2)).join(cross) + last;
  const output = [rule(top)];
  let previous;
  for (const row of placed) {
    const head = row.kind === 'head' || row.kind === 'numbers';
    if (previous && (look.lineEvery || previous !== row.kind) && !(head && previous === 'head' && row.kind === 'head'))
      output.push(rule(middle));
    previous = row.kind;
    const blocks = row.cells.map((one) => {
      let width = (one.span - 1) * 3;
      for (let i = 0; i < one.span; i += 1) width += widths[one.at + i] ?? 0;
      const align = one.align ?? (head ? look.headAlign : (columns[one.at]?.align ?? 'left'));
      return { lines: wrap(one.list, width), width, align };
    });
    const height = Math.max(1, ...blocks.map((block) => block.lines.length));
    for (let i = 0; i < height; i += 1) {
      const cells = blocks.map((block) => padded(block.lines[i] ?? [], block.width, block.align));
      const missing = widths.slice(row.count).map((width) => ' '.repeat(width));
      output.push(`${v} ${[...cells, ...missing].join(` ${v} `)} ${v}`);
    }
  }
  output.push(rule(bottom));
  const length = output[0].length;
  const points = ((style.width - style.margin[1] - style.margin[3]) / (style.columns || 1) / 0.3528) * 0.97;
  const fitting = points / (length * 0.605);
  const size = Math.max(4.5, Math.min(fitting, look.charactersFull ? style.size * 1.3 : style.size * look.scale));
  return `<pre style="font-family:'${look.monospaced}';font-size:${size.toFixed(2)}pt;line-height:${/[│║]/.test(v) ? 1.16 : look.leading || 1.2};margin:0">${output.join('\n')}</pre>`;
}

/** Puts grids with the same head side by side; `gap` is the blank between them in pixels, 0 for none. */
export function joinGrids(grids, gap) {
  const counts = grids.map((grid) => Math.max(...grid.map((row) => row.cells.reduce((sum, one) => sum + one.span, 0))));
  const height = Math.max(...grids.map((grid) => grid.length));
  return Array.from({ length: height }, (_one, index) => {
    const kind = grids.find((grid) => grid[index])[index].kind;
    const cells = grids.flatMap((grid, part) => {
      const some = grid[index]?.cells ?? Array.from({ length: counts[part] }, () => blank());
      return gap && part > 0 ? [blank({ gap }), ...some] : some;
    });
    return { kind, cells };
  });
}

/** Swaps rows and columns of a grid without merged cells. */
export function transposeGrid(grid) {
  return grid[0].cells.map((_one, column) => ({
    kind: 'body',
    cells: grid.map((row) => ({ ...row.cells[column], vertical: false })),
  }));
}

/** A way to print decimal numbers, the same for one whole table. */
export function numberFormat(random) {
  const separator = random.weighted([
    [',', 6],
    ['.', 4],
  ]);
  const places = random.weighted([
    [1, 8],
    [2, 2],
  ]);
  const short = random.chance(0.12);
  return (number, digits = places) => {
    const text = Number(number).toFixed(digits);
    return (short ? text.replace(/\.0+$/, '') : text).replace('.', separator);
  };
}

/** A head as a tree of `{ html, children }`; leaves have no children. Returns the rows of the head. */
export function headRows(nodes, kind = 'head') {
  const depthOf = (node) => 1 + Math.max(0, ...(node.children ?? []).map(depthOf));
  const leaves = (node) => (node.children ? node.children.reduce((sum, one) => sum + leaves(one), 0) : 1);
  const depth = Math.max(...nodes.map(depthOf));
  const rows = Array.from({ length: depth }, () => ({ kind, cells: [] }));
  const place = (node, level) => {
    const rest = node.children ? 1 : depth - level;
    rows[level].cells.push(cell(node.html, { span: leaves(node), rows: rest, vertical: node.vertical }));
    for (const one of node.children ?? []) place(one, level + 1);
  };
  for (const node of nodes) place(node, 0);
  return rows;
}

/** The row of column numbers under a head. */
export function numbersRow(random, count) {
  const kind = random.pick(['1', '1', '1', '1', 'A', '1.', 'mixed']);
  const first = random.chance(0.06) ? random.integer(2, 9) : 1;
  const letters = 'АБВГДЕЖЗИКЛМНОП';
  const cells = Array.from({ length: count }, (_one, index) => {
    const number = String(first + index);
    if (kind === 'A') return letters[index] ?? number;
    if (kind === 'mixed' && index > 0 && random.chance(0.15)) return `${first + index - 1}а`;
    return kind === '1.' ? `${number}.` : number;
  });
  return { kind: 'numbers', cells: cells.map((text) => cell(text, { align: 'center' })) };
}

/** Breaks a long head into lines, sometimes inside words as narrow columns do. */
export function breakHead(random, html) {
  return html.replace(/(>|^)([^<>]+)(<|$)/g, (_all, before, text, after) => {
    let result = text;
    if (random.chance(0.3)) {
      result = result.replace(
        /(\p{L}{4,}?[бвгджзклмнпрстфхцчшщbdfgklmnprst])(?=[бвгджзклмнпрстфхцчшщbdfgklmnprst]?[аеиоуыэюяaeiou]\p{L}{2,})/u,
        '$1-<br>',
      );
    } else result = result.replace(/ /g, (space) => (random.chance(0.5) ? '<br>' : space));
    return before + result + after;
  });
}

/**
 * Prints a table of columns `{ head, align, width }` and rows of HTML. The head is on one line or several, upright or
 * merged under `group` names, with a row of column numbers, or absent unless `alwaysHead` is set.
 */
export function printTable(context, { columns, rows, total = [], characters = 0.08, alwaysHead = false }) {
  const { random } = context;
  const look = createLook(context, { characters });
  const upright = random.weighted([
    ['none', 10],
    ['some', 2],
    ['short', 2],
  ]);
  const broken = random.chance(0.3);
  const nodes = [];
  for (const column of columns) {
    const html = broken && plainText(column.head).length > 8 ? breakHead(random, column.head) : column.head;
    const vertical = (upright === 'some' && random.chance(0.4)) || (upright === 'short' && column.align !== 'left');
    const last = nodes[nodes.length - 1];
    if (column.group && last?.children && last.html === column.group) last.children.push({ html, vertical });
    else if (column.group) nodes.push({ html: column.group, children: [{ html, vertical }] });
    else nodes.push({ html, vertical });
  }
  const start = alwaysHead
    ? 'head'
    : random.weighted([
        ['head', 20],
        ['numbers', 1],
        ['none', 1],
      ]);
  const numbers = numbersRow(random, columns.length);
  const head = start === 'head' ? headRows(nodes) : start === 'numbers' ? [numbers] : [];
  if (start === 'head' && random.chance(0.22)) head.push(numbers);
  const grid = [...head];
  for (const cells of rows) grid.push({ kind: 'body', cells: cells.map((html) => cell(html)) });
  const empty = random.chance(0.12) ? random.integer(1, 6) : 0;
  for (let i = 0; i < empty; i += 1) grid.push({ kind: 'empty', cells: columns.map(() => blank()) });
  for (const cells of total) grid.push({ kind: 'total', cells });
  return renderGrid(context, grid, look, columns);
}
