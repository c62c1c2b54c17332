import { Label, Summary } from './text-elements.tsx';

/** How the next files are grouped; read by `browser/grouping.ts`, or sent with the form that contains it. */
export const GroupingInputs = ({
  words,
  project = '',
  tags = '',
}: {
  words: Readonly<Record<'title' | 'project' | 'tagsHint', string>>;
  project?: string | undefined;
  tags?: string | undefined;
}): JSX.Element => (
  <details class="grouping" open={project !== '' || tags !== ''}>
    <Summary text={words.title} />
    <Label for="project" text={words.project} />
    <input id="project" name="project" type="text" value={project} maxlength="100" autocomplete="off" dir="auto" />
    <Label for="tags" text={words.tagsHint} />
    <input id="tags" name="tags" type="text" value={tags} maxlength="1100" autocomplete="off" dir="auto" />
  </details>
);
