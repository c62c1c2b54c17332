// Writes words and short phrases of generated pages, one per line, for texts.py.
// node training/passports/words/texts.mjs FIRST COUNT > texts.txt
import { openBrowser } from '../generator/browser.mjs';
import { composePage } from '../generator/page.mjs';
import { createRandom } from '../generator/random.mjs';

const BATCH = 20;
const MAX_LENGTH = 40;

const [first, count] = process.argv.slice(2).map(Number);
const random = createRandom(`texts ${first}`);
const browser = await openBrowser();
for (let number = first; number < first + count; number += BATCH) {
  const pages = await browser.read(Array.from({ length: BATCH }, (_, i) => composePage(number + i)));
  const phrases = new Set(pages.flatMap(phrasesOf));
  process.stdout.write([...phrases].map((phrase) => `${phrase}\n`).join(''));
}
await browser.close();

/** Groups of one to four adjacent words. */
function phrasesOf({ words }) {
  const phrases = [];
  for (let i = 0; i < words.length; ) {
    const length = random.pick([1, 1, 1, 2, 3, 4]);
    const phrase = [];
    for (; phrase.length < length && i < words.length; i++) {
      const last = words[i - 1];
      const isAdjacent = phrase.length === 0 || (last.box[2] < words[i].box[0] && last.box[1] < words[i].box[3]);
      if (!isAdjacent || [...phrase, words[i].text].join(' ').length > MAX_LENGTH) break;
      phrase.push(words[i].text);
    }
    if (phrase.length === 0) i++;
    else phrases.push(phrase.join(' '));
  }
  return phrases.filter((phrase) => phrase.length > 1 || random.chance(0.1));
}
