import { byId } from './dom.ts';
import { fill } from './fill.ts';
import { pageData } from './page-data.ts';

export interface Grouping {
  readonly project?: string;
  readonly tags?: readonly string[];
}

/** Those of the service. */
const MAX_TAG_CHARS = 50;
const MAX_TAGS = 20;

/** The filled-in values of `GroupingInputs`, for a request. */
export function readGroupingInputs(): Grouping {
  const project = byId<HTMLInputElement>('project').value.trim();
  const tags = byId<HTMLInputElement>('tags')
    .value.split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  return { ...(project !== '' && { project }), ...(tags.length > 0 && { tags }) };
}

/** Throws an error in the page's language if the service would refuse the tags. */
export function requireValidTags(): void {
  const { tooLong, tooMany } = pageData().ui.tags;
  const { tags = [] } = readGroupingInputs();
  const long = tags.find((tag) => [...tag].length > MAX_TAG_CHARS);
  if (long !== undefined) throw new Error(fill(tooLong, { tag: long, limit: MAX_TAG_CHARS }));
  if (tags.length > MAX_TAGS) throw new Error(fill(tooMany, { limit: MAX_TAGS }));
}
