import { expect, it } from 'vitest';

it('attributes escape & and ", also in values that look escaped', () => {
  const link = (
    <a href="./?surface=wall&not_master=sound" title={'A&amp;B "C"'}>
      text
    </a>
  );
  expect(link).toBe('<a href="./?surface=wall&amp;not_master=sound" title="A&amp;amp;B &#34;C&#34;">text</a>');
  expect(
    <ul class={['a', 'b']} hidden>
      <li data-a="&" />
      <li />
    </ul>,
  ).toBe('<ul class="a b" hidden><li data-a="&amp;"></li><li></li></ul>');
});
