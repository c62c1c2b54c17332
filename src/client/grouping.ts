/** How a task is grouped with others: in results, lists and the catalog. */
export interface GroupingOptions {
  readonly project?: string | undefined;
  readonly tags?: readonly string[] | undefined;
}

export const groupingFields = ({ project, tags }: GroupingOptions): { project?: string; tags?: string[] } => ({
  ...(project !== undefined && { project }),
  ...(tags !== undefined && tags.length > 0 && { tags: [...tags] }),
});
