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
