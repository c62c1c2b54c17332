// A Markdown table: a row per measurement, a column per contender, with the ratio to the first contender in brackets.

export function tableOf(names) {
  const lines = [
    ['', ...names],
    ['---', ...names.map(() => '---')],
  ];
  const times = (ratio) => (Number.isFinite(ratio) ? ` (${ratio.toFixed(ratio < 10 ? 2 : 0)}×)` : '');
  return {
    /** Higher is better; `undefined` was not measured. */
    rates(title, [own, ...others]) {
      const cell = (other) => (other === undefined ? '' : formatNumber(other) + times(own / other));
      lines.push([title, formatNumber(own), ...others.map(cell)]);
    },
    /** Lower is better; `undefined` exceeded the limit and is shown as `beyond`. */
    times(title, [own, ...others], beyond) {
      const cell = (other) => (other === undefined ? beyond : formatNumber(other) + times(other / own));
      lines.push([title, own === undefined ? beyond : formatNumber(own), ...others.map(cell)]);
    },
    words(title, cells) {
      lines.push([title, ...cells]);
    },
    text: () => lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n'),
  };
}

function formatNumber(number) {
  if (Number.isNaN(number)) return '?';
  if (number < 100) return number.toFixed(1);
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(number)) - 2);
  return (Math.round(number / unit) * unit).toLocaleString('en').replaceAll(',', ' ');
}
