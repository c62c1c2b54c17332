/** Whoever opens the box for a new name wants to type one: `toggle` does not bubble, so it is caught on its way down. */
export function focusRenames(): void {
  document.addEventListener(
    'toggle',
    ({ target }) => {
      if (!(target instanceof HTMLDetailsElement) || !target.matches('.rename[open]')) return;
      target.querySelector<HTMLInputElement>('input[name=name]')?.select();
    },
    true,
  );
}
