// What the blocks of a page draw from: facts, wording, style and items.
import { existsSync, readFileSync } from 'node:fs';
import * as english from './facts.en.mjs';
import * as russian from './facts.ru.mjs';
import { escapeText, label, newGroup, value } from './markup.mjs';
import { refineFacts } from './refine.mjs';
import { agrees, createRivals, drawRanks, rankOf, rivalValue } from './rivals.mjs';

const read = (name) => JSON.parse(readFileSync(new URL(`./vocabulary/${name}.json`, import.meta.url), 'utf8'));
/** Paragraphs of reports and letters, if the language has them. */
const readParagraphs = (language) =>
  existsSync(new URL(`./vocabulary/prose.${language}.json`, import.meta.url))
    ? read(`prose.${language}`).paragraphs
    : [];
const readVocabulary = (language) => ({ ...read(language), paragraphs: readParagraphs(language) });
const RIVALS = read('rivals');
const ROOM_SENTENCES = { ru: read('prose.ru').roomSentences, en: [] };
const LANGUAGES = {
  ru: { ...russian, vocabulary: readVocabulary('ru') },
  en: { ...english, vocabulary: readVocabulary('en') },
};

/** Fields by the path in the facts and the format that prints them. */
export const FIELDS = {
  'general:address': (facts) => facts.address_text,
  'general:cadastral_number': (facts) => facts.cadastral_number,
  'general:inventory_number': (facts) => facts.inventory_number,
  'general:purpose': (facts) => facts.purpose,
  'general:year_built': (facts, { format, random }) => format.year(facts.year_built, random),
  'general:floors': (facts, { format, random }) => format.storeys(facts.floors, random),
  'general:floor': (facts, { format, random }) => format.floor(facts.floor, random),
  'general:inventory_value': (facts, { format, random }) => format.money(facts.inventory_value, random),
  'general:issue_date': (facts, { format, random }) => format.date(facts.issue_date, random),
  'general:issuer': (facts) => facts.issuer,
  'general:owner': (facts) => facts.owner,
  'general:head': (facts, { format, random }) => printPerson(facts, 'head', format, random),
  'general:technician': (facts, { format, random }) => printPerson(facts, 'technician', format, random),
  'areas:total_area': (facts, { format, random }) => format.area(facts.areas.total_area, random),
  'areas:living_area': (facts, { format, random }) => format.area(facts.areas.living_area, random),
  'areas:auxiliary_area': (facts, { format, random }) => format.area(facts.areas.auxiliary_area, random),
  'areas:ceiling_height': (facts, { format, random }) => format.height(facts.areas.ceiling_height, random),
  'construction:foundation': (facts) => facts.construction.foundation,
  'construction:wall_material': (facts) => facts.construction.wall_material,
  'construction:partitions': (facts) => facts.construction.partitions,
  'construction:floors_material': (facts) => facts.construction.floors_material,
  'construction:roof': (facts) => facts.construction.roof,
  'construction:wear_percent': (facts, { format, random }) => format.percent(facts.construction.wear_percent, random),
  'notes:text': (facts) => facts.note,
};
/** The name as the form prints it, with title and letters if the person has them. */
function printPerson(facts, person, format, random) {
  const [before, after] = facts.titled?.[person] ?? ['', ''];
  return before + format.person(facts[person], random) + after;
}
const PLACEHOLDER = /\{([\w.:]+)\}/g;
export const PARTS = ['region', 'district', 'city', 'street', 'house', 'block', 'flat'].map(
  (part) => `address.${part}`,
);
/** Sentences print the unit themselves. */
const AREA_UNIT = / (m²|m2|ft²|SF|sq\.? (m|ft)|square (metres|feet))$/;
const TEXTS = new Set(
  Object.keys(FIELDS).filter((field) => /address|purpose|issuer|owner|construction:(?!wear)|note/.test(field)),
);

