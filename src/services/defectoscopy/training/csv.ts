/** Parses CSV (RFC 4180; byte order mark and CRLF allowed) into objects keyed by the header row. */
export function parseCsv(text: string): Record<string, string>[] {
  const [header = [], ...rows] = cells(text.replace(/^\uFEFF/, ''));
  const names = header.map((name) => name.trim().toLowerCase());
  return rows
    .filter((row) => row.some((cell) => cell !== ''))
    .map((row) => Object.fromEntries(names.map((name, i) => [name, (row[i] ?? '').trim()])));
}

function cells(text: string): string[][] {
  const rows: string[][] = [[]];
  // A quoted cell ("" for a quote), or text up to the next comma or line end.
  const pattern = /(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r\n|\r|\n|$)/gy;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const [, quoted, plain = '', end] = match;
    rows.at(-1)!.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '') break;
    if (end !== ',') rows.push([]);
  }
  return rows;
}
