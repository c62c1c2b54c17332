import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { filtersFrom, type SearchQuery, toQueryString } from '../../src/services/catalog/search/filter-query.ts';
import { type Catalog, startCatalog } from '../support/catalog.ts';
import { sheetsOf } from '../support/export/workbook.ts';

let catalog: Catalog;

const FORMULAS = ['=1+1', '+cmd|calc', '-2+3', '@SUM(A1)', '-7.5', '+3e5'];

beforeAll(async () => {
  catalog = await startCatalog();
  await catalog.seed([
    { recordId: 'a', title: 'Трещина в стене', text: 'осмотр фасада', createdAt: new Date('2026-11-18T23:59:59.999Z') },
    {
      recordId: 'b',
      title: 'Wall',
      text: 'rusty <b>bridge</b> \u202etxt',
      createdAt: new Date('2026-11-19T00:00:00Z'),
    },
    {
      recordId: 'c "d", e',
      title: 'с запятой, "кавычкой"\nи строкой',
      text: '',
      createdAt: new Date('2026-11-20T12:00:00Z'),
    },
    ...FORMULAS.map((title, i) => ({ recordId: `f${i}`, title, text: title, createdAt: new Date('2020-01-01') })),
    { recordId: 'gone', title: 'Скрытая', text: 'секрет', createdAt: new Date('2026-11-20T12:00:00Z') },
  ]);
  await catalog.context.db.query(`update catalog_records set hidden = true where record_id = 'gone'`);
});
afterAll(() => catalog?.stop());

const search = async (query: string, as = catalog.reader) => as.get(`/search?${query}`);
const idsOf = async (query: string, as = catalog.reader) => {
  const { status, body, text } = await search(query, as);
  expect(status, text).toBe(200);
  return body.items.map(({ record_id }: { record_id: string }) => record_id);
};

