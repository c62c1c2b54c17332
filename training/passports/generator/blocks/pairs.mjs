// Layouts of labels with values. Each prints a list of items: `{ label, caption, value, plain, field }`.
import { box, escapeText, label, newGroup, value } from '../markup.mjs';

const cellStyle = (context, more = '') =>
  `border:${context.style.border};padding:${context.random.pick(['0 2px', '1px 3px', '2px 5px', '4px 8px'])};${more}`;
const strong = (context, html) => `<span style="${context.style.valueStyle}">${html}</span>`;
const quiet = (context, html) => `<span style="${context.style.labelStyle}">${html}</span>`;
const width = (share) => `width:${Math.round(share)}%`;

/** Items in groups of `size`. */
function chunks(items, size) {
  const rows = [];
  for (let i = 0; i < items.length; i += size) rows.push(items.slice(i, i + size));
  return rows;
}

function numbered(context, index) {
  const { random } = context;
  return random.pick([`${index + 1}.`, `${index + 1}`, `${index + 1})`, `1.${index + 1}`, `2.${index + 1}.`]);
}

/** Label and value side by side in a table of two columns, per row one to three pairs. */
function sideBySide(context, items) {
  const { random, style } = context;
  const ruled = random.pick(['all', 'all', 'all', 'rows', 'none', 'none', 'outer', 'values']);
  const pairs = random.weighted([
    [1, 6],
    [2, 3],
    [3, 1],
  ]);
  const share = random.integer(25, 70);
  const withNumbers = random.chance(0.25);
  const unitColumn = pairs === 1 && random.chance(0.1);
  const reversed = random.chance(0.04);
  const align = random.pick(['left', 'left', 'left', 'center', 'right']);
  const padding = random.pick(['0 2px', '1px 4px', '3px 6px', '5px 8px']);
  const edge = (kind) =>
    ruled === 'all' || (ruled === 'values' && kind === 'value')
      ? `border:${style.border};`
      : ruled === 'rows'
        ? `border-bottom:${style.border};`
        : '';
  const vertical = random.pick(['top', 'middle', 'bottom']);
  let number = 0;
  const rows = chunks(items, pairs).map((row) => {
    const cells = row.map((item) => {
      const first = `<td style="${edge('label')}padding:${padding};vertical-align:${vertical};${width(share / pairs)}">${quiet(context, item.label)}${style.colon}</td>`;
      const second = `<td style="${edge('value')}padding:${padding};text-align:${align};vertical-align:${vertical}">${strong(context, item.value)}</td>`;
      const lead = withNumbers
        ? `<td style="${edge('label')}padding:${padding};width:20px">${numbered(context, number++)}</td>`
        : '';
      const unit = unitColumn
        ? `<td style="${edge('label')}padding:${padding}">${escapeText(random.pick(['кв.м', 'м', '%', 'руб.', '-', 'шт.', '']))}</td>`
        : '';
      return lead + (reversed ? second + first : first + second) + unit;
    });
    return `<tr>${cells.join('')}</tr>`;
  });
  const outer = ruled === 'outer' ? `border:${style.border};` : '';
  return `<table style="border-collapse:collapse;${random.chance(0.8) ? 'width:100%;' : ''}${outer}">${rows.join('')}</table>`;
}

/** A line with an underlined blank behind the label. */
function blanks(context, items) {
  const { random, style } = context;
  const perLine = random.weighted([
    [1, 5],
    [2, 4],
    [3, 2],
  ]);
  const kind = random.pick(['border', 'border', 'border', 'dotted', 'underscores', 'none']);
  const align = random.pick(['left', 'center']);
  const suffix = random.chance(0.15);
  return chunks(items, perLine)
    .map((line) => {
      const parts = line.map((item) => {
        const filled =
          kind === 'underscores'
            ? `${'_'.repeat(random.integer(1, 12))}${strong(context, item.value)}${'_'.repeat(random.integer(1, 14))}`
            : `<span style="flex:1;text-align:${align};${kind === 'none' ? '' : `border-bottom:${kind === 'dotted' ? style.border.replace('solid', 'dotted') : style.border};`}padding:0 4px;min-width:30px">${strong(context, item.value)}</span>`;
        const unit = suffix ? ` <span>${escapeText(random.pick(['кв.м', 'м', 'г.', 'руб.', '%']))}</span>` : '';
        const basis = random.chance(0.7) ? 'flex:1' : `flex:${random.integer(1, 4)}`;
        return `<div style="display:flex;${basis};align-items:${random.pick(['baseline', 'flex-end'])}"><span style="${random.chance(0.7) ? 'white-space:nowrap;' : ''}${style.labelStyle}">${item.label}${style.colon}&nbsp;</span>${filled}${unit}</div>`;
      });
      return box(`display:flex;gap:${random.integer(4, 16)}px;margin:${random.integer(0, 5)}px 0`, parts.join(''));
    })
    .join('');
}

