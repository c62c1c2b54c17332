/**
 * JSON as the text that it came as: what a parser would bend (a number of twenty digits, the order of keys, an escape)
 * comes out as it went in.
 */

/**
 * The text of the member `name` of the object that `json` is; undefined where it has none. Of several members of one
 * name the last counts, as for `JSON.parse`. The text must be JSON: parse it first.
 */
export function memberText(json: string, name: string): string | undefined {
  let found: string | undefined;
  for (let at = next(json, json.indexOf('{') + 1); json[at] === '"'; ) {
    const colon = next(json, endOfString(json, at));
    const from = next(json, colon + 1);
    const to = endOfValue(json, from);
    if (JSON.parse(json.slice(at, colon)) === name) found = json.slice(from, to);
    // Past the comma, to the next key; or to the closing brace, which is no quote.
    at = next(json, next(json, to) + 1);
  }
  return found;
}

/** The text of an object with these members, those of `texts` as they are. */
export function objectText(members: object, texts: Readonly<Record<string, string | undefined>>): string {
  const parts = Object.entries(texts).flatMap(([name, text]) =>
    text === undefined ? [] : [`${JSON.stringify(name)}:${text}`],
  );
  const plain = JSON.stringify(members).slice(1, -1);
  return `{${[...(plain === '' ? [] : [plain]), ...parts].join(',')}}`;
}

const SPACE = /[^ \t\r\n]/g;

/** The first place from `at` on that is no white space. */
function next(json: string, at: number): number {
  SPACE.lastIndex = at;
  return SPACE.exec(json)?.index ?? json.length;
}

/** Past the closing quote of the string that begins at `at`. */
function endOfString(json: string, at: number): number {
  for (let i = at + 1; i < json.length; i++) {
    if (json[i] === '\\') i++;
    else if (json[i] === '"') return i + 1;
  }
  return json.length;
}

/** Past the value that begins at `at`. */
function endOfValue(json: string, at: number): number {
  let depth = 0;
  for (let i = at; i < json.length; ) {
    const char = json[i]!;
    if (char === '"') {
      i = endOfString(json, i);
    } else if (char === '{' || char === '[') {
      depth++;
      i++;
    } else if (char === '}' || char === ']') {
      // The brace of the object around a number or a word.
      if (depth === 0) return trimmed(json, at, i);
      depth--;
      i++;
    } else if (char === ',' && depth === 0) {
      return trimmed(json, at, i);
    } else {
      i++;
      continue;
    }
    if (depth === 0) return i;
  }
  return json.length;
}

const trimmed = (json: string, from: number, to: number) => from + json.slice(from, to).trimEnd().length;
