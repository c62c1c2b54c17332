import { describe, expect, it } from 'vitest';
import { acceptsType, wantsJson, wantsPage } from './accept-header.ts';

describe('the Accept header', () => {
  it.each<[accept: string | undefined, json: boolean, page: boolean]>([
    [undefined, false, false],
    ['', false, false],
    ['*/*', false, false],
    ['application/*', false, false],
    ['application/json', true, false],
    ['Application/JSON', true, false],
    ['application/problem+json', true, false],
    ['application/json;q=0', false, false],
    ['application/json;q=0.1', true, false],
    ['application/json; q=nonsense', false, false],
    ['text/html', false, true],
    ['text/html;q=0', false, false],
    ['text/html, application/json', false, true],
    ['application/json, text/html;q=0.9', true, false],
    ['application/json;q=0.5, text/html;q=0.9', false, true],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', false, true],
    ['application/json, */*;q=0.8', true, false],
    ['text/jsonp, application/jsonx', false, false],
  ])('%j prefers JSON: %j, prefers a page: %j', (accept, json, page) => {
    expect([wantsJson(accept), wantsPage(accept)]).toEqual([json, page]);
  });

  it('names a type only if listed explicitly with q > 0', () => {
    expect(acceptsType('text/event-stream', 'text/event-stream')).toBe(true);
    expect(acceptsType('text/event-stream;q=0', 'text/event-stream')).toBe(false);
    expect(acceptsType('text/*', 'text/event-stream')).toBe(false);
  });
});