/** A blank with its caption in brackets below, or above. */
function captions(context, items) {
  const { random, style } = context;
  const perLine = random.weighted([
    [1, 5],
    [2, 3],
    [3, 2],
  ]);
  const above = random.chance(0.15);
  const brackets = random.chance(0.8);
  const size = random.pick([0.55, 0.65, 0.75, 0.85]);
  const align = random.pick(['center', 'center', 'left']);
  return chunks(items, perLine)
    .map((line) => {
      const parts = line.map((item) => {
        const caption = box(
          `font-size:${size}em;text-align:${align};line-height:1`,
          brackets ? `(${item.caption})` : item.caption,
        );
        const blank = box(
          `border-bottom:${style.border};text-align:${align};min-height:1.1em`,
          strong(context, item.value),
        );
        const lead = random.chance(0.25)
          ? `<span style="padding-right:6px">${quiet(context, item.label)}${style.colon}</span>`
          : '';
        const body = `<div style="flex:1">${above ? caption + blank : blank + caption}</div>`;
        return `<div style="display:flex;flex:${random.integer(1, 3)}">${lead}${body}</div>`;
      });
      return box(`display:flex;gap:${random.integer(5, 20)}px;margin:${random.integer(1, 6)}px 0`, parts.join(''));
    })
    .join('');
}

/** Boxes with a small label in a corner. */
function boxes(context, items) {
  const { random, style } = context;
  const size = random.pick([0.55, 0.65, 0.7, 0.8]);
  const bottom = random.chance(0.12);
  const padding = random.pick(['1px 3px', '2px 5px', '4px 6px']);
  const align = random.pick(['left', 'left', 'center', 'right']);
  const ruled = random.chance(0.85);
  const rows = [];
  for (let i = 0; i < items.length; ) {
    const count = Math.min(
      items.length - i,
      random.weighted([
        [1, 2],
        [2, 3],
        [3, 3],
        [4, 2],
      ]),
    );
    rows.push(items.slice(i, i + count));
    i += count;
  }
  return rows
    .map((row) => {
      const cells = row.map((item) => {
        const small = box(`font-size:${size}em;line-height:1.1`, item.label + (random.chance(0.1) ? ':' : ''));
        const large = box(`text-align:${align};min-height:1.1em`, strong(context, item.value));
        return `<div style="flex:${Math.max(1, Math.min(4, Math.round(item.plain.length / 12)))};${ruled ? `border:${style.border};margin:-0.5px;` : ''}padding:${padding}">${bottom ? large + small : small + large}</div>`;
      });
      return box('display:flex', cells.join(''));
    })
    .join('');
}

/** Label over value, without lines, in columns. */
function stacked(context, items) {
  const { random } = context;
  const columns = random.integer(1, 4);
  const valueFirst = random.chance(0.1);
  const rows = chunks(items, columns).map((row) => {
    const cells = row.map((item) => {
      const a = box(`font-size:${random.pick([0.7, 0.8, 0.9, 1])}em`, quiet(context, item.label) + context.style.colon);
      const b = box('', strong(context, item.value));
      return `<td style="vertical-align:top;padding:2px 10px 4px 0;width:${100 / columns}%">${valueFirst ? b + a : a + b}</td>`;
    });
    return `<tr>${cells.join('')}</tr>`;
  });
  return `<table style="width:100%;border-collapse:collapse">${rows.join('')}</table>`;
}

/** A table whose head holds the labels and whose one row holds the values. */
function headRow(context, items) {
  const { random, style } = context;
  const few = items.filter(({ plain }) => plain.length < 60);
  const size = random.integer(3, 7);
  const cell = `border:${style.border};padding:${random.pick(['1px 2px', '2px 4px', '4px'])};text-align:${random.pick(['left', 'center', 'center'])}`;
  const vertical = random.chance(0.08);
  const gapRow = random.chance(0.3);
  return chunks(few, size)
    .map((row) => {
      const turned = vertical ? ' style="writing-mode:vertical-rl;transform:rotate(180deg);max-height:90px"' : '';
      const head = row.map((item) => `<td style="${cell}"><div${turned}>${item.label}</div></td>`).join('');
      const numbers = gapRow
        ? `<tr>${row.map((_, i) => `<td style="${cell};text-align:center">${i + 1}</td>`).join('')}</tr>`
        : '';
      const body = row.map((item) => `<td style="${cell}">${strong(context, item.value)}</td>`).join('');
      return `<table style="border-collapse:collapse;width:100%;margin-bottom:3px;font-size:${random.pick([0.75, 0.85, 1])}em"><tr>${head}</tr>${numbers}<tr>${body}</tr></table>`;
    })
    .join('');
}

