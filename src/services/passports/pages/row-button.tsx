/** Of a table row; `text` is its accessible name. */
export const RowButton = (props: { class: string; text: string; sign: string; hidden: boolean }) => (
  <button
    type="button"
    class={`small needs-script ${props.class}`}
    aria-label={props.text}
    title={props.text}
    hidden={props.hidden}
    safe
  >
    {props.sign}
  </button>
);
