// Reproducible records for the catalog benchmark: photos, recordings and documents with Russian and English texts whose
// word frequencies follow Zipf's law.
import { setImmediate } from 'node:timers/promises';
import { ensureBuilt } from '../scripts/build.mjs';

ensureBuilt();
const { createRandom } = await import('../dist/base/random.js');

const ROOTS =
  'трещин скол пятн ржавчин отслоен вздут протечк плесен коррози выбоин царапин сварк шов бетон кирпич штукатурк краск плитк окн двер балкон кровл стен потолк пол перекрыт фасад подвал лестниц колонн балк труб кабел насос клапан фланец резервуар опор мост дорог тротуар бордюр площадк участок объект осмотр замечан дефект ремонт замен акт протокол комисси владелец адрес улиц дом квартир комнат кухн коридор кладов площад высот этаж год ввод износ процент материал фундамент отоплен водопровод канализац газ свет вентиляц'.split(
    ' ',
  );
const ENDINGS = ['а', 'ы', 'е', 'у', 'ой', 'ам', 'ами', 'ах', 'ов', 'ок', 'ный', 'ная', 'ное', 'ные', 'ного', 'ность'];
const ENGLISH =
  'wall floor ceiling window door crack rust spall stain leak mold corrosion weld joint pipe valve tank bridge road tile brick plaster paint concrete steel wood glass roof basement stairs beam column cable pump inspection report defect repair replace measure depth width length surface damage severe minor moisture water electric panel meter site crew morning evening north south photo camera operator number'.split(
    ' ',
  );
const SYLLABLES = 'ба ве го ди жу за ки ло му на пе ри со ту фа хе ци чо шу ра ня лю вы тё са до ко ми'.split(' ');
const LATIN = 'ta re mo li su ven dor kal ist ber ran pol nik os ter'.split(' ');

const GRAMMAR = 'и в на с не что по это для от к из как the of and to in is a for on with'.split(' ');

const DEFECTS = [
  'crack',
  'spall',
  'rust',
  'stain',
  'mold',
  'peeling',
  'leak',
  'exposed_rebar',
  'efflorescence',
  'scratch',
];
const SURFACES = ['wall', 'floor', 'ceiling', 'facade', 'bridge_deck', 'metal'];
const TAGS = ['north', 'south', 'roof', 'basement'];
const MASTERS = ['plaster', 'concrete', 'brick', 'tile', 'paint', 'steel', 'wood'];

export function randomOf(seed) {
  const next = createRandom(seed);
  return {
    next,
    whole: (min, max) => min + Math.floor(next() * (max - min + 1)),
    pick: (from) => from[Math.floor(next() * from.length)],
    chance: (share) => next() < share,
  };
}

export function vocabulary(random, size) {
  const words = new Set();
  for (const root of ROOTS) for (const ending of ENDINGS.slice(0, 6)) words.add(root + ending);
  for (const word of ENGLISH) words.add(word).add(`${word}s`);
  const shuffled = [...words].map((word) => [random.next(), word]).sort(([a], [b]) => a - b);
  const all = new Set(shuffled.map(([, word]) => word));
  while (all.size < size) {
    const syllables = random.chance(0.8) ? SYLLABLES : LATIN;
    const stem = Array.from({ length: random.whole(2, 4) }, () => random.pick(syllables)).join('');
    all.add(syllables === LATIN ? stem : stem + random.pick(ENDINGS));
  }
  return [...all];
}

/** Returns a sampler with Zipf frequencies, without the most frequent (grammatical) words. */
export function zipf(random, list) {
  const sums = new Float64Array(list.length);
  let sum = 0;
  for (let i = 0; i < list.length; i++) sums[i] = sum += 1 / (i + 40);
  return () => {
    const wanted = random.next() * sum;
    let [low, high] = [0, list.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle] < wanted) low = middle + 1;
      else high = middle;
    }
    return list[low];
  };
}

const NEWEST = Date.UTC(2026, 10, 20);
const YEAR_MS = 365 * 86_400_000;

/** Generates records: half photos, 30 % recordings, the rest documents and imports. */
export function* records(count, { seed = 5, words = 60_000 } = {}) {
  const random = randomOf(seed);
  // Of its own, so that the records of a seed stay comparable with earlier figures.
  const groups = randomOf(seed + 1);
  const list = vocabulary(random, words);
  const word = zipf(random, list);
  const next = () => (random.chance(0.2) ? random.pick(GRAMMAR) : word());
  const text = (least, most) => Array.from({ length: random.whole(least, most) }, next).join(' ');
  for (let i = 0; i < count; i++) {
    const kind = random.next();
    const service = kind < 0.5 ? 'defectoscopy' : kind < 0.8 ? 'stt' : kind < 0.95 ? 'passports' : 'import';
    const id = `${i.toString(36).padStart(8, '0')}${Math.floor(random.next() * 2 ** 48)
      .toString(36)
      .padStart(10, '0')}xyzw`;
    const failed = random.chance(0.03);
    const photo = service === 'defectoscopy' && !failed;
    const defects = photo ? randomDefects(random) : {};
    const master = photo ? random.pick(MASTERS) : null;
    const surface = photo ? random.pick(SURFACES) : null;
    yield {
      record_id: service === 'import' ? `old-${i}` : `${service}:${id}`,
      service,
      task_id: service === 'import' ? null : id,
      status: failed ? 'failed' : 'done',
      created_at: new Date(NEWEST - Math.floor((1 - i / count) * YEAR_MS) - random.whole(0, 60_000)),
      title: titleOf(service, i, random, text),
      text: photo ? [surface, master, ...Object.keys(defects)].join(' ') : text(...LENGTHS[service]),
      surface,
      master,
      master_conf: master && conf(random),
      defects,
      fields: service === 'passports' && !failed ? randomFields(random) : {},
      top_conf: Object.values(defects).length > 0 ? Math.max(...Object.values(defects)) : null,
      ...randomGroups(groups, i, photo, count),
    };
  }
}

