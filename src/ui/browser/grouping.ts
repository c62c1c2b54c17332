import { byId } from './dom.ts';

export interface Grouping {
  readonly project?: string;
  readonly tags?: readonly string[];
}

/** The filled-in values of `GroupingInputs`, for a request. */
export function readGroupingInputs(): Grouping {
  const project = byId<HTMLInputElement>('project').value.trim();
  const tags = byId<HTMLInputElement>('tags')
    .value.split(',')
    .filter((tag) => tag.trim() !== '');
  return { ...(project !== '' && { project }), ...(tags.length > 0 && { tags }) };
}
