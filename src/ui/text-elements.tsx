/** `<H2 id="title" text={title} />` is an `h2` element with escaped text. Likewise the other elements. */
const textElement =
  <Attributes extends object = JSX.HtmlTag>(of: string) =>
  ({ text, ...attributes }: Attributes & { readonly text: string }): JSX.Element => (
    <tag of={of} {...attributes} safe>
      {text}
    </tag>
  );

export const A = textElement<JSX.HtmlAnchorTag>('a');
export const Button = textElement<JSX.HtmlButtonTag>('button');
export const H1 = textElement('h1');
export const H2 = textElement('h2');
export const H3 = textElement('h3');
export const Label = textElement<JSX.HtmlLabelTag>('label');
export const Option = textElement<JSX.HtmlOptionTag>('option');
export const P = textElement('p');
export const Span = textElement('span');
export const Summary = textElement('summary');
export const Th = textElement<JSX.HtmlTableHeaderCellTag>('th');

/** With a line break that browsers remove, so that they keep one at the beginning of the text. */
export const Textarea = ({ text, ...attributes }: JSX.HtmlTextAreaTag & { readonly text: string }): JSX.Element => (
  <textarea {...attributes} safe>
    {`\n${text}`}
  </textarea>
);
