// Look-alikes of a field that stand beside it: they name the field only where nothing stronger is printed.
import { escapeText, newGroup, value } from './markup.mjs';

/** Rank of a wording by pattern, weakest first; all others have rank 1. */
const RANKS = {
  'general:year_built': [
    [3, /ввод|введ|эксплуат|сдач|сдан|приемк|приёмк|принят|начало экспл|commission|operation|occup/i],
    [2, /заверш|оконч|complet/i],
  ],
  'general:issue_date': [[2, /состояни|составлен на|\bas (of|at)\b/i]],
};

/** How strongly a wording names a field: 1 is the strongest. */
export const rankOf = (field, wording) => RANKS[field]?.find(([, pattern]) => pattern.test(wording))?.[0] ?? 1;

/** The rank of the wordings of each field on one page. */
export const drawRanks = (random) => ({
  'general:year_built': random.weighted([
    [1, 80],
    [2, 10],
    [3, 10],
  ]),
  'general:issue_date': random.weighted([
    [1, 90],
    [2, 10],
  ]),
});

/** Whether a sentence names its fields with the ranks of the page. */
export function agrees(template, ranks) {
  return Object.entries(ranks).every(([field, rank]) => {
    const at = template.indexOf(`{${field}}`);
    if (at < 0) return true;
    // A rival of the sentence has the weaker wording.
    if (template.includes(`{rival:${field}`)) return rank === 1;
    const around = template.slice(Math.max(0, at - 48), at + field.length + 26);
    return rankOf(field, around) === rank;
  });
}

const mark = (kind, field, rank, html, more = '') =>
  rank ? `<span data-rival-${kind}="${field}" data-rank="${rank}"${more}>${html}</span>` : html;

/** Text that is a value of `field` where no value of a lower rank is printed. */
export const rivalValue = (field, rank, html) => mark('value', field, rank, html, ` data-g="${newGroup()}"`);
export const rivalLabel = (field, rank, html) => mark('label', field, rank, html);

/** Decides at the end of a page which rivals are values, and removes the marks of the others. */
export function resolveRivals(html) {
  const best = new Map();
  for (const [, field, rank] of html.matchAll(/data-rival-value="([^"]+)" data-rank="(\d)"/g)) {
    if (html.includes(`data-f="${field}"`) || (field === 'general:address' && html.includes('data-f="address.')))
      continue;
    best.set(field, Math.min(best.get(field) ?? 9, Number(rank)));
  }
  return html.replace(
    /data-rival-(value|label)="([^"]+)" data-rank="(\d)"(?: data-g="(\d+)")?/g,
    (_all, kind, field, rank, group) => {
      if (best.get(field) !== Number(rank)) return '';
      return kind === 'value' ? `data-f="${field}" data-g="${group}"` : `data-l="${field}"`;
    },
  );
}

const DAY = 86_400_000;

/** Look-alikes of one page; the same kind has one value on the page. */
export function createRivals(context, list, wording) {
  const { random, facts, format } = context;
  const known = new Map();
  const once = (key, make) => {
    if (!known.has(key)) known.set(key, make());
    return known.get(key);
  };
  const nearDate = (spread) => {
    const shifted = new Date(Date.parse(facts.issue_date) + random.integer(-spread, Math.round(spread / 4)) * DAY);
    return shifted.toISOString().slice(0, 10);
  };
  const dateOf = (rank) => (rank ? once('state', () => nearDate(60)) : nearDate(random.pick([10, 40, 300, 4000])));
  const later = () =>
    random.weighted([
      [0, 1],
      [1, 5],
      [2, 3],
      [random.integer(3, 12), 1],
    ]);
  const yearOf = (rank) =>
    rank
      ? once(`year ${rank}`, () => facts.year_built + later())
      : Math.min(2025, facts.year_built + random.integer(-4, 60));
  const textOf = ({ kind, rank }) => {
    if (kind === 'year') return format.year(yearOf(rank), random);
    if (kind === 'date') return format.date(dateOf(rank), random);
    return context.distract(kind);
  };
  const rivalsOf = (field) =>
    list.filter((one) => one.field === field && (!one.rank || one.rank > (context.ranks[field] ?? 0)));

  /** A rival of the field as an item, or undefined. */
  const item = (field, only = () => true) => {
    const some = rivalsOf(field).filter(only);
    if (some.length === 0) return undefined;
    const one = random.pick(some);
    const plain = String(textOf(one));
    const written = escapeText(wording(one.labels));
    const shown = rivalLabel(field, one.rank, written);
    return {
      field: undefined,
      label: shown,
      caption: shown,
      value: rivalValue(field, one.rank, escapeText(plain)),
      plain,
    };
  };
  return {
    item,
    has: (field) => rivalsOf(field).length > 0,
    /** For sentences: `{rival:FIELD:RANK}`. */
    inProse(field, rank) {
      const kind = field === 'general:year_built' ? 'year' : 'date';
      const text = escapeText(String(textOf({ kind, rank })).replace(/[.,;]$/, ''));
      // A rank that the page uses itself must not name a second value.
      if (rank && rank <= context.ranks[field]) return value(field, escapeText(context.text(field)));
      return rivalValue(field, rank, text);
    },
  };
}