const LENGTHS = { defectoscopy: [3, 8], stt: [30, 300], passports: [80, 200], import: [10, 100] };
const conf = (random) => Math.round((0.5 + random.next() / 2) * 1000) / 1000;

function randomDefects(random) {
  const defects = {};
  for (let left = random.whole(0, 3); left > 0; left--) defects[random.pick(DEFECTS)] = conf(random);
  return defects;
}

/** Two photos in five have copies, three on average. Of each 20 000 records the first thousand belong to a project, half of them with a tag. */
function randomGroups(random, i, isPhoto, count) {
  const [number, isCopy, hasTag] = [random.whole(1, Math.ceil(count / 16)), random.chance(0.4), random.chance(0.5)];
  const project = i % 20_000 < 1000 ? `project ${Math.floor(i / 20_000) % 20}` : null;
  return { photo: isPhoto && isCopy ? number : null, project, tags: project && hasTag ? [random.pick(TAGS)] : null };
}

/** The year of construction, area and wear of a building; each is missing in every tenth document. */
function randomFields(random) {
  const fields = {
    'general:year_built': random.whole(1900, 2025),
    'areas:total_area': random.whole(200, 20_000) / 10,
    'construction:wear_percent': random.whole(0, 80),
  };
  return Object.fromEntries(Object.entries(fields).filter(() => random.chance(0.9)));
}

function titleOf(service, i, random, text) {
  if (service === 'defectoscopy') return `${random.pick(['wall', 'img', 'фото', 'осмотр'])}-${i}.jpg`;
  if (service === 'passports') return `${text(1, 3)} ${random.whole(1, 200)}.pdf`;
  return text(4, 9);
}

/** Inserts records like the indexer, and builds the text indexes at the end. `wordsOf` is the product's tokenizer. */
export async function fill(db, all, wordsOf) {
  const { rows } = await db.query(
    `select indexname as name, indexdef as create from pg_indexes
      where tablename in ('catalog_records', 'catalog_words') and indexdef ilike '% using gin %'`,
  );
  for (const { name } of rows) await db.query(`drop index ${name}`);
  const words = new Set();
  const take = async () => {
    const batch = [];
    while (batch.length < 1000) {
      const { value: record, done } = all.next();
      if (done) break;
      const [titleWords, textWords] = [wordsOf(record.title), wordsOf(record.text)];
      for (const word of [...titleWords, ...textWords]) words.add(word);
      batch.push({ ...record, title_words: titleWords.join(' '), text_words: textWords.join(' ') });
      if (batch.length % 100 === 0) await setImmediate(); // the previous batch is being sent
    }
    return batch;
  };
  for (let batch = await take(); batch.length > 0; ) [batch] = await Promise.all([take(), write(db, batch)]);
  await db.query('insert into catalog_words (word) select word from unnest($1::text[]) as w (word) order by 1', [
    [...words],
  ]);
  await db.transaction(async (tx) => {
    await tx.query(`set local maintenance_work_mem = '512MB'`);
    for (const { create } of rows) await tx.query(create);
  });
  await db.query('vacuum analyze');
}

async function write(db, batch) {
  await db.query(
    `with given as (
       select * from json_to_recordset($1::json) as r (record_id text, service text, task_id text, status text,
         created_at timestamptz, title text, surface text, master text, master_conf real, defects jsonb, top_conf real,
         project text, tags text[], photo bigint, fields jsonb, title_words text, text text, text_words text)
     ), written as (
       insert into catalog_records (record_id, service, task_id, status, created_at, title, surface, master, master_conf,
                                    defects, top_conf, project, tags, search)
       select record_id, service, task_id, status, created_at, title, surface, master, master_conf, defects, top_conf,
              project, tags,
              setweight(to_tsvector('russian', title_words), 'A') || setweight(to_tsvector('russian', text_words), 'D')
         from given
       returning number, record_id
     ), texts as (
       insert into catalog_texts (number, text)
       select number, text from written join given using (record_id)
     ), fields as (
       insert into catalog_fields (number, field, value, text)
       select number, key, value::float8, null from written join given using (record_id), jsonb_each_text(fields)
        union all
       select number, 'general:purpose', null, (array['dwelling', 'office', 'school', 'garage', 'shop'])[1 + number % 5]
         from written join given using (record_id) where service = 'passports'
     ), photos as (
       insert into catalog_photos (number, photo)
       select number, photo from written join given using (record_id) where photo is not null
     )
     insert into catalog_details (number, result)
     select number, json_build_object('text', left(text, 200)) from written join given using (record_id)`,
    [JSON.stringify(batch)],
  );
}
