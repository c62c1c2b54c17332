export interface WrittenTerm {
  readonly term: string;
  readonly spoken: readonly string[];
}

/** Reads terms of a text, one per line: `term`, or `term = spoken form, spoken form`. */
export function parseTermLines(text: string): WrittenTerm[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const [term = '', forms = ''] = line.split('=', 2);
    const spoken = forms.split(',').map((form) => form.trim());
    return { term: term.trim(), spoken: spoken.filter((form) => form !== '') };
  });
}
