import { byId } from '../../../ui/browser/dom.ts';

/** Above the document. */
export function showError(...message: (string | Node)[]): void {
  const errorBox = byId('error');
  errorBox.replaceChildren(...message);
  errorBox.hidden = false;
}
