/**
 * Whether an answer is to be JSON where a form could ask too: exactly when `Accept` names JSON (`application/json`, or a
 * type that ends in `+json`) with q above 0, and names no `text/html` with a q as high. Wildcards count for neither.
 */
export function wantsJson(accept: string | undefined): boolean {
  const { json, html } = wishes(accept);
  return json > 0 && html < json;
}

/**
 * Whether a refusal is to be a page: `Accept` names `text/html`, as every browser does, and does not prefer JSON. A
 * program that names nothing gets the same JSON as everywhere.
 */
export function wantsPage(accept: string | undefined): boolean {
  return wishes(accept).html > 0 && !wantsJson(accept);
}

/** Whether `Accept` names `type` at all; wildcards do not. */
export function names(accept: string | undefined, type: string): boolean {
  return ranges(accept).some((range) => range.type === type && range.q > 0);
}

function wishes(accept: string | undefined): { json: number; html: number } {
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
    // A weight that is none counts as none at all: whoever wrote it did not mean 1.
    return { type, q: weight === undefined ? 1 : /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight) : 0 };
  });
}
