// A table in Markdown: a row for what was measured, a column for each contender; in brackets how many times better the
// first one did.

export function tableOf(names) {
  const lines = [
    ['', ...names],
    ['---', ...names.map(() => '---')],
  ];
  const times = (ratio) => (Number.isFinite(ratio) ? ` (${ratio.toFixed(ratio < 10 ? 2 : 0)}×)` : '');
  return {
    /** More is better; what is `undefined` was not measured apart. */
    rates(title, [own, ...others]) {
      const cell = (other) => (other === undefined ? '' : short(other) + times(own / other));
      lines.push([title, short(own), ...others.map(cell)]);
    },
    /** Less is better; what is `undefined` took longer than anybody waited, which is said as `beyond`. */
    times(title, [own, ...others], beyond) {
      const cell = (other) => (other === undefined ? beyond : short(other) + times(other / own));
      lines.push([title, own === undefined ? beyond : short(own), ...others.map(cell)]);
    },
    words(title, cells) {
      lines.push([title, ...cells]);
    },
    text: () => lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n'),
  };
}

/** Three digits that mean something. */
function short(number) {
  if (Number.isNaN(number)) return '?';
  if (number < 100) return number.toFixed(1);
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(number)) - 2);
  return (Math.round(number / unit) * unit).toLocaleString('en').replaceAll(',', ' ');
}
