// Lays pages out in Chromium and reads words, rules and truth from the DOM.
import { chromium } from 'playwright-core';

/** `scale` is that of pictures, in pixels per CSS pixel. */
export async function openBrowser(scale = 1) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const tab = await browser.newPage({ viewport: { width: 1700, height: 1700 }, deviceScaleFactor: scale });
  return {
    /** Per page `{ width, height, words: [{ text, box, field, group, label }], rules }`; boxes as shares of the page. */
    async read(pages) {
      await tab.setContent(documentOf(pages), { waitUntil: 'load' });
      return JSON.parse(await tab.evaluate(readPages));
    },
    /**
     * A complete document, after `changes`: texts and marks of text nodes by their number, and styles. Per page as {@link read}, each word
     * with the ranges of text nodes that it shows; and text and place in the tree of each text node.
     */
    async readDocument(html, changes = { nodes: [], css: '' }) {
      await tab.setContent(html, { waitUntil: 'load' });
      const nodes = JSON.parse(await tab.evaluate(changeDocument, changes));
      return { nodes, pages: JSON.parse(await tab.evaluate(readPages)) };
    },
    /** The pages, which have one size, as a PDF. */
    async print(pages) {
      await tab.setContent(documentOf(pages), { waitUntil: 'load' });
      const [{ width, height }] = pages;
      return tab.pdf({ width: `${width}mm`, height: `${height}mm`, printBackground: true });
    },
    async picture(page) {
      await tab.setContent(documentOf([page]), { waitUntil: 'load' });
      return tab.locator('.page').screenshot();
    },
    /** Pictures of the pages of the document that `readDocument` opened last. */
    async pictures() {
      const pictures = [];
      for (const page of await tab.locator('.page').all()) pictures.push(await page.screenshot());
      return pictures;
    },
    close: () => browser.close(),
  };
}

const documentOf = (pages) =>
  `<style>@page{margin:0}*{box-sizing:border-box}body{margin:0}.page{position:relative;overflow:hidden;break-after:page;background:#fff}table{font-size:inherit}</style>${pages.map(({ html }) => html).join('')}`;

/** Runs in the browser. `nodes` are `{ node, text, marks: [{ field, group, start, end }] }`. */
function changeDocument({ nodes, css }) {
  document.documentElement.dataset.authored = '';
  document.head.insertAdjacentHTML('beforeend', `<style>${css}</style>`);
  const changes = new Map(nodes.map((change) => [change.node, change]));
  const described = [];
  const pathOf = (element) => {
    const parts = [];
    for (let at = element; at && at !== document.body; at = at.parentElement)
      parts.unshift(`${at.tagName}${[...at.parentElement.children].indexOf(at)}`);
    return parts.join('>');
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(), number = 0; node; node = walker.nextNode(), number++) {
    const change = changes.get(number);
    node.number = number;
    if (change) {
      node.data = change.text;
      node.marks = change.marks;
    }
    const at = [...node.parentElement.childNodes].indexOf(node);
    described.push({ text: node.data, path: `${pathOf(node.parentElement)}>${at}` });
  }
  return JSON.stringify(described);
}

