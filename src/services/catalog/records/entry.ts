import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '../../../base/json.ts';
import type { RecordDraft } from '../../shared/records.ts';
import type { Scored } from '../search/search-types.ts';
import { toStorableJson, toStorableText } from './storable-text.ts';
import { splitWords } from './words.ts';

export interface Entry {
  readonly recordId: string;
  /** The source of the record and its picture. */
  readonly service: string;
  readonly taskId?: string;
  readonly status: 'done' | 'failed';
  /** Absent: unchanged, or now for a new record. */
  readonly createdAt?: Date;
  readonly title: string;
  readonly text: string;
  readonly searched: Searched;
  readonly project?: string;
  readonly tags?: readonly string[];
  readonly surface?: string;
  readonly master?: Scored;
  readonly defects: readonly Scored[];
  readonly fields: readonly Field[];
  readonly result: JsonObject;
  /** JSON. Absent: unchanged. */
  readonly attachment?: string;
  readonly soundKey?: string;
  readonly picture?: { readonly of: JsonValue; readonly digest: string };
  readonly signature?: NonNullable<RecordDraft['signature']>;
}

/** `value` is null unless it is a number, `text` unless it is a short text or a truth value. */
interface Field {
  readonly name: string;
  readonly value: number | null;
  readonly text: string | null;
}

interface Searched {
  /** Space-separated words. */
  readonly title: string;
  readonly text: string;
  /** Distinct words. */
  readonly words: readonly string[];
}

export const IMPORT_SERVICE = 'import';

export const recordIdOf = (service: string, taskId: string): string => `${service}:${taskId}`;

export const MAX_TITLE_LENGTH = 500;
const MAX_TEXT_LENGTH = 200_000;

export function createEntry(service: string, draft: RecordDraft, attachment?: string): Entry {
  const { taskId, status, createdAt, surface, master, picture, sound, signature } = draft;
  return {
    ...{ service, taskId, status, createdAt },
    recordId: recordIdOf(service, taskId),
    ...textsOf(draft.title, draft.text),
    ...(surface !== undefined && { surface: toStorableText(surface) }),
    ...(master && { master: { ...master, name: toStorableText(master.name) } }),
    defects: (draft.defects ?? []).map(({ name, conf }) => ({ name: toStorableText(name), conf })),
    ...groupingOf(draft),
    fields: [...fieldsOf(draft.fields ?? {}), ...groupingFields(draft)],
    result: toStorableJson(draft.result),
    ...(attachment !== undefined && { attachment }),
    ...(sound && { soundKey: sound.fileKey }),
    ...(picture !== undefined && { picture: pictureOf(picture) }),
    ...(signature && { signature }),
  };
}

type Grouping = Pick<RecordDraft, 'project' | 'tags'>;

export const groupingOf = ({ project, tags = [] }: Grouping): Grouping => ({
  ...(project !== undefined && { project: toStorableText(project) }),
  ...(tags.length > 0 && { tags: tags.map(toStorableText) }),
});

/** For filters by their presence. */
export const groupingFields = ({ project, tags = [] }: Grouping): Field[] => [
  ...(project === undefined ? [] : [{ name: 'project', value: null, text: null }]),
  ...(tags.length === 0 ? [] : [{ name: 'tag', value: null, text: null }]),
];

/** The first fields of a record with short names and a value. */
export function fieldsOf(values: JsonObject): Field[] {
  return Object.entries(values)
    .filter(([name, value]) => name !== '' && name.length <= MAX_FIELD_NAME_LENGTH && value !== null && value !== '')
    .slice(0, MAX_FIELDS)
    .map(([name, value]) => ({
      name: toStorableText(name),
      value: typeof value === 'number' ? value : null,
      text: filterableText(value),
    }));
}

/** Null for numbers, lists, objects, texts longer than those by which people filter, and those that forms change: of several lines. */
function filterableText(value: JsonValue): string | null {
  const text =
    typeof value === 'boolean' ? String(value) : typeof value === 'string' ? toStorableText(value).trim() : '';
  return text === '' || text.length > MAX_FIELD_TEXT_LENGTH || /\p{Cc}/u.test(text) ? null : text;
}

export const MAX_FIELD_TEXT_LENGTH = 100;

/** An index entry has at most 2 704 bytes. */
const MAX_FIELD_NAME_LENGTH = 500;
const MAX_FIELDS = 500;

export function textsOf(title: string, text: string): Pick<Entry, 'title' | 'text' | 'searched'> {
  const stored = {
    title: truncate(toStorableText(title), MAX_TITLE_LENGTH),
    text: truncate(toStorableText(text), MAX_TEXT_LENGTH),
  };
  return { ...stored, searched: searchedOf(stored.title, stored.text) };
}

export function searchedOf(title: string, text: string): Searched {
  const titleWords = splitWords(title);
  const textWords = limitWords(splitWords(text), MAX_TEXT_LENGTH);
  return { title: titleWords.join(' '), text: textWords.join(' '), words: [...new Set([...titleWords, ...textWords])] };
}

export const pictureOf = (of: JsonValue) => ({
  of,
  // A URL can contain a credential.
  digest: createHash('sha256').update(JSON.stringify(of)).digest('hex').slice(0, 32),
});

/** Never splits a surrogate pair. */
function truncate(text: string, most: number): string {
  if (text.length <= most) return text;
  const cut = text.slice(0, most);
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}

/** NFKC can expand a character to eighteen, so the words can exceed the text's limit. */
function limitWords(words: string[], most: number): string[] {
  let length = 0;
  const end = words.findIndex((word) => {
    length += word.length + 1;
    return length > most;
  });
  return end < 0 ? words : words.slice(0, end);
}
