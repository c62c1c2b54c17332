/**
 * This page, or the one at another of our addresses, as the service would serve it now; undefined where it cannot say, or
 * where `signal` ended the wait. By XMLHttpRequest, which makes a document that runs nothing and loads nothing, without a
 * string of HTML in anybody's hands.
 */
export function askAnew(address = location.pathname, signal?: AbortSignal): Promise<Document | undefined> {
  const request = new XMLHttpRequest();
  request.open('GET', address);
  request.setRequestHeader('accept', 'text/html');
  request.responseType = 'document';
  signal?.addEventListener('abort', () => request.abort(), { once: true });
  return new Promise((resolve) => {
    request.addEventListener('loadend', () =>
      resolve(request.status === 200 ? (request.response ?? undefined) : undefined),
    );
    request.send();
  });
}

/**
 * Puts what `fresh` has at this place where the page has it; false where either has no such place. Who is at a control of
 * it is at the same control afterwards.
 */
export function exchange(place: Element | null, fresh: Element | null): boolean {
  if (place === null || fresh === null) return false;
  const held = place === document.activeElement ? null : place.querySelector<HTMLElement>(':focus');
  place.replaceChildren(...[...fresh.childNodes].map((node) => document.importNode(node, true)));
  if (held !== null) likeOf(held, place)?.focus({ preventScroll: true });
  return true;
}

/** The same control in a newer drawing: that of its id, or else one that says of itself what it said. */
function likeOf(control: HTMLElement, place: Element): HTMLElement | undefined {
  const bare = control.cloneNode(false);
  const isLike = (other: HTMLElement) =>
    control.id === '' ? other.cloneNode(false).isEqualNode(bare) : other.id === control.id;
  return [...place.querySelectorAll<HTMLElement>(control.localName)].find(isLike);
}
