import { jsx as element, jsxs as elements } from '@kitajs/html/jsx-runtime';

export { Fragment } from '@kitajs/html/jsx-runtime';

type Attributes = Readonly<Record<string, unknown>>;

/** The runtime of @kitajs/html, with `&` in attributes escaped: a browser reads `?a=1&not_b=2` as `?a=1¬_b=2`. */
export const jsx = ((name, attributes) =>
  typeof name === 'function' ? name(attributes) : element(name, escaped(attributes))) as typeof element;

/** As {@link jsx}, for several children. */
export const jsxs = ((name, attributes) =>
  typeof name === 'function' ? name(attributes) : elements(name, escaped(attributes))) as typeof elements;

function escaped<Given extends Attributes>(attributes: Given): Given {
  const changes = Object.entries(attributes).flatMap(([name, value]) =>
    name !== 'children' && typeof value === 'string' && value.includes('&')
      ? [[name, value.replaceAll('&', '&amp;')] as const]
      : [],
  );
  return changes.length === 0 ? attributes : { ...attributes, ...Object.fromEntries(changes) };
}
