// Word errors of terms and of other words.
const { alignWords } = await import('../../dist/ml/speech/word-errors/word-errors.js');
const { normalizeWords } = await import('../../dist/ml/speech/word-errors/normalize-words.js');

/**
 * Counts the terms that are not recognized, and errors in other
 * words. Extra words beside a wrong term belong to the term.
 */
export function countErrors(reference, recognized, terms) {
  const wanted = normalizeWords(reference);
  const termAt = findTerms(wanted, terms);
  const wrong = new Set();
  let otherErrors = 0;
  const steps = alignWords(wanted, normalizeWords(recognized));
  for (const [i, { kind, at }] of steps.entries()) {
    if (kind === 'same') continue;
    const near = kind === 'added' ? [steps[i - 1], steps[i + 1]] : [{ kind, at }];
    const term = near
      .filter((step) => step && step.kind !== 'same' && step.kind !== 'added')
      .map((step) => termAt[step.at])
      .find((each) => each !== undefined);
    if (term !== undefined) wrong.add(term);
    else otherErrors++;
  }
  const occurrences = new Set(termAt.filter((each) => each !== undefined));
  return {
    terms: occurrences.size,
    termErrors: wrong.size,
    otherWords: termAt.filter((each) => each === undefined).length,
    otherErrors,
  };
}

/** The number of the occurrence that a word belongs to. */
function findTerms(wanted, terms) {
  const termAt = wanted.map(() => undefined);
  let occurrence = 0;
  for (const term of terms.map(normalizeWords)) {
    for (let at = 0; at + term.length <= wanted.length; at++) {
      if (!term.every((word, i) => wanted[at + i] === word)) continue;
      termAt.fill(occurrence++, at, at + term.length);
    }
  }
  return termAt;
}
