import type { PageData } from '../texts.ts';

/** The data that the server has embedded in a page. */
export const pageData = <Data>(page = document): PageData<Data> =>
  JSON.parse(page.getElementById('page-data')!.textContent ?? '') as PageData<Data>;