/** Label, dots, value. */
function leaders(context, items) {
  const { random } = context;
  const character = random.pick(['.', '.', '. ', '_', '…', '-']);
  return items
    .map((item) => {
      const dots = box(
        'flex:1;overflow:hidden;white-space:nowrap;height:1.2em',
        character.repeat(random.integer(10, 150)),
        'span',
      );
      return box('display:flex;margin:1px 0', `<span>${item.label}</span>${dots}${strong(context, item.value)}`);
    })
    .join('');
}

/** Labels and values one after another in running lines. */
function running(context, items) {
  const { random, style } = context;
  const separator = random.pick(['; ', ', ', '. ', ' &nbsp; ', ' / ', '   ', '<br>', '<br>']);
  const parts = items.map(
    (item) =>
      `${quiet(context, item.label)}${style.colon || random.pick([':', ' –', ' '])} ${random.chance(0.3) ? `<u>${strong(context, item.value)}</u>` : strong(context, item.value)}`,
  );
  return box(`margin:2px 0;text-align:${random.pick(['left', 'justify'])}`, parts.join(separator));
}

/** Values of short fields with one character per box. */
function characterBoxes(context, items) {
  const { random, style } = context;
  return items
    .map((item) => {
      const characters = [...item.plain];
      const canSplit = item.field && characters.length <= 28;
      const group = newGroup();
      const size = random.pick(['14px', '16px', '18px', '20px']);
      const spare = random.integer(0, 4);
      const one = (html) =>
        `<span style="display:inline-block;border:${style.border};width:${size};min-height:1.2em;text-align:center;margin-right:${random.chance(0.5) ? 0 : 1}px">${html}</span>`;
      const shown = canSplit
        ? characters
            .map((character) => one(character === ' ' ? '&nbsp;' : value(item.field, escapeText(character), group)))
            .join('') + one('&nbsp;').repeat(spare)
        : strong(context, item.value);
      return box(
        'display:flex;align-items:center;gap:6px;margin:2px 0',
        `<span>${item.label}${style.colon}</span><span>${shown}</span>`,
      );
    })
    .join('');
}

/** Two fields under one label: Этаж / этажность: 5 / 9. */
function combined(context, items) {
  const { random, style } = context;
  const rows = [];
  for (let i = 0; i < items.length; i += 2) {
    const [a, b] = [items[i], items[i + 1]];
    if (!b || a.plain.length + b.plain.length > 50) {
      for (const one of [a, b]) if (one) rows.push(`${one.label}${style.colon} ${strong(context, one.value)}`);
      continue;
    }
    const slash = random.pick([' / ', '/', '/', ' и ', ', ', ' (', ' – ']);
    const close = slash === ' (' ? ')' : '';
    rows.push(
      `${a.label}${slash}${b.label}${close}${style.colon || ':'} ${strong(context, a.value)}${random.pick([slash, '/', ' / ', ' '])}${strong(context, b.value)}${close}`,
    );
  }
  const ruled = random.chance(0.5);
  return rows.map((row) => box(ruled ? cellStyle(context) : 'margin:2px 0', row)).join('');
}

/** A long value over several blanks with full width. */
function longBlanks(context, items) {
  const { random, style } = context;
  return items
    .map((item) => {
      const words = item.plain.split(' ');
      if (!item.field || words.length < 4)
        return box(
          'margin:2px 0',
          `${item.label}${style.colon} <span style="border-bottom:${style.border};padding:0 10px">${strong(context, item.value)}</span>`,
        );
      const lines = random.integer(2, 3);
      const group = newGroup();
      const per = Math.ceil(words.length / lines);
      const blanks = chunks(words, per).map((some) =>
        box(
          `border-bottom:${style.border};padding-left:${random.integer(0, 30)}px`,
          strong(context, value(item.field, escapeText(some.join(' ')), group)),
        ),
      );
      const lead = box(random.chance(0.5) ? '' : `float:left;padding-right:6px`, item.label + style.colon);
      const caption = random.chance(0.3) ? box('font-size:0.65em;text-align:center', `(${item.caption})`) : '';
      return box('margin:3px 0;clear:both', lead + blanks.join(caption) + (random.chance(0.3) ? caption : ''));
    })
    .join('');
}

