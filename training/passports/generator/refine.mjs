// Unusual facts: offices with a parent organisation, rare addresses, long material phrases, names with titles.
import { readFileSync } from 'node:fs';

const WORDS = JSON.parse(readFileSync(new URL('./vocabulary/refine.json', import.meta.url), 'utf8'));

/** A random entry of a list with its numbers and towns filled in; most towns come from the facts. */
function draw(random, language, list, facts) {
  const words = WORDS[language];
  const stem = /(\p{Lu}[\p{L}-]{2,})ск(?:ий|ое|ая|ого)(?!\p{L})/u.exec(facts?.issuer ?? '')?.[1];
  const town = facts?.bare.city && random.chance(0.7) ? facts.bare.city : random.pick(words.townNames);
  return random
    .pick(words[list])
    .replaceAll('{town}ск', `${stem && random.chance(0.8) ? stem : random.pick(words.towns)}ск`)
    .replaceAll('{town}', town)
    .replaceAll('{n}', () => random.integer(1, 29))
    .replaceAll('{m}', () => random.integer(1, 9))
    .replaceAll('{k}', () => random.integer(101, 2999));
}

/** Changes some of the facts; adds `parent` and `description` of the issuer, `ownerAddendum` and `titled` persons. */
export function refineFacts(facts, random, language) {
  refineIssuer(facts, random, language);
  refineOwner(facts, random, language);
  if (language === 'ru') {
    if (random.chance(0.2)) refineAddress(facts, random);
    if (random.chance(0.25)) endWithAbbreviation(facts, random);
  } else {
    if (random.chance(0.4)) refineMaterials(facts, random);
    refinePersons(facts, random);
  }
  return facts;
}

/** An organisation, a comma and its office. */
const BRANCH = /^(.+?), (.*(?:филиал|отдел|участок|branch|office|services|team|department|БТИ|бюро).*)$/iu;

/** Only the office is the issuer: the organisation above it is kept apart. */
function refineIssuer(facts, random, language) {
  if (!facts.issuer) return;
  const branch = BRANCH.exec(facts.issuer);
  if (branch) [, facts.parent, facts.issuer] = branch;
  else if (random.chance(0.22)) facts.issuer = draw(random, language, 'offices', facts);
  if (!facts.parent && random.chance(0.5)) facts.parent = draw(random, language, 'parents', facts);
  facts.description = draw(random, language, 'descriptions', facts);
}

/** Printed behind the owner but not part of it: the kind of the right, a share, a deed. Shares of several owners are part. */
function refineOwner(facts, random, language) {
  if (!facts.owner || /\d/u.test(facts.owner)) return;
  const share = random.pick(['1/2', '1/3', '2/3', `${random.integer(1, 40)}/${random.integer(41, 99)}`]);
  const [day, month, year] = [random.integer(1, 28), random.integer(1, 12), random.integer(1946, 2019)];
  const date = random.pick([
    `${day}.${String(month).padStart(2, '0')}.${year}`,
    language === 'ru' ? `${day} ${random.pick(['мая', 'июня', 'марта'])} ${year} г.` : `${day} May ${year}`,
  ]);
  const end = draw(random, language, 'ownerAddenda', facts)
    .replace('{share}', share)
    .replace('{date}', date)
    .replace('{year}', year);
  const more = random.chance(0.3) ? `, ${draw(random, language, 'ownerAddenda', facts).replace(/\{.*/u, '')}` : '';
  facts.ownerAddendum = random.pick([' — ', ' - ', ' – ', ', ', ', ', '; ', ' ']) + end + more.replace(/,? *$/u, '');
}

function refineAddress(facts, random) {
  const drawn = (list) => draw(random, 'ru', list);
  const { address, bare } = facts;
  const set = (part, text, plain = text) => {
    address[part] = text;
    bare[part] = plain;
  };
  const hasStreet = random.chance(0.75);
  set('street', hasStreet ? drawn('streets') : random.chance(0.5) ? drawn('places') : '');
  const house = drawn('houses');
  set('house', house, house.replace(/^(д\.|дом) /, ''));
  if (random.chance(0.35)) set('block', drawn('blocks'));
  if (random.chance(0.35)) set('city', drawn('settlements'));
  const separator = random.pick([', ', ', ', ', ', ' ', '; ']);
  const regionLast = address.region !== '' && random.chance(0.3);
  const order = ['district', 'city', 'street', 'house', 'block', 'flat'];
  const main = [...(regionLast ? [] : ['region']), ...order].map((part) => address[part]).filter(Boolean);
  facts.address_text = main.join(separator) + (regionLast ? ` (${address.region})` : '');
}

