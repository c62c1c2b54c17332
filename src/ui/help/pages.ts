import { readdir, readFile } from 'node:fs/promises';
import { readMarkdown, type Section } from './markdown.ts';

/** A document as a page of the help. */
export interface HelpPage {
  readonly name: string;
  /** From the page at `/`. */
  readonly address: string;
  readonly title: string;
  readonly sections: readonly Section[];
  /** The document itself, made once. */
  readonly html: string;
}

/** The name of the page that the help begins with; it also says the order of the others, by linking to them. */
export const START = 'index';

/**
 * The documents of a folder (`name.md` each), in their order; none where there is no such folder. Links between them lead
 * from page to page; what else a repository holds is not served, and such links stay text.
 */
export async function readHelp(folder: URL): Promise<readonly HelpPage[]> {
  const names = await namesIn(folder);
  const known = new Set(names);
  const read = await Promise.all(
    names.map(async (name) => {
      const document = readMarkdown(await readFile(new URL(`${name}.md`, folder), 'utf8'), addresses(name, known));
      return { name, address: addressOf(name), ...document, title: document.title || name };
    }),
  );
  const order = read.find(({ name }) => name === START)?.links.map((href) => href.replace(/\.md(#[^#]*)?$/, '')) ?? [];
  const place = ({ name }: HelpPage) => {
    if (name === START) return -1;
    const at = order.indexOf(name);
    return at < 0 ? order.length : at;
  };
  return read.sort((a, b) => place(a) - place(b));
}

async function namesIn(folder: URL): Promise<string[]> {
  try {
    const files = await readdir(folder);
    return files.flatMap((file) => /^([a-z0-9-]+)\.md$/.exec(file)?.[1] ?? []).sort();
  } catch (error) {
    // A package may come without its documents; the routes say so.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

const addressOf = (name: string) => (name === START ? 'help' : `help/${name}`);

/** From the page at `of` back to the one at `/`: addresses are relative, so that a proxy may put us below a path. */
export const rootOf = (name: string): '' | '../' => (name === START ? '' : '../');

/** Where the links of a document lead: to itself, to another one, or by https to somebody else. */
function addresses(of: string, known: ReadonlySet<string>): (href: string) => string | undefined {
  return (href) => {
    if (/^#|^https:\/\//.test(href)) return href;
    const [, name = '', anchor = ''] = /^([a-z0-9-]+)\.md(#.+)?$/.exec(href) ?? [];
    return known.has(name) ? rootOf(of) + addressOf(name) + anchor : undefined;
  };
}
