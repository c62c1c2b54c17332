import { Label, Summary } from './text-elements.tsx';

/** How the next files are grouped; read by `browser/grouping.ts`, or sent with the form that contains it. */
export const GroupingInputs = ({
  words,
}: {
  words: Readonly<Record<'title' | 'project' | 'tagsHint', string>>;
}): JSX.Element => (
  <details class="grouping">
    <Summary text={words.title} />
    <Label for="project" text={words.project} />
    <input id="project" name="project" type="text" maxlength="100" autocomplete="off" dir="auto" />
    <Label for="tags" text={words.tagsHint} />
    <input id="tags" name="tags" type="text" maxlength="1100" autocomplete="off" dir="auto" />
  </details>
);
