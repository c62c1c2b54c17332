import type { Queryable } from '../../../base/db.ts';
import type { KnownField } from './search-types.ts';

export type KnownFields = ReturnType<typeof createKnownFields>;

/** A replaced record can have a new field without a new number. */
const CACHED_MS = 2000;

export function createKnownFields() {
  let latest: { readonly fields: readonly KnownField[]; readonly upTo: number; readonly until: number } | undefined;
  return {
    /** The fields of documents first, in the order of names. Reads a few index entries per field. */
    async load(db: Queryable, upTo: number): Promise<readonly KnownField[]> {
      if (latest === undefined || latest.upTo < upTo || latest.until < Date.now()) {
        const { rows } = await db.query<KnownField>(KNOWN_FIELDS);
        latest = { fields: rows, upTo, until: Date.now() + CACHED_MS };
      }
      return latest.fields;
    },
  };
}

const MAX_TEXTS = 30;
const MAX_FIELDS = 200;
/** Records of a field among which a visible one is searched for. */
const MAX_TESTED = 1000;

const KNOWN_FIELDS = {
  name: 'catalog-known-fields',
  text: `
    with recursive name (field) as (
      (select field from catalog_fields order by field limit 1)
      union all
      select (select f.field from catalog_fields f where f.field > n.field order by f.field limit 1)
        from name n
       where n.field is not null
    )
    select n.field as name, one.service,
           (select each->'label'
              from catalog_details d, json_array_elements(d.result->'fields') each
             where d.number = one.number and one.service = 'passports' and each->>'key' = n.field
             limit 1) as label,
           exists (select from catalog_fields f where f.field = n.field and f.value is not null) as "hasNumbers",
           texts.count between 1 and ${MAX_TEXTS} as "hasFewTexts"
      from (select field from name where field not in ('project', 'tag') limit ${MAX_FIELDS}) n
     cross join lateral (
           select r.number, r.service
             from (select number from catalog_fields where field = n.field limit ${MAX_TESTED}) f
             join catalog_records r using (number)
            where not r.hidden
            limit 1) one
     cross join lateral (
           with recursive known (text) as (
             (select f.text from catalog_fields f where f.field = n.field and f.text is not null order by f.text limit 1)
             union all
             select (select f.text from catalog_fields f where f.field = n.field and f.text > k.text order by f.text limit 1)
               from known k
              where k.text is not null
           )
           select count(text) from (select text from known limit ${MAX_TEXTS + 1}) k) texts
     order by one.service <> 'passports', n.field`,
};