/** A choice with check boxes: the marked word is the value. */
function checkBoxes(context, items) {
  const { random, style } = context;
  return items
    .map((item) => {
      if (
        !item.field ||
        !['general:purpose', 'construction:wall_material', 'construction:roof', 'construction:foundation'].includes(
          item.field,
        )
      ) {
        return box('margin:2px 0', `${item.label}${style.colon} ${strong(context, item.value)}`);
      }
      const others = random
        .sample(context.vocabulary.distractorTexts, random.integer(1, 4))
        .map((text) => `${random.pick(['☐', '□', '[ ]', '○'])} ${escapeText(text)}`);
      const chosen = `${random.pick(['☒', '☑', '■', '[x]', '[X]', '●', '✓', 'V'])} ${item.value}`;
      const all = random.shuffle([chosen, ...others]).join(random.pick([' &nbsp; ', '<br>', '; ']));
      return box('margin:2px 0', `${item.label}${style.colon} ${all}`);
    })
    .join('');
}

/** Label on one line, value far to the right or under it. */
function justified(context, items) {
  const { random, style } = context;
  return items
    .map((item) =>
      box(
        `display:flex;justify-content:space-between;${random.chance(0.3) ? `border-bottom:${style.border};` : ''}margin:1px 0`,
        `<span>${item.label}${style.colon}</span><span style="text-align:right;max-width:60%">${strong(context, item.value)}</span>`,
      ),
    )
    .join('');
}

/** Tiles side by side, each with a value and its label: below, above, or at the other side of the tile. */
function tiles(context, items) {
  const { random, style } = context;
  const perLine = random.weighted([
    [1, 1],
    [2, 5],
    [3, 4],
    [4, 2],
  ]);
  const way = random.weighted([
    ['below', 4],
    ['after', 4],
    ['above', 2],
    ['before', 1],
  ]);
  const size = random.pick([0.55, 0.65, 0.75, 0.9, 1]);
  const frame = random.pick([`border:${style.border};`, `border-top:${style.border};`, 'background:#f1f1f1;', '', '']);
  const padding = random.pick(['1px 4px', '3px 6px', '6px 10px']);
  const gap = random.pick([0, 4, 10, 18]);
  const isSpread = random.chance(0.75);
  const align = random.pick(['left', 'left', 'left', 'center']);
  const tile = (item) => {
    const name = box(`font-size:${size}em;line-height:1.15`, quiet(context, item.label));
    const text = box('min-height:1.1em', strong(context, item.value));
    if (way === 'below' || way === 'above') return way === 'below' ? text + name : name + text;
    const [first, second] = way === 'after' ? [text, name] : [name, text];
    return `<div style="display:flex;gap:${random.integer(4, 12)}px;align-items:${random.pick(['baseline', 'center'])};${isSpread ? 'justify-content:space-between' : ''}">${first}${second}</div>`;
  };
  return chunks(items, perLine)
    .map((line) => {
      const made = line.map((item) =>
        box(`flex:1;min-width:0;${frame}padding:${padding};text-align:${align}`, tile(item)),
      );
      while (made.length < perLine) made.push('<div style="flex:1"></div>');
      return box(`display:flex;gap:${gap}px;margin-bottom:${gap}px`, made.join(''));
    })
    .join('');
}

export const blocks = [
  { name: 'side by side', weight: 8, make: sideBySide },
  { name: 'blanks', weight: 6, make: blanks },
  { name: 'captions', weight: 4, make: captions },
  { name: 'boxes', weight: 4, make: boxes },
  { name: 'stacked', weight: 2, make: stacked },
  { name: 'head row', weight: 4, make: headRow },
  { name: 'leaders', weight: 2, make: leaders },
  { name: 'running', weight: 3, make: running },
  { name: 'character boxes', weight: 1, make: characterBoxes },
  { name: 'combined', weight: 2, make: combined },
  { name: 'long blanks', weight: 2, make: longBlanks },
  { name: 'check boxes', weight: 1, make: checkBoxes },
  { name: 'justified', weight: 1, make: justified },
  { name: 'tiles', weight: 3, make: tiles },
].map((block) => ({ kind: 'pairs', ...block }));

export { label };