function endWithAbbreviation(facts, random) {
  const { construction } = facts;
  for (const part of ['foundation', 'wall_material', 'partitions', 'floors_material', 'roof']) {
    if (!construction[part] || !random.chance(0.35)) continue;
    const end = random.chance(0.75) ? draw(random, 'ru', 'dots') : draw(random, 'ru', 'percents');
    construction[part] =
      random.chance(0.4) && end.endsWith('.') ? end : `${construction[part].replace(/\.$/, '')}, ${end}`;
  }
}

/** Phrases as reports have them: adjectives before the material, clauses behind it. */
function refineMaterials(facts, random) {
  for (const [part, { lead, kind, tail }] of Object.entries(WORDS.en.materials)) {
    if (!random.chance(0.75)) continue;
    let text = random.pick(kind);
    if (random.chance(0.75)) text = `${random.pick(lead)} ${text}`;
    const clauses = random.sample(tail, random.integer(0, 2));
    if (clauses.length > 0)
      text += `${/^(on|over|with|at|to|and|under) /.test(clauses[0]) && random.chance(0.6) ? ' ' : ', '}${clauses.join(', ')}`;
    facts.construction[part] = random.chance(0.3) ? text[0].toUpperCase() + text.slice(1) : text;
  }
}

/** A given name and a surname, without a title. */
const PLAIN_NAME = /^(?!Mr|Ms|Dr|Miss|Sir|The )\p{Lu}\p{Ll}+ (\p{Lu}\.? )?\p{Lu}\p{Ll}+$/u;

function refinePersons(facts, random) {
  const { qualifications, titles, given, surnames, ownerEnds } = WORDS.en;
  facts.titled = {};
  for (const person of ['head', 'technician']) {
    if (!random.chance(0.25)) continue;
    const before = random.chance(0.35) ? `${random.pick(titles)} ` : '';
    const after = random.chance(0.8) ? random.pick([', ', ' ', ', ']) + random.pick(qualifications) : '';
    facts.titled[person] = [before, after];
  }
  if (random.chance(facts.country === 'us' ? 0.5 : 0.08)) {
    const surname = random.pick(surnames);
    const middle = () => random.pick(['', '', ' A', ' J', ' T.', ' M']);
    const first = () => random.pick(given) + middle();
    const end = random.chance(0.25) ? ` ${random.pick(ownerEnds)}` : '';
    facts.owner = `${surname}, ${first()}${random.chance(0.5) ? ` ${random.pick(['&', '&', 'AND'])} ${first()}` : ''}${end}`;
  } else if (random.chance(0.15) && PLAIN_NAME.test(facts.owner)) facts.owner = `${random.pick(titles)} ${facts.owner}`;
}

/** A caption of the head of an office, with the office behind it. */
export const headOf = (random, language) => random.pick(WORDS[language].heads);

const GENITIVE = [
  [/^(\p{Lu}[\p{L}-]*ск)(?:ий|ое)(?= )/u, '$1ого'],
  [/^((?:\S+ого )?(?:производственн|межрайонн|городск|районн))(?:ый|ий|ое)(?= )/iu, '$1ого'],
  [/^((?:\S+ого ){0,2}(?:филиал|отдел|сектор))(?=[ ,]|$)/iu, '$1а'],
  [/^((?:\S+ого ){0,2}участ)ок(?=[ ,]|$)/iu, '$1ка'],
  [/^((?:\S+ого ){0,2}(?:отделени|управлени|домоуправлени))е(?=[ ,]|$)/iu, '$1я'],
  [/^((?:\S+ого ){0,2}(?:групп))а(?=[ ,]|$)/iu, '$1ы'],
  [/^(\p{L}+)ая (дистанци)я/u, '$1ой $2и'],
];

/** The name of an office behind the caption of its head. */
export const inGenitive = (office) => GENITIVE.reduce((text, [from, to]) => text.replace(from, to), office);
