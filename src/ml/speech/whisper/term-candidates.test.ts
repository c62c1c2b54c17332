import { expect, test } from 'vitest';
import { createTermFinder } from './term-candidates.ts';

/** A word per token; marks are a token of their own. */
function wordsOf(text: string) {
  let at = 0;
  return text.split(' ').map((word) => {
    const hasMark = /[.,!?]$/.test(word);
    const [from, lettersTo] = [at, at + 1];
    at += hasMark ? 2 : 1;
    return { text: ` ${word}`, from, lettersTo, to: at };
  });
}

const find = (text: string, ...terms: string[]) => {
  const words = wordsOf(text);
  return createTermFinder(terms)
    .find(words)
    .map(({ first, last, term, isInflection }) => {
      const passage = words.slice(first, last + 1).map((word) => word.text.trim());
      return `${passage.join(' ')} → ${term}${isInflection ? ' (inflection)' : ''}`;
    });
};

test('finds words and passages that sound like a term', () => {
  expect(find('moved to Cabernet last year', 'Kubernetes')).toContain('Cabernet → Kubernetes');
  expect(find('he takes met a proud loud twice', 'metoprolol')).toContain('met a proud loud → metoprolol');
  expect(find('ask Mister Akangwa before noon', 'Okonkwo')).toContain('Akangwa → Okonkwo');
});

test('compares words of other scripts by their sound', () => {
  expect(find('трищина в стене', 'трещина')).toContain('трищина → трещина');
  expect(find('der Tübel sitzt fest', 'Dübel')).toContain('Tübel → Dübel');
});

test('finds nothing in other words', () => {
  expect(find('the bridge was closed for repairs', 'Kubernetes', 'metoprolol', 'yttrium')).toEqual([]);
  expect(find('the bridge was closed')).toEqual([]);
  expect(find('the bridge was closed', '…')).toEqual([]);
});

test('leaves terms that are already right, also beside other words', () => {
  expect(find('the kubernetes cluster', 'Kubernetes')).toEqual([]);
  expect(find('a scan of the pitot tube', 'pitot tube')).toEqual([]);
});

test('marks another form of a term, without the words beside it', () => {
  expect(find('the lintels above it', 'lintel')).toEqual(['lintels → lintel (inflection)']);
  expect(find('вид перекрытия сверху', 'перекрытие')).toEqual(['перекрытия → перекрытие (inflection)']);
});

test('does not join words across a mark', () => {
  expect(find('she met, a proud loud man', 'metoprolol')).not.toContain('met, a proud loud → metoprolol');
});

test('does not take a number for another number', () => {
  expect(find('built in the year 1200', '9001')).toEqual([]);
  expect(find('according to ISO 2768', 'ISO 9001')).toEqual([]);
  expect(find('according to eyes so 9001', 'ISO 9001')).toContain('eyes so 9001 → ISO 9001');
});

test('keeps marks, articles and halves of compounds before a word', () => {
  expect(find('a «cabernet» here', 'Kubernetes')).toEqual([]);
  expect(find('at -5 degrees', '5 degree')).toEqual([]);
  expect(find('the non-cabernet cluster', 'Kubernetes')).toEqual([]);
  expect(find('sur l’échafodage', 'échafaudage')).toEqual([]);
  expect(find('der Kmet-Wäger ist alt', 'Träger')).not.toContain('der Kmet-Wäger → Träger');
});

test('finds a term that is written with other characters of the same sound', () => {
  expect(find('входная группа и подьезд', 'подъезд')).toEqual(['подьезд → подъезд']);
  expect(find('Herr Muller kommt', 'Müller')).toContain('Muller → Müller');
});

test('stops between words', () => {
  const stop = () => {
    throw new Error('stopped');
  };
  expect(() => createTermFinder(['Kubernetes']).find(wordsOf('moved to Cabernet'), stop)).toThrow('stopped');
});