describe('GET /search', () => {
  it('returns a page with the total, facets and the parsed filters', async () => {
    const { body } = await search('q=трещены&from=2026-11-01&min_conf=&limit=5');
    expect(body).toMatchObject({
      ...{ total: 1, page: 1, limit: 5, took_ms: expect.any(Number), upto: expect.any(Number) },
      filters: { q: 'трещены', from: '2026-11-01' },
      facets: {
        service: [{ value: 'import', count: 1, more: false }],
        status: [{ value: 'done', count: 1, more: false }],
      },
    });
    expect(body.items).toEqual([
      {
        ...{ record_id: 'a', service: 'import', task_id: null, status: 'done', created_at: '2026-11-18T23:59:59.999Z' },
        ...{ title: 'Трещина в стене', snippet: expect.stringContaining('осмотр фасада'), surface: null, master: null },
        ...{ defects: [], image: null, open_reports: 0, hidden: false },
      },
    ]);
    expect((await search('facets=false')).body.facets).toEqual({});
  });

  it('lists all results by position, and no page beyond result 10 000', async () => {
    for (const sort of ['newest', 'oldest', 'confidence']) {
      const all = await idsOf(`sort=${sort}`);
      const ids: string[] = [];
      for (let after = ''; after !== 'end'; ) {
        const { body } = await search(`sort=${sort}&limit=2&facets=false&after=${after}`);
        ids.push(...body.items.map(({ record_id }: { record_id: string }) => record_id));
        after = body.next ?? 'end';
      }
      expect(ids).toEqual(all);
    }
    expect(await idsOf('page=50&limit=200')).toEqual([]);
    for (const query of ['page=51&limit=200', 'page=10001&limit=1', 'after=newest_0_1_2&page=51&limit=200']) {
      const { status, body } = await search(query);
      expect(status).toBe(422);
      expect(body.detail[0]).toMatchObject({ loc: ['query', 'page'], msg: expect.stringContaining('/export') });
    }
    for (const query of ['sort=confidence&after=confidence_0_1_2', 'sort=oldest&after=newest_0_1_2', 'after=0_1_2']) {
      expect((await search(query)).body.detail[0].loc, query).toEqual(['query', 'after']);
    }
  });

  it('matches any of several values of a facet and none of its excluded ones', async () => {
    const all = await idsOf('');
    expect(await idsOf('service=stt&service=import&status=done')).toEqual(all);
    expect(await idsOf('not_surface=wall&not_surface=floor')).toEqual(all);
    expect(await idsOf('not_service=import')).toEqual([]);
    const { body } = await search('service=stt&service=import&service=stt&not_status=failed');
    expect(body.filters).toEqual({ service: ['stt', 'import'], not_status: 'failed' });
    // The facet counts what another choice would match.
    expect((await search('not_service=import')).body.facets.service).toMatchObject([{ value: 'import' }]);
    const exported = (query: string) => catalog.reader.get(`/export?format=jsonl&${query}`);
    expect((await exported('not_service=import')).text).toBe('');
    expect((await exported('service=stt&service=import')).text.trim().split('\n')).toHaveLength(all.length);
  });

  it('filters by the numbers and the presence of attributes, as does the export', async () => {
    const attributes = [
      { year: 1960, note: 'x', cost: 999_999_999 },
      { year: 1980, cost: 5e9 },
      { year: '1970', note: null, cost: '999999999999999' },
    ];
    const records = attributes.map((each, i) => ({ recordId: `house${i}`, attributes: each, text: 'field test' }));
    await catalog.seed(records);
    const found = async (query: string) => (await idsOf(`q=field&sort=oldest&${query}`)).sort();
    // Also numbers in strings, like the cells of imported tables.
    expect(await found('range=year:1960..1979')).toEqual(['house0', 'house2']);
    expect(await found('range=year:1960..&range=year:..1980')).toEqual(['house0', 'house1', 'house2']);
    expect(await found('range=year:1980.5..')).toEqual([]);
    expect(await found('has=year')).toEqual(['house0', 'house1', 'house2']);
    expect(await found('range=cost:1000000000..&range=cost:..999999999999999')).toEqual(['house1', 'house2']);
    expect(await found('range=cost:5000000000.25..')).toEqual(['house2']);
    expect(await found('has=year&not_has=note')).toEqual(['house1', 'house2']);
    const { text } = await catalog.reader.get('/export?format=jsonl&range=year:1971..&not_has=note');
    expect(JSON.parse(text).record_id).toBe('house1');
    const { body } = await search('q=field&range=year:1960..&has=year');
    expect(body.filters).toEqual({ q: 'field', range: 'year:1960..', has: 'year' });
    expect(body.facets.service).toEqual([{ value: 'import', count: 3, more: false }]);
    // A replaced record has the fields of its last version.
    await catalog.seed([{ recordId: 'house0', attributes: { note: 3 }, text: 'field test' }]);
    expect(await found('has=year')).toEqual(['house1', 'house2']);
    await catalog.context.db.query(`delete from catalog_records where record_id like 'house%'`);
  });

  it('filters by the texts of attributes and counts those with few different ones, as does the export', async () => {
    const attributes = [
      { inspector: 'Petrov', urgent: true, site: 'A=1' },
      { inspector: ' Иванова ', urgent: false, site: 'B' },
      { inspector: 'petrov', year: 1980 },
    ];
    const many = Array.from({ length: 31 }, (_, i) => ({ code: `code ${i}`, remark: 'x'.repeat(101) }));
    const records = [...attributes, ...many].map((each, i) => ({
      ...{ recordId: `place${i}`, attributes: each, text: i < 3 ? 'inspected place' : 'other' },
    }));
    await catalog.seed(records);
    const found = async (query: string) => (await idsOf(`q=inspected&${query}`)).sort();
    expect(await found('attribute=inspector=Petrov')).toEqual(['place0']);
    expect(await found('attribute=inspector=Petrov&attribute=inspector=Иванова')).toEqual(['place0', 'place1']);
    expect(await found('attribute=inspector=Petrov&attribute=urgent=false')).toEqual([]);
    expect(await found('attribute=urgent=true&attribute=site=A=1')).toEqual(['place0']);
    expect(await found('not_attribute=inspector=Petrov')).toEqual(['place1', 'place2']);
    expect(await idsOf('attribute=code=code 7')).toEqual(['place10']);
    const { body } = await search('q=inspected&attribute=inspector=Petrov');
    expect(body.filters).toEqual({ q: 'inspected', attribute: 'inspector=Petrov' });
    const value = (value: string) => ({ value, count: 1, more: false });
    expect(body.attribute_facets).toEqual([
      { field: 'inspector', label: null, values: ['Petrov', 'petrov', 'Иванова'].map(value) },
      { field: 'site', label: null, values: [value('A=1')] },
      { field: 'urgent', label: null, values: [value('true')] },
    ]);
    // Neither a field with many texts nor many filtered fields are counted again.
    expect((await search('attribute=code=code 7')).body.attribute_facets).toEqual([]);
    const unknown = Array.from({ length: 50 }, (_, i) => `not_attribute=k${i}=v`).join('&');
    expect((await search(`q=inspected&${unknown}`)).body.total).toBe(3);
    expect((await search('q=inspected&facets=false')).body.attribute_facets).toBeUndefined();
    const { text } = await catalog.reader.get('/export?format=jsonl&attribute=inspector=petrov');
    expect(JSON.parse(text).record_id).toBe('place2');
    await catalog.context.db.query(`delete from catalog_records where record_id like 'place%'`);
  });

  it('rounds a min_conf below the smallest 32-bit float to zero', async () => {
    expect(await idsOf('min_conf=9.7e-242')).toEqual(await idsOf('min_conf=0'));
  });

  it('treats a date as a whole UTC day and a timestamp as an instant', async () => {
    expect(await idsOf('from=2026-11-19&to=2026-11-19')).toEqual(['b']);
    expect(await idsOf('from=2026-11-18&to=2026-11-18')).toEqual(['a']);
    expect(await idsOf('from=2026-11-18T23:59:59.999Z&to=2026-11-19T00:00:00Z')).toEqual(['a']);
    expect(await idsOf('from=2026-11-19T03:00:00%2B03:00&to=2026-11-19')).toEqual(['b']);
  });

  it.each<[query: string, ...location: (string | number)[]]>([
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['limit=x', 'limit'],
    ['page=0', 'page'],
    ['page=1.5', 'page'],
    ['min_conf=1.1', 'min_conf'],
    ...[
      'year',
      'year:',
      'year:..',
      ':1..2',
      'year:1..2..3',
      'year:a..',
      'year:1e3..',
      'year:1234567890123456..',
      'year:123456789.1234567..',
      'year:0.0000009..',
      'year:1',
    ].map((range): [string, string] => [`range=${range}`, 'range']),
    ['has=%00', 'has'],
    ...['x', 'inspector', '=value', 'inspector=', 'inspector= '].map((each): [string, string] => [
      `attribute=${each}`,
      'attribute',
    ]),
    ['min_conf=a', 'min_conf'],
    ['status=queued', 'status'],
    ['status=done&status=queued', 'status'],
    [`defect=a&defect=${'b'.repeat(501)}`, 'defect', 1],
    [Array.from({ length: 51 }, (_, i) => `not_defect=${i}`).join('&'), 'not_defect'],
    ['sort=best', 'sort'],
    ['from=yesterday', 'from'],
    ['from=2026-02-30', 'from'],
    ['from=2026-02-28T00:00:00', 'from'],
    ['to=2026-02-30T00:00:00Z', 'to'],
    ['to=2026-13-01', 'to'],
    ['has_report=perhaps', 'has_report'],
    ['duplicates=only', 'duplicates'],
    ['upto=-1', 'upto'],
    ['service=%00', 'service'],
    ['q=a&q=b', 'q'],
    [`q=${'я'.repeat(501)}`, 'q'],
    [`q=${Array.from({ length: 21 }, (_, i) => `w${i}`).join('+')}`, 'q'],
  ])("rejects %s with the parameter's location", async (query, ...location) => {
    const { status, body } = await search(query);
    expect(status).toBe(422);
    expect(body.detail[0].loc).toEqual(['query', ...location]);
    if (location[0] === 'attribute') expect(body.detail[0].msg).toContain('FIELD=VALUE');
  });

  it('ignores the character NUL in `q`', async () => {
    expect((await search('q=%00')).body).toMatchObject({ total: (await search('')).body.total, filters: {} });
    expect((await search('q=%D1%81%00%D0%B5%D0%BA')).body.filters).toEqual({ q: 'сек' });
  });

  it('rejects a query of 7 000 characters with 422 and one beyond the URL limit with 414', async () => {
    expect((await search(`q=${'a'.repeat(7000)}`)).status).toBe(422);
    expect((await search(`q=${'a'.repeat(10_000)}`)).status).toBe(414);
  });

  it('returns hidden records only to moderators who request them', async () => {
    expect(await idsOf('q=секрет')).toEqual([]);
    expect(await idsOf('q=секрет', catalog.moderator)).toEqual([]);
    expect(await idsOf('hidden=true', catalog.moderator)).toEqual(['gone']);
    expect((await search('hidden=true')).status).toBe(403);
    expect((await search('hidden=false')).status).toBe(200);
    expect((await search('', catalog.client())).status).toBe(401);
  });

  it('formats filters as a query string that it parses into the same filters', () => {
    const queries = [
      { q: '"a b" -c & = + %', service: 'stt', defect: "o'clock", min_conf: 0.7, has_report: false, sort: 'oldest' },
      {
        from: '2026-11-19',
        to: '2026-11-20',
        hidden: true,
        duplicates: true,
        surface: 'пол',
        master: 'кирпич',
        status: 'failed',
      },
      { from: '2026-11-19T10:00:00.000Z', to: '2026-11-20T10:00:00.500Z' },
      {
        defect: ['crack', "o'clock&=+%"],
        not_defect: 'пол',
        not_service: ['stt', 'import'],
        status: ['done', 'failed'],
      },
      {
        range: ['a:b:-1.5..0.000001', 'year:1960..', 'a..b:..7', 'cost:-999999999999999..0.12345678901234'],
        has: 'a:b',
        not_has: ['x', 'y'],
      },
      { attribute: ['a=b=c', 'd=e'], not_attribute: 'имя=&+ %' },
      {},
    ] as unknown as SearchQuery[];
    const moderator = { role: 'moderator', principal: 'm', by: 'header' } as const;
    for (const query of queries) {
      const filters = filtersFrom(query, moderator);
      const parameters = new URLSearchParams(toQueryString(filters));
      const lists = [...new Set(parameters.keys())].filter((name) => parameters.getAll(name).length > 1);
      const { min_conf, has_report, duplicates, hidden, ...texts } = Object.fromEntries(parameters);
      const again = filtersFrom(
        {
          ...texts,
          ...Object.fromEntries(lists.map((name) => [name, parameters.getAll(name)])),
          ...(min_conf !== undefined && { min_conf: Number(min_conf) }),
          ...(has_report !== undefined && { has_report: has_report === 'true' }),
          ...(duplicates !== undefined && { duplicates: duplicates === 'true' }),
          ...(hidden !== undefined && { hidden: hidden === 'true' }),
        } as SearchQuery,
        moderator,
      );
      expect(again).toEqual(filters);
    }
  });
});

