import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '../../../base/json.ts';
import type { RecordDraft } from '../../records.ts';
import { cleanJson, cleanText } from './clean.ts';
import { wordsOf } from './words.ts';

/** A record as it is written. */
export interface Entry {
  readonly recordId: string;
  /** Who made it, and is asked for its picture. */
  readonly service: string;
  readonly taskId?: string;
  readonly status: 'done' | 'failed';
  /** Absent: what the record had, or now. */
  readonly createdAt?: Date;
  readonly title: string;
  readonly text: string;
  readonly searched: Searched;
  readonly surface?: string;
  readonly master?: Scored;
  readonly defects: readonly Scored[];
  readonly result: JsonObject;
  readonly withAttachment: boolean;
  readonly soundKey?: string;
  readonly picture?: { readonly of: JsonValue; readonly digest: string };
}

/** What a text is found by. */
interface Searched {
  /** Words with blanks between them. */
  readonly title: string;
  readonly text: string;
  /** Each word once. */
  readonly words: readonly string[];
}

interface Scored {
  readonly name: string;
  readonly conf: number;
}

/** The name that imported records have for their service. */
export const IMPORT = 'import';

export const recordIdOf = (service: string, taskId: string): string => `${service}:${taskId}`;

export const LONGEST_TITLE = 500;
/** So much of a text is kept and searched. */
const LONGEST_TEXT = 200_000;

export function entryOf(service: string, draft: RecordDraft): Entry {
  const { taskId, status, createdAt, surface, master, picture, sound } = draft;
  return {
    ...{ service, taskId, status, createdAt },
    recordId: recordIdOf(service, taskId),
    ...textsOf(draft.title, draft.text),
    ...(surface !== undefined && { surface: cleanText(surface) }),
    ...(master && { master: { ...master, name: cleanText(master.name) } }),
    defects: (draft.defects ?? []).map(({ name, conf }) => ({ name: cleanText(name), conf })),
    result: cleanJson(draft.result),
    withAttachment: draft.withAttachment ?? false,
    ...(sound && { soundKey: sound.fileKey }),
    ...(picture !== undefined && { picture: pictureOf(picture) }),
  };
}

/** Title and text as they are kept, and what they are found by. */
export function textsOf(title: string, text: string): Pick<Entry, 'title' | 'text' | 'searched'> {
  const kept = { title: beginning(cleanText(title), LONGEST_TITLE), text: beginning(cleanText(text), LONGEST_TEXT) };
  return { ...kept, searched: searchedOf(kept.title, kept.text) };
}

export function searchedOf(title: string, text: string): Searched {
  const inTitle = wordsOf(title);
  const inText = within(LONGEST_TEXT, wordsOf(text));
  return { title: inTitle.join(' '), text: inText.join(' '), words: [...new Set([...inTitle, ...inText])] };
}

export const pictureOf = (of: JsonValue) => ({
  of,
  // What it is made of may be an address with a credential in it, which is not to outlive the making.
  digest: createHash('sha256').update(JSON.stringify(of)).digest('hex').slice(0, 32),
});

/** Never half of a character that takes two units. */
function beginning(text: string, most: number): string {
  if (text.length <= most) return text;
  const cut = text.slice(0, most);
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}

/** A character may become eighteen when it is composed: a text that was short enough may have too many words. */
function within(most: number, words: string[]): string[] {
  let length = 0;
  const end = words.findIndex((word) => {
    length += word.length + 1;
    return length > most;
  });
  return end < 0 ? words : words.slice(0, end);
}
