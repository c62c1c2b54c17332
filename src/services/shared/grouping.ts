import { Type } from 'typebox';
import type { JsonObject } from '../../base/json.ts';
import { WITHOUT_NUL } from '../../http/text-patterns.ts';

/** How a client groups its tasks. */
export interface Grouping {
  readonly project?: string;
  /** Distinct, in the order of the request. */
  readonly tags?: readonly string[];
}

const MAX_PROJECT_CHARS = 100;
const MAX_TAG_CHARS = 50;
const MAX_TAGS = 20;

/** Without the limits of the texts, which apply after trimming. */
export const groupingFields = {
  project: Type.Optional(
    Type.String({
      description: `Groups tasks: 1 to ${MAX_PROJECT_CHARS} characters without control characters, trimmed.`,
    }),
  ),
  tags: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: MAX_TAGS,
      description: `At most ${MAX_TAGS} labels of 1 to ${MAX_TAG_CHARS} characters, trimmed and without duplicates.`,
    }),
  ),
};

/** Query parameters that set the grouping of a request. */
export const groupingQuery = {
  project: groupingFields.project,
  tag: Type.Optional(
    Type.Union([Type.String(), groupingFields.tags], { description: 'A tag; repeat it for several tags.' }),
  ),
};

/** Query parameters of lists. */
export const groupingFilter = {
  project: Type.Optional(
    Type.String({ maxLength: 2 * MAX_PROJECT_CHARS, pattern: WITHOUT_NUL, description: 'Only with this project.' }),
  ),
  tag: Type.Optional(
    Type.String({ maxLength: 2 * MAX_TAG_CHARS, pattern: WITHOUT_NUL, description: 'Only with this tag.' }),
  ),
};

/** Trims and deduplicates; `reject` creates the error for an invalid field. Undefined without values. */
export function readGrouping(
  { project, tags = [] }: { readonly project?: string | undefined; readonly tags?: readonly string[] | undefined },
  reject: (field: 'project' | 'tags', message: string) => Error,
): Grouping | undefined {
  const check = (field: 'project' | 'tags', text: string, most: number): string => {
    const trimmed = text.trim();
    const length = [...trimmed].length;
    if (length < 1 || length > most)
      throw reject(field, `${field === 'tags' ? 'each tag ' : ''}must have 1 to ${most} characters`);
    if (/[\p{Cc}\p{Cs}]/u.test(trimmed)) {
      throw reject(field, 'may not contain control characters or lone surrogates');
    }
    return trimmed;
  };
  if (tags.length > MAX_TAGS) throw reject('tags', `must have at most ${MAX_TAGS} items`);
  const distinct = [...new Set(tags.map((tag) => check('tags', tag, MAX_TAG_CHARS)))];
  if (project === undefined && distinct.length === 0) return undefined;
  return {
    ...(project !== undefined && { project: check('project', project, MAX_PROJECT_CHARS) }),
    ...(distinct.length > 0 && { tags: distinct }),
  };
}

/** The input of a task that stores its grouping: as its first member, so that tasks without one are recognized by it. */
export const withGrouping = (input: JsonObject, grouping: Grouping | undefined): JsonObject =>
  grouping === undefined ? input : { grouping: { ...grouping } as JsonObject, ...input };

const STORED = '{"grouping":';

/** Of a stored input. Polls read inputs: one without a grouping is not parsed. */
export const groupingOf = (inputText: string): Grouping =>
  inputText.startsWith(STORED) ? (JSON.parse(inputText) as { grouping: Grouping }).grouping : {};
