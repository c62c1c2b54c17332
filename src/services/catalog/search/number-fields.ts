import type { Queryable } from '../../../base/db.ts';

/** A field with numbers, for the inputs of ranges. */
export interface NumberField {
  readonly name: string;
  /** Of one of its records. */
  readonly service: string;
  /** Of a document's field. */
  readonly label: { readonly en: string; readonly ru: string } | null;
}

/** Of visible records, in the order of names. Reads one index entry per field. */
export async function findNumberFields(db: Queryable): Promise<readonly NumberField[]> {
  const { rows } = await db.query<NumberField>(NUMBER_FIELDS);
  return rows;
}

const MAX_SHOWN = 10;
/** Including those without numbers. */
const MAX_READ = 200;

const NUMBER_FIELDS = {
  name: 'catalog-number-fields',
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
             limit 1) as label
      from (select field from name where field is not null limit ${MAX_READ}) n
     cross join lateral (
           select r.number, r.service
             from catalog_fields f
             join catalog_records r using (number)
            where f.field = n.field and f.value is not null and not r.hidden
            limit 1) one
     limit ${MAX_SHOWN}`,
};