/** Runs in the browser. */
function readPages() {
  const isAuthored = 'authored' in document.documentElement.dataset;
  const ascents = new Map();
  const canvas = document.createElement('canvas').getContext('2d');
  const metrics = (style) => {
    const font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    if (!ascents.has(font)) {
      canvas.font = font;
      const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = canvas.measureText('x');
      ascents.set(font, {
        up,
        down,
        x: canvas.measureText('x').actualBoundingBoxAscent,
        cap: canvas.measureText('Н').actualBoundingBoxAscent,
      });
    }
    return ascents.get(font);
  };
  const pages = [...document.querySelectorAll('.page')].map((page) => {
    const frame = page.getBoundingClientRect();
    const clip = (value) => Math.min(1, Math.max(0, value));
    const toBox = (left, top, right, bottom) => [
      clip((left - frame.left) / frame.width),
      clip((top - frame.top) / frame.height),
      clip((right - frame.left) / frame.width),
      clip((bottom - frame.top) / frame.height),
    ];
    const words = [];
    const walker = document.createTreeWalker(page, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.data;
      if (!/\S/.test(text)) continue;
      const parent = node.parentElement;
      const style = getComputedStyle(parent);
      const spaced = Number.parseFloat(style.letterSpacing) > 0.17 * Number.parseFloat(style.fontSize);
      const upright = style.writingMode === 'horizontal-tb';
      const field = parent.closest('[data-f]');
      const label = parent.closest('[data-l]');
      const shape = metrics(style);
      for (const match of splitAtMarks(text.matchAll(spaced ? /\S/g : /\S+/g), node.marks)) {
        range.setStart(node, match.index);
        range.setEnd(node, match.index + match[0].length);
        const rects = [...range.getClientRects()].filter((rect) => rect.width > 0.5 && rect.height > 0.5);
        if (rects.length === 0) continue;
        const all = rects.reduce((sum, rect) => sum + (upright ? rect.width : rect.height), 0);
        let from = 0;
        for (const [i, rect] of rects.entries()) {
          // A word that breaks at the end of a line or cell.
          const to =
            i === rects.length - 1
              ? match[0].length
              : Math.min(
                  match[0].length,
                  from + Math.max(1, Math.round((match[0].length * (upright ? rect.width : rect.height)) / all)),
                );
          const piece = match[0].slice(from, to);
          const start = match.index + from;
          from = to;
          if (piece === '') continue;
          let { left, top, right, bottom } = rect;
          if (upright) {
            const baseline = top + ((bottom - top) * shape.up) / (shape.up + shape.down);
            const high = /[A-ZА-ЯЁ\dбйёbdfhklt|()/"«»№%]/u.test(piece);
            bottom = baseline + (/[gjpqyруфцщД,;()|_]/u.test(piece) ? 0.22 * shape.up : 0);
            top = baseline - (/^[_.,…-]+$/u.test(piece) ? shape.x * 0.3 : high ? shape.cap : shape.x);
            if (/^_+$/u.test(piece)) top = baseline;
          }
          const middle = [(left + right) / 2, (top + bottom) / 2];
          if (middle[0] < frame.left || middle[0] > frame.right || middle[1] < frame.top || middle[1] > frame.bottom)
            continue;
          const clipping = parent.closest('[style*="overflow:hidden"]');
          if (clipping && clipping !== page) {
            const limit = clipping.getBoundingClientRect();
            if (left > limit.right - 2 || top > limit.bottom - 2) continue;
          }
          const mark = node.marks?.find((one) => one.start <= start && start < one.end);
          words.push({
            text: style.textTransform === 'uppercase' ? piece.toUpperCase() : piece,
            box: toBox(left, top, right, bottom),
            field: mark?.field ?? field?.dataset.f,
            group: mark?.group ?? (field ? Number(field.dataset.g) : 0),
            label: isAuthored ? 'unknown' : label?.dataset.l,
            touches: (match.index === 0 && i === 0) || match.isCut,
            ...(isAuthored && { at: [{ node: node.number, start, end: start + piece.length }] }),
          });
        }
      }
    }
    joinTouching(words);
    const rules = new Map();
    const addRule = (x0, y0, x1, y1) => {
      if (x1 < frame.left || x0 > frame.right || y1 < frame.top || y0 > frame.bottom) return;
      const one = toBox(x0, y0, x1, y1);
      rules.set(one.map((at) => Math.round(at * 2000)).join(), one);
    };
    for (const element of page.querySelectorAll(isAuthored ? '*' : '[style*="border"],u,hr')) {
      const style = getComputedStyle(element);
      if (style.borderRadius !== '0px' || style.transform !== 'none') continue;
      const shown = (side) =>
        Number.parseFloat(style[`border${side}Width`]) > 0 &&
        !['none', 'hidden', 'dotted', 'dashed'].includes(style[`border${side}Style`]);
      const sides = ['Top', 'Bottom', 'Left', 'Right'].filter(shown);
      if (sides.length === 0 && element.tagName !== 'U') continue;
      for (const rect of element.getClientRects()) {
        if (element.tagName === 'U') addRule(rect.left, rect.bottom - 2, rect.right, rect.bottom - 2);
        if (sides.includes('Top')) addRule(rect.left, rect.top, rect.right, rect.top);
        if (sides.includes('Bottom')) addRule(rect.left, rect.bottom, rect.right, rect.bottom);
        if (sides.includes('Left')) addRule(rect.left, rect.top, rect.left, rect.bottom);
        if (sides.includes('Right')) addRule(rect.right, rect.top, rect.right, rect.bottom);
      }
    }
    return {
      language: page.dataset.language,
      width: (frame.width * 72) / 96,
      height: (frame.height * 72) / 96,
      words,
      rules: [...rules.values()],
    };
  });
  /** Words of which a part is marked, in parts. */
  function* splitAtMarks(matches, marks = []) {
    for (const match of matches) {
      const end = match.index + match[0].length;
      const cuts = [...new Set(marks.flatMap((mark) => [mark.start, mark.end]))].filter(
        (at) => at > match.index && at < end,
      );
      const ends = [...cuts.sort((a, b) => a - b), end];
      let start = match.index;
      for (const to of ends) {
        yield Object.assign([text(match, start, to)], { index: start, isCut: start > match.index });
        start = to;
      }
    }
    function text(match, from, to) {
      return match[0].slice(from - match.index, to - match.index);
    }
  }
  /** Punctuation that touches a word belongs to it, as in the text of a PDF: a value and the comma behind it, a label and its colon. */
  function joinTouching(words) {
    for (let i = words.length - 1; i > 0; i--) {
      const [a, b] = [words[i - 1], words[i]];
      const height = Math.min(a.box[3] - a.box[1], b.box[3] - b.box[1]) || 0.005;
      const [aPlain, bPlain] = [a, b].map(({ text }) => /[\p{L}\d]/u.test(text));
      if ((aPlain && bPlain) || !b.touches) continue;
      if (Math.abs(b.box[0] - a.box[2]) > 0.002 || Math.min(a.box[3], b.box[3]) < Math.max(a.box[1], b.box[1]) - height)
        continue;
      const { field, group, label } = aPlain || !bPlain ? a : b;
      words.splice(i - 1, 2, {
        ...a,
        ...(a.at && { at: [...a.at, ...b.at] }),
        text: a.text + b.text,
        field,
        group,
        label,
        box: [a.box[0], Math.min(a.box[1], b.box[1]), b.box[2], Math.max(a.box[3], b.box[3])],
      });
    }
  }
  // Playwright's own serialization is slow.
  return JSON.stringify(pages);
}