describe('Last search filters', () => {
  it('are stored in a browser cookie and deleted by a reset', async () => {
    const browser = catalog.client();
    browser.cookies.set('assay_catalog', 'reader-token-1');
    await browser.get('/search?q=стена&service=import');
    expect(decodeURIComponent(browser.cookies.get('search_filters')!)).toBe(
      toQueryString({ q: 'стена', service: ['import'] }),
    );
    const reset = await browser.post('/filters/reset', { headers: { accept: 'application/json' } });
    expect(reset.body).toEqual({ filters: {} });
    expect(browser.cookies.has('search_filters')).toBe(false);
    const form = await browser.post('/filters/reset', { headers: { accept: 'text/html' } });
    expect([form.status, form.headers.get('location')]).toEqual([303, '/']);
    await browser.get('/search?q=стена');
    const link = await browser.get('/reset');
    expect([link.status, link.headers.get('location')]).toEqual([303, '/']);
    expect(browser.cookies.has('search_filters')).toBe(false);
    // Filters beyond the cookie size limit are not stored.
    const { headers } = await browser.get(`/search?q=${encodeURIComponent('щ'.repeat(500))}`);
    expect(headers.get('set-cookie')).toBeNull();
  });
});

describe('GET /export', () => {
  const day = new Date().toISOString().slice(0, 10);

  it('returns the records of the search in the same order as JSONL, CSV and XLSX', async () => {
    for (const query of ['', 'q=трещина', 'from=2026-11-19&sort=oldest', 'service=stt']) {
      const ids = await idsOf(`${query}&limit=200`);
      const jsonl = await catalog.reader.get(`/export?format=jsonl&${query}`);
      expect(
        jsonl.text
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line).record_id),
      ).toEqual(ids);
      const csv = await catalog.reader.get(`/export?format=csv&${query}`);
      expect(rowsOf(csv.bytes).map((row) => row['record_id'])).toEqual(ids);
      const xlsx = await catalog.reader.get(`/export?format=xlsx&${query}`);
      const [, ...rows] = sheetsOf(xlsx.bytes).get('Catalog')!;
      expect(rows.map(([id]) => id)).toEqual(ids.map((id: string) => `text:${id}`));
      expect(xlsx.headers.get('content-disposition')).toBe(`attachment; filename="Catalog_${day}.xlsx"`);
    }
  });

  it('answers HEAD without generating the file', async () => {
    const transaction = vi.spyOn(catalog.context.db, 'transaction');
    // The search index uses transactions at any time.
    const exports = () => transaction.mock.calls.filter(([work]) => String(work).includes('resolveFilters')).length;
    const head = await catalog.reader.request('/export?format=csv', { method: 'HEAD' });
    expect([head.status, head.text, head.headers.get('content-type')]).toEqual([
      ...[200, '', 'text/csv; charset=utf-8; header=present'],
    ]);
    expect(head.headers.get('content-disposition')).toContain('Catalog_');
    expect(exports()).toBe(0);
    await catalog.reader.get('/export?format=csv');
    expect(exports()).toBe(1);
    transaction.mockRestore();
  });

  it('escapes formula-like text in CSV and keeps numbers as numbers', async () => {
    const { bytes, headers } = await catalog.reader.get('/export?format=csv&to=2020-01-02&sort=oldest');
    expect(headers.get('content-type')).toMatch(/^text\/csv/);
    expect(bytes.subarray(0, 3)).toEqual(Buffer.from('\uFEFF'));
    const titles = rowsOf(bytes).map((row) => row['title']);
    expect(titles).toEqual(["'=1+1", "'+cmd|calc", "'-2+3", "'@SUM(A1)", '-7.5', '+3e5']);
  });

  it('writes XLSX without formulas', async () => {
    const { bytes } = await catalog.reader.get('/export?format=xlsx&to=2020-01-02&sort=oldest');
    const [, ...rows] = sheetsOf(bytes).get('Catalog')!;
    expect(rows.map((row) => row[5])).toContain('text:=1+1');
  });

  it('rejects an unknown format, hidden records for a reader, and a missing token', async () => {
    expect((await catalog.reader.get('/export')).body.detail[0].loc).toEqual(['query', 'format']);
    expect((await catalog.reader.get('/export?format=pdf')).status).toBe(422);
    expect((await catalog.reader.get('/export?format=csv&hidden=true')).status).toBe(403);
    expect((await catalog.client().get('/export?format=csv')).status).toBe(401);
    const { text } = await catalog.moderator.get('/export?format=jsonl&hidden=true');
    expect(JSON.parse(text)).toMatchObject({ record_id: 'gone', hidden: true });
  });

  function rowsOf(bytes: Buffer): Record<string, string>[] {
    return parse(bytes, { bom: true, columns: true });
  }
});
