// The only user of `marked`. Documents are trusted, but raw HTML is escaped anyway.
import { Marked, type MarkedExtension, type Token, type Tokens } from 'marked';

export interface Section {
  /** The same id that GitHub generates. */
  readonly id: string;
  readonly depth: number;
  readonly title: string;
  /** Plain text up to the next heading. */
  readonly text: string;
}

export interface Document {
  readonly title: string;
  readonly sections: readonly Section[];
  readonly links: readonly string[];
  /** Safe HTML: raw HTML is escaped, and images are replaced by their alternative text. */
  readonly html: string;
}

/** `address` maps a link target to a URL; a link without one becomes text. */
export function readMarkdown(markdown: string, address: (href: string) => string | undefined): Document {
  const ids = new Map<Token, string>();
  const links: string[] = [];
  const marked = new Marked<string, string>({ renderer: renderer(ids, address) });
  const tokens = marked.lexer(markdown);
  const slug = slugs();
  void marked.walkTokens(tokens, (token) => {
    if (token.type === 'heading') ids.set(token, slug(plain(token)));
    if (token.type === 'link') links.push((token as Tokens.Link).href);
  });
  const sections = sectionsOf(tokens, ids);
  return { title: sections[0]?.title ?? '', sections, links, html: marked.parser(tokens) };
}

function sectionsOf(tokens: readonly Token[], ids: ReadonlyMap<Token, string>): Section[] {
  const sections: { id: string; depth: number; title: string; text: string }[] = [];
  for (const token of tokens) {
    if (token.type === 'heading') {
      sections.push({ id: ids.get(token)!, depth: (token as Tokens.Heading).depth, title: plain(token), text: '' });
    } else {
      const last = sections.at(-1);
      if (last) last.text = `${last.text} ${plain(token)}`.replace(/\s+/g, ' ').trim();
    }
  }
  return sections;
}

function plain(token: Token): string {
  const { tokens = [], text = '' } = token as { tokens?: readonly Token[]; text?: string };
  switch (token.type) {
    case 'list':
      return (token as Tokens.List).items.map(plain).join(' ');
    case 'table': {
      const { header, rows } = token as Tokens.Table;
      return [header, ...rows].flatMap((row) => row.map(({ tokens }) => tokens.map(plain).join(''))).join(' ');
    }
    case 'br':
    case 'space':
      return ' ';
    default:
      return tokens.length > 0 ? tokens.map(plain).join('') : text;
  }
}

/** GitHub's heading ids: letters, digits and hyphens, with a counter for duplicates. */
function slugs(): (title: string) => string {
  const seen = new Map<string, number>();
  return (title) => {
    const base = title
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
      .replaceAll(' ', '-');
    const before = seen.get(base) ?? 0;
    seen.set(base, before + 1);
    return before === 0 ? base : `${base}-${before}`;
  };
}

type RendererObject = NonNullable<MarkedExtension<string, string>['renderer']>;
type Rendering = ThisParameterType<NonNullable<RendererObject['link']>>;

const renderer = (ids: ReadonlyMap<Token, string>, address: (href: string) => string | undefined): RendererObject => ({
  html: ({ text }) => escapeHtml(text),
  image: ({ text }) => escapeHtml(text),
  link({ href, tokens }) {
    const text = this.parser.parseInline(tokens);
    const target = address(href);
    return target === undefined ? text : `<a href="${escapeHtml(target)}">${text}</a>`;
  },
  heading(token) {
    const { depth, tokens } = token;
    const id = escapeHtml(ids.get(token) ?? '');
    const text = this.parser.parseInline(tokens);
    // A heading links to itself, unless it contains a link.
    const linked = depth === 1 || text.includes('<a ') ? text : `<a href="#${id}">${text}</a>`;
    return `<h${depth} id="${id}">${linked}</h${depth}>\n`;
  },
  // Wide content is scrollable with the keyboard.
  code: ({ text }) => `<div class="code"><pre tabindex="0"><code>${escapeHtml(text)}</code></pre></div>\n`,
  table({ header, rows }) {
    const titled = header.some((cell) => cell.text !== '');
    const head = titled ? `<thead>${row(this, header, 'th')}</thead>` : '';
    const body = rows.map((cells) => row(this, cells, 'td')).join('');
    return `<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>${head}<tbody>${body}</tbody></table></div>\n`;
  },
});

function row({ parser }: Rendering, cells: readonly Tokens.TableCell[], tag: 'th' | 'td'): string {
  const cell = ({ tokens, text, align }: Tokens.TableCell) => {
    // Screen readers would announce an empty `th`.
    const name = text === '' ? 'td' : tag;
    const side = align === 'right' || align === 'center' ? ` class="${align}"` : '';
    return `<${name}${side}>${parser.parseInline(tokens)}</${name}>`;
  };
  return `<tr>${cells.map(cell).join('')}</tr>`;
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
