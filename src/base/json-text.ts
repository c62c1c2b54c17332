// Copies JSON values as text, because parsing changes large numbers, key order and escapes.

/**
 * The text of the member `name` of a JSON object; undefined if missing. Of duplicate members the last one counts, as in
 * `JSON.parse`. `json` must be valid: parse it first.
 */
export function memberText(json: string, name: string): string | undefined {
  let found: string | undefined;
  for (let at = next(json, json.indexOf('{') + 1); json[at] === '"'; ) {
    const colon = next(json, endOfString(json, at));
    const from = next(json, colon + 1);
    const to = endOfValue(json, from);
    if (JSON.parse(json.slice(at, colon)) === name) found = json.slice(from, to);
    // To the next key, or to the closing brace, which ends the loop.
    at = next(json, next(json, to) + 1);
  }
  return found;
}

/** The text of an object with `members` and, copied verbatim, the values of `texts`. */
export function objectText(members: object, texts: Readonly<Record<string, string | undefined>>): string {
  const parts = Object.entries(texts).flatMap(([name, text]) =>
    text === undefined ? [] : [`${JSON.stringify(name)}:${text}`],
  );
  const plain = JSON.stringify(members).slice(1, -1);
  return `{${[...(plain === '' ? [] : [plain]), ...parts].join(',')}}`;
}

const SPACE = /[^ \t\r\n]/g;

/** Index of the first non-space character from `at`. */
function next(json: string, at: number): number {
  SPACE.lastIndex = at;
  return SPACE.exec(json)?.index ?? json.length;
}

/** Index after the closing quote of the string that begins at `at`. */
function endOfString(json: string, at: number): number {
  for (let i = at + 1; i < json.length; i++) {
    if (json[i] === '\\') i++;
    else if (json[i] === '"') return i + 1;
  }
  return json.length;
}

/** Index after the value that begins at `at`. */
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
      // The closing brace of the surrounding object.
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
