/** Selects the name when a rename form opens. `toggle` does not bubble, so the listener captures. */
export function selectNameOnOpen(): void {
  document.addEventListener(
    'toggle',
    ({ target }) => {
      if (!(target instanceof HTMLDetailsElement) || !target.matches('.rename[open]')) return;
      target.querySelector<HTMLInputElement>('input[name=name]')?.select();
    },
    true,
  );
}
