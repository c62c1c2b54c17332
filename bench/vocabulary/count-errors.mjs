// Word errors of terms and of other words.

/** Lower case, without punctuation; figures stay figures. */
export const words = (text) =>
  text
    .toLowerCase()
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}']+/gu, ' ')
    .trim()
    .split(/\s+/)
    .filter((word) => word !== '');

/**
 * Aligns a recognised text with its reference (Levenshtein) and counts the terms that are not recognised, and errors in other
 * words. Extra words beside a wrong term belong to the term.
 */
export function countErrors(reference, recognised, terms) {
  const [wanted, found] = [words(reference), words(recognised)];
  const termAt = findTerms(wanted, terms);
  const wrong = new Set();
  let otherErrors = 0;
  const steps = align(wanted, found);
  for (const [i, { kind, at }] of steps.entries()) {
    if (kind === 'same') continue;
    const near = kind === 'extra' ? [steps[i - 1], steps[i + 1]] : [{ kind, at }];
    const term = near
      .filter((step) => step && step.kind !== 'same' && step.kind !== 'extra')
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
  for (const term of terms.map(words)) {
    for (let at = 0; at + term.length <= wanted.length; at++) {
      if (!term.every((word, i) => wanted[at + i] === word)) continue;
      termAt.fill(occurrence++, at, at + term.length);
    }
  }
  return termAt;
}

function align(wanted, found) {
  const cost = Array.from({ length: wanted.length + 1 }, (_, i) =>
    Array.from({ length: found.length + 1 }, (_, j) => i || j),
  );
  for (let i = 1; i <= wanted.length; i++) {
    for (let j = 1; j <= found.length; j++) {
      const same = wanted[i - 1] === found[j - 1];
      cost[i][j] = Math.min(cost[i - 1][j - 1] + (same ? 0 : 1), cost[i - 1][j] + 1, cost[i][j - 1] + 1);
    }
  }
  const steps = [];
  let [i, j] = [wanted.length, found.length];
  while (i > 0 || j > 0) {
    const same = i > 0 && j > 0 && wanted[i - 1] === found[j - 1];
    if (i > 0 && j > 0 && cost[i][j] === cost[i - 1][j - 1] + (same ? 0 : 1)) {
      i--;
      j--;
      steps.unshift({ kind: same ? 'same' : 'other', at: i });
    } else if (i > 0 && cost[i][j] === cost[i - 1][j] + 1) steps.unshift({ kind: 'missing', at: --i });
    else {
      j--;
      steps.unshift({ kind: 'extra' });
    }
  }
  return steps;
}
