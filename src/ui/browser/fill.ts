/** Puts values where a text has `{name}`; for the server's pages and the browser's scripts alike. */
export const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
