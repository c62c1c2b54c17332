/**
 * Whether a form route responds with JSON: `Accept` names JSON (`application/json` or `…+json`) with q > 0 and a higher q than
 * `text/html`. Wildcards do not count.
 */
export function wantsJson(accept: string | undefined): boolean {
  const { json, html } = preferences(accept);
  return json > 0 && html < json;
}

/** Whether an error is sent as a page: `Accept` names `text/html` and does not prefer JSON. */
export function wantsPage(accept: string | undefined): boolean {
  return preferences(accept).html > 0 && !wantsJson(accept);
}

/** Whether `Accept` names `type` explicitly; wildcards do not count. */
export function acceptsType(accept: string | undefined, type: string): boolean {
  return ranges(accept).some((range) => range.type === type && range.q > 0);
}

function preferences(accept: string | undefined): { json: number; html: number } {
  let json = 0;
  let html = 0;
  for (const { type, q } of ranges(accept)) {
    if (type === 'application/json' || /^[a-z]+\/[a-z0-9.-]+\+json$/.test(type)) json = Math.max(json, q);
    if (type === 'text/html') html = Math.max(html, q);
  }
  return { json, html };
}

function ranges(accept = ''): { type: string; q: number }[] {
  return accept.split(',').map((part) => {
    const [type = '', ...parameters] = part.split(';').map((word) => word.trim().toLowerCase());
    const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, '');
    // An invalid weight counts as 0.
    return { type, q: weight === undefined ? 1 : /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight) : 0 };
  });
}
