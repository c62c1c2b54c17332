import { describe, expect, it } from 'vitest';
import { readMarkdown } from './markdown.ts';

const html = (markdown: string) => readMarkdown(markdown, (href) => (href.startsWith('#') ? href : undefined)).html;

describe('readMarkdown', () => {
  it('escapes raw HTML and unsafe link targets', () => {
    const hostile = [
      '<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>',
      'a <b onclick="x()">b</b> <!-- c -->',
      '[x](javascript:alert(1)) [x](data:text/html,x) <javascript:alert(1)> <a@b.c>',
      '![<script>alert(1)</script>](https://example.com/x.png "t")',
      '# <img src=x onerror=alert(1)> "quoted"',
      '```"><script>\n</code></pre><script>alert(1)</script>\n```',
      '| <i>a</i> | `<b>` |\n|---|---|\n| <script>1</script> | [x](#"onmouseover="y) |',
    ].join('\n\n');
    const tags = [...html(hostile).matchAll(/<\/?([a-z0-9]+)([^>]*)>/g)];
    const known = ['p', 'h1', 'a', 'div', 'pre', 'code', 'table', 'thead', 'tbody', 'tr', 'th', 'td'];
    for (const [tag, name, attributes] of tags) {
      expect(known, tag).toContain(name);
      expect(attributes, tag).toMatch(/^( (id|href|class|role|aria-label|tabindex)="[^"]*")*$/);
    }
    expect(html(hostile)).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  });

  it('renders a link without a URL as text', () => {
    expect(html('See [the code](../src/main.ts).')).toBe('<p>See the code.</p>\n');
  });

  it('generates the heading ids of GitHub, with a counter for duplicates', () => {
    const { sections, title } = readMarkdown(
      '# `a_b` & c\n\n## Что это?\n\ntext\n\n## Same\n\n## Same\n\n- x\n- y',
      () => '',
    );
    expect(title).toBe('a_b & c');
    expect(sections.map(({ id }) => id)).toEqual(['a_b--c', 'что-это', 'same', 'same-1']);
    expect(sections.map(({ text }) => text)).toEqual(['', 'text', '', 'x y']);
  });

  it('omits the head of a table with an empty header row', () => {
    expect(html('| | |\n|---|---|\n| a | b |')).not.toContain('<th');
    expect(html('| | T |\n|---|--:|\n| a | b |')).toContain('<tr><td></td><th class="right">T</th></tr>');
  });
});