/** The context of one page. `language` is ru or en. */
export function createContext(random, language, style) {
  const { generateFacts, format, distract, vocabulary } = LANGUAGES[language];
  const facts = refineFacts(generateFacts(random), random, language);
  const ranks = drawRanks(random);
  const context = { random, language, facts, format, vocabulary, style, ranks };
  const wording = (list) => vary(random.pick(list), random);
  /** The wordings of a field with the rank of the page. */
  const ranked = (field, list) => {
    const rank = ranks[field];
    const some = rank ? list.filter((one) => rankOf(field, one) === rank) : list;
    return some.length > 0 ? some : list;
  };

  const text = (field) => {
    if (field.startsWith('address.')) {
      const part = field.slice(8);
      return (random.chance(0.75) ? facts.bare[part] : facts.address[part]) || '';
    }
    return String(FIELDS[field](facts, context) ?? '');
  };

  const addendum = (field) =>
    field === 'general:owner' && facts.ownerAddendum && random.chance(0.2) ? escapeText(facts.ownerAddendum) : '';

  /** Distractors of prose may also come from the facts of another building. */
  const distractProse = (kind) => {
    if (kind === 'material') return context.material();
    if (kind === 'storeys') return format.storeys(random.integer(1, 14), random);
    const other = { firm: 'issuer', address: 'address_text', purpose: 'purpose' }[kind];
    return other ? generateFacts(random)[other] : distract(kind, random);
  };
  const isLowered = random.chance(0.65);
  /** A template with marked values. */
  const fill = (template) => {
    const addressGroup = newGroup();
    return escapeText(template).replace(PLACEHOLDER, (all, name) => {
      if (name === 'rooms') return all;
      if (name.startsWith('rival:')) {
        const [, section, key, rank] = name.split(':');
        return context.rivals.inProse(`${section}:${key}`, Number(rank));
      }
      if (name.startsWith('distractor:')) return escapeText(distractProse(name.slice(11)));
      let plain = text(name).replace(/[.,;]$/, '');
      if (name.startsWith('areas:')) plain = plain.replace(AREA_UNIT, '');
      if (plain === '') return '—';
      if (isLowered && /^(construction|general:purpose)/.test(name) && /^\p{Lu}\p{Ll}/u.test(plain))
        plain = plain[0].toLowerCase() + plain.slice(1);
      if (name === 'general:issuer' && facts.parent && random.chance(0.25)) {
        const office = value(name, escapeText(plain));
        const parent = rivalValue(name, 2, escapeText(facts.parent));
        return random.pick([`${parent}, ${office}`, `${office} (${parent})`, `${office}, ${parent}`]);
      }
      return value(name, escapeText(plain), name.startsWith('address.') ? addressGroup : newGroup()) + addendum(name);
    });
  };

  Object.assign(context, {
    /** The printed text of a field, without marks; may be empty. */
    text,
    fill,
    roomSentences: ROOM_SENTENCES[language],
    isText: (field) => TEXTS.has(field),
    wording,
    /** The marked label of a field. */
    label: (field) => label(field, escapeText(wording(ranked(field, vocabulary.labels[field])))),
    caption: (field) =>
      label(field, escapeText(wording(ranked(field, vocabulary.captions[field] ?? vocabulary.labels[field])))),
    head: (column) =>
      column === 'rooms:skip'
        ? escapeText(wording(vocabulary.heads[column]))
        : label(column, escapeText(wording(vocabulary.heads[column]))),
    /** `{ field, label, caption, value, plain }` with marks; undefined if the facts lack the value. */
    item(field) {
      const plain = text(field);
      if (plain === '') return undefined;
      return {
        field,
        label: context.label(field),
        caption: context.caption(field),
        value: field === 'general:issuer' ? context.issuer(plain) : value(field, escapeText(plain)) + addendum(field),
        plain,
      };
    },
    /** The office as the issuer, sometimes with its parent organisation or a description beside it. */
    issuer(plain = text('general:issuer'), chance = 0.4) {
      const office = value('general:issuer', escapeText(plain));
      if (!random.chance(chance)) return office;
      if (!facts.parent || random.chance(0.2)) {
        const described = escapeText(facts.description);
        return random.pick([`${office}<br>${described}`, `${office}, ${described}`, `${office} (${described})`]);
      }
      const parent = rivalValue('general:issuer', 2, escapeText(facts.parent));
      return random.pick([
        `${parent}, ${office}`,
        `${parent}<br>${office}`,
        `${office}, ${parent}`,
        `${office} (${parent})`,
        `${office}<br>${parent}`,
        `${parent}. ${office}`,
        `${parent} – ${office}`,
      ]);
    },
    /** The same for something that is not a field. */
    distractor(kind) {
      const some = kind ? vocabulary.distractors.filter((one) => one.kind === kind) : vocabulary.distractors;
      const one = random.pick(some.length > 0 ? some : vocabulary.distractors);
      const plain = String(
        one.kind === 'text' && random.chance(0.6)
          ? random.pick(vocabulary.distractorTexts)
          : distract(one.kind, random),
      );
      const written = escapeText(vary(one.label, random));
      return { field: undefined, label: written, caption: written, value: escapeText(plain), plain };
    },
    distract: (kind) => String(distract(kind, random)),
    /** A sentence with marked values. */
    sentence() {
      let template = random.pick(vocabulary.sentences);
      for (let i = 0; i < 20 && !agrees(template, ranks); i++) template = random.pick(vocabulary.sentences);
      return fill(template);
    },
    /** A paragraph with marked values whose fields are known and not in `used`; '' if none is found. */
    paragraph(used = new Set()) {
      for (let i = 0; vocabulary.paragraphs.length > 0 && i < 20; i++) {
        const template = random.pick(vocabulary.paragraphs);
        const fields = [...template.matchAll(PLACEHOLDER)]
          .map(([, name]) => name)
          .filter((name) => !/^(distractor|rival):/.test(name));
        if (agrees(template, ranks) && fields.every((field) => !used.has(field) && text(field) !== ''))
          return fill(template);
      }
      return '';
    },
    /** A description of a part of a building, of another building; of any part without `field`. */
    material: (field) =>
      field
        ? (generateFacts(random).construction[field.slice('construction:'.length)] ?? '')
        : (random.pick(
            Object.values(generateFacts(random).construction).filter((one) => typeof one === 'string' && one !== ''),
          ) ?? ''),
    note: () => escapeText(random.pick(vocabulary.notes)),
  });
  context.rivals = createRivals(context, RIVALS[language], wording);
  return context;
}

/** Small changes of a wording: capitals, dropped words, abbreviations, spaces. */
function vary(wording, random) {
  let text = wording;
  if (random.chance(0.06)) text = text.toUpperCase();
  else if (random.chance(0.08)) text = text[0].toLowerCase() + text.slice(1);
  if (random.chance(0.1)) {
    text = text.replace(/(?<=\p{L}{3}[бвгджзклмнпрстфхцчшщbcdfgklmnprstvz])\p{L}{2,}(?=\s|$)/gu, (rest) =>
      random.chance(0.5) ? '.' : rest,
    );
  }
  const words = text.split(' ');
  if (words.length > 3 && random.chance(0.08)) {
    words.splice(random.integer(1, words.length - 1), 1);
    text = words.join(' ');
  }
  if (random.chance(0.03)) text = [...text].join(' ');
  return text;
}
