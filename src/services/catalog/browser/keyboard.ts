/** Whether a key press belongs to a field, a player or the browser. */
export function isTyping(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return true;
  const { target } = event;
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches('input, textarea, select, audio, .scroll');
}

/** With a non-Latin layout (`о` on the `j` key) the physical key counts. */
export function keyOf({ key, code, shiftKey }: Pick<KeyboardEvent, 'key' | 'code' | 'shiftKey'>): string {
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  if (letter === undefined || !/^[^\u0000-\u007f]$/u.test(key)) return key;
  return shiftKey ? letter : letter.toLowerCase();
}
