interface TextProps extends JSX.HtmlTag {
  /** Default: `p`. */
  as?: 'a' | 'button' | 'h2' | 'label' | 'p' | 'span' | 'summary' | 'th' | 'time';
  text: string;
  datetime?: string;
  for?: string;
  form?: string;
  href?: string | undefined;
  rel?: string;
  scope?: string;
  type?: string;
}

/** An element that contains only escaped text. */
export const Text = ({ as: of = 'p', text, ...attributes }: TextProps): JSX.Element => (
  <tag of={of} {...attributes} safe>
    {text}
  </tag>
);
