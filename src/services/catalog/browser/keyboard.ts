/**
 * Whether a key is meant for something else: for a field or a player that has the focus, or for the browser, as every key
 * together with Ctrl, Alt or Meta is.
 */
export function isTyping(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return true;
  const { target } = event;
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches('input, textarea, select, audio, .scroll');
}

/**
 * The key as our shortcuts name it. Where the layout gives another letter than a Latin one (`о` where English has `j`), the
 * place of the key counts, and not what it writes.
 */
export function keyOf({ key, code, shiftKey }: Pick<KeyboardEvent, 'key' | 'code' | 'shiftKey'>): string {
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  if (letter === undefined || !/^[^\u0000-\u007f]$/u.test(key)) return key;
  return shiftKey ? letter : letter.toLowerCase();
}
