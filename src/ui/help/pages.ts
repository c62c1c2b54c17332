import { readdir, readFile } from 'node:fs/promises';
import { readMarkdown, type Section } from './markdown.ts';

export interface HelpPage {
  readonly name: string;
  /** Relative to `/`. */
  readonly address: string;
  readonly title: string;
  readonly sections: readonly Section[];
  readonly html: string;
}

/** The first page; its links define the order of the others. */
export const INDEX_PAGE = 'index';

/**
 * Reads the `name.md` files of a folder in reading order; empty if there is no such folder. Links to other files of the
 * repository become text.
 */
export async function readHelp(folder: URL): Promise<readonly HelpPage[]> {
  const names = await namesIn(folder);
  const known = new Set(names);
  const pages = await Promise.all(
    names.map(async (name) => {
      const document = readMarkdown(await readFile(new URL(`${name}.md`, folder), 'utf8'), addresses(name, known));
      return { name, address: addressOf(name), ...document, title: document.title || name };
    }),
  );
  const order =
    pages.find(({ name }) => name === INDEX_PAGE)?.links.map((href) => href.replace(/\.md(#[^#]*)?$/, '')) ?? [];
  const rank = ({ name }: HelpPage) => {
    if (name === INDEX_PAGE) return -1;
    const at = order.indexOf(name);
    return at < 0 ? order.length : at;
  };
  return pages.sort((a, b) => rank(a) - rank(b));
}

async function namesIn(folder: URL): Promise<string[]> {
  try {
    const files = await readdir(folder);
    return files.flatMap((file) => /^([a-z0-9-]+)\.md$/.exec(file)?.[1] ?? []).sort();
  } catch (error) {
    // Documentation is optional in a package.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

const addressOf = (name: string) => (name === INDEX_PAGE ? 'help' : `help/${name}`);

function addresses(from: string, known: ReadonlySet<string>): (href: string) => string | undefined {
  return (href) => {
    if (/^#|^https:\/\//.test(href)) return href;
    const [, name = '', anchor = ''] = /^([a-z0-9-]+)\.md(#.+)?$/.exec(href) ?? [];
    return known.has(name) ? (from === INDEX_PAGE ? '' : '../') + addressOf(name) + anchor : undefined;
  };
}
