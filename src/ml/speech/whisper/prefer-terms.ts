import { type DecodedToken, PROMPT_LENGTH, type Transcript } from './decode.ts';
import { logSumExp, suppressTokens } from './logits.ts';
import type { Candidate, TermFinder } from './term-candidates.ts';
import { type TokenWord, wordsOfTokens } from './token-words.ts';
import type { Vocabulary } from './vocabulary.ts';

interface Replacement {
  readonly candidate: Candidate;
  readonly spoken: readonly DecodedToken[];
  /** By how much the text is likelier than the term, less the bonus of the term, in nats. */
  readonly excess: number;
}

/**
 * Replaces passages that sound like a term by the term, if the model finds the term nearly as likely: the passage and the token after it
 * are scored with either, with a bonus for the term (contextual biasing; Zhao et al. 2019, "Shallow-Fusion End-to-End Contextual
 * Biasing", Interspeech). The bonus grows with the similarity of the sound. Needs a transcript with logits.
 */
export async function preferTerms(
  transcript: Transcript,
  { finder, vocabulary, throwIfStopped }: PreferenceOptions,
): Promise<Transcript> {
  const { tokens, state: end } = transcript;
  if (!end) return transcript;
  const words = wordsOfTokens(
    tokens.map(({ token }) => token),
    vocabulary,
  );
  let stepsLeft = FREE_STEPS + MAX_STEP_SHARE * tokens.length;

  /** Scores the first token of a term: all probabilities at its place are known. */
  function begin(candidate: Candidate) {
    const [from, to] = [words[candidate.first]!.from, words[candidate.last]!.lettersTo];
    const spelling = vocabulary.encode(spell(candidate, words));
    const { logits, token, logProbability } = tokens[from]!;
    const spoken = tokens.slice(from, to).reduce((sum, each) => sum + each.logProbability, 0);
    const next = tokens[to]?.logProbability ?? transcript.endLogProbability;
    const begun = logits![spelling[0]!]! - (logits![token]! - logProbability);
    const excess = spoken + next - begun - bonusOf(candidate, finder.terms);
    return { candidate, from, to, spelling, spoken, begun, excess };
  }

  /** Undefined if the term is too improbable. */
  async function score({ candidate, from, to, spelling, begun, ...rest }: ReturnType<typeof begin>) {
    const spoken: DecodedToken[] = [];
    let { excess } = rest;
    let [token, logProbability, { attention }] = [spelling[0]!, begun, tokens[from]!];
    let state = end!;
    let length: number | undefined = PROMPT_LENGTH + from;
    for (const next of [...spelling.slice(1), tokens[to]?.token ?? vocabulary.endOfText]) {
      throwIfStopped();
      stepsLeft--;
      spoken.push({ token, logProbability, attention });
      state = await state.step(token, length);
      length = undefined;
      suppressTokens(state.logits, vocabulary, false);
      [token, logProbability, attention] = [next, state.logits[next]! - logSumExp(state.logits), state.attention];
      excess -= logProbability;
      if (excess > 0) return undefined;
    }
    return { candidate, spoken, excess };
  }

  const replacements: Replacement[] = [];
  const begun = finder
    .find(words, throwIfStopped)
    .map(begin)
    .filter(({ spoken, excess }) => excess <= 0 && spoken <= CERTAIN_TEXT)
    .filter(({ from, spelling }) => PROMPT_LENGTH + from + spelling.length < MAX_POSITIONS)
    // Without an end, the token after the last word is not known.
    .filter(({ to }) => to < tokens.length || transcript.stopped === 'end');
  for (const each of begun.sort((a, b) => a.excess - b.excess)) {
    if (stepsLeft < each.spelling.length) continue;
    const replacement = await score(each);
    if (replacement) replacements.push(replacement);
  }
  return withReplacements(transcript, words, replacements);
}

interface PreferenceOptions {
  readonly finder: TermFinder;
  readonly vocabulary: Vocabulary;
  readonly throwIfStopped: () => void;
}

/** A term as a word of a text, with a capital at the start of a sentence. */
function spell({ first, term }: Candidate, words: readonly TokenWord[]): string {
  const startsSentence = first === 0 || /[.!?…]["'»”)]*$/.test(words[first - 1]!.text);
  const isCapital = startsSentence && /^\s*\p{Lu}/u.test(words[first]!.text);
  const spelling = isCapital ? term.charAt(0).toUpperCase() + term.slice(1) : term;
  return /^\s/.test(words[first]!.text) ? ` ${spelling}` : spelling;
}

/** Applies the best replacements that do not overlap. */
function withReplacements(
  transcript: Transcript,
  words: readonly TokenWord[],
  all: readonly Replacement[],
): Transcript {
  const chosen: Replacement[] = [];
  for (const each of [...all].sort((a, b) => a.excess - b.excess)) {
    const { first, last } = each.candidate;
    if (chosen.every(({ candidate }) => candidate.last < first || last < candidate.first)) chosen.push(each);
  }
  const tokens = [...transcript.tokens];
  for (const { candidate, spoken } of chosen.sort((a, b) => b.candidate.first - a.candidate.first)) {
    const { from } = words[candidate.first]!;
    tokens.splice(from, words[candidate.last]!.lettersTo - from, ...spoken);
  }
  return { ...transcript, tokens };
}

/** In nats. Measured with 30 to 150 terms: the more terms, the more of them resemble other words. */
const bonusOf = ({ similarity, sounds, isInflection }: Candidate, terms: number): number =>
  isInflection
    ? INFLECTION_BONUS
    : (15 * similarity + 4.5 - 3.5 * Math.log10(Math.max(1, terms / 40))) * Math.min(1, sounds / WHOLE_SOUNDS) ** 2;
// Shorter terms ("Ida", "pump") resemble too many words.
const WHOLE_SOUNDS = 4;
// The text has another form of the term, unless they sound the same.
const INFLECTION_BONUS = 2;
// Probable texts are not misheard terms.
const CERTAIN_TEXT = -0.5;
// Bounds the cost for any number of terms.
const MAX_STEP_SHARE = 0.5;
const FREE_STEPS = 8;
/** Of Whisper's decoder. */
const MAX_POSITIONS = 448;
