/**
 * Fetches a page of this service; undefined on an error or abort. XMLHttpRequest returns a document that runs no
 * scripts and loads no resources, without handling HTML strings.
 */
export function fetchPage(address = location.pathname, signal?: AbortSignal): Promise<Document | undefined> {
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
 * Replaces the content of `target` with that of `latest`; false if either is missing. Keeps the focus on the same
 * control.
 */
export function replaceContent(target: Element | null, latest: Element | null): boolean {
  if (target === null || latest === null) return false;
  const focused = target === document.activeElement ? null : target.querySelector<HTMLElement>(':focus');
  target.replaceChildren(...[...latest.childNodes].map((node) => document.importNode(node, true)));
  if (focused !== null) findSameControl(focused, target)?.focus({ preventScroll: true });
  return true;
}

/** Replaces the changed elements with `data-fresh`. */
export function replaceFresh(latest: Document): void {
  for (const place of document.querySelectorAll<HTMLElement>('[data-fresh]')) {
    const now = latest.querySelector(`[data-fresh="${CSS.escape(place.dataset['fresh'] ?? '')}"]`);
    if (now !== null && !place.isEqualNode(now)) replaceContent(place, now);
  }
}

/** The control with the same id, or else with the same attributes. */
function findSameControl(control: HTMLElement, target: Element): HTMLElement | undefined {
  const withoutChildren = control.cloneNode(false);
  const isSame = (other: HTMLElement) =>
    control.id === '' ? other.cloneNode(false).isEqualNode(withoutChildren) : other.id === control.id;
  return [...target.querySelectorAll<HTMLElement>(control.localName)].find(isSame);
}
