/**
 * The parsed URL; undefined if invalid. Replaces `URL.canParse`, which after some thousand calls returns wrong results in
 * Node 20 and 22 for Latin-1 letters like ü: its optimized path reads them as UTF-8.
 */
export function parseUrl(text: string, base?: URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
