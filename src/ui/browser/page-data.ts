import type { PageData } from '../texts.ts';

/** The data that the server has embedded in a page. */
export const pageData = <Own>(page = document): PageData<Own> =>
  JSON.parse(page.getElementById('page-data')!.textContent ?? '') as PageData<Own>;
