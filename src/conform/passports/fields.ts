import { skip } from '../breach.ts';
import { step, type Visit } from '../check.ts';
import type { Exchange } from '../exchange.ts';
import { isRecord } from '../shape.ts';
import { asOwner, extracted } from './steps.ts';

/** A field of the extraction result, as the update form names it. */
export interface Found {
  readonly section: string;
  readonly field: string;
  readonly value: unknown;
}

export const readResult = async (visit: Visit, id: string) =>
  visit.probe.get(`/api/task/${id}/result`, await asOwner(visit));

/** What was extracted, right after it was. */
export const result = step(async (visit) => readResult(visit, await extracted(visit)));

/**
 * A number that is not whole, so that its field surely takes decimals. The result's form is not in the specification;
 * it is looked for as sections of fields, at the top or in `data`.
 */
export const decimalField = step(async (visit): Promise<Found> => {
  const fields = fieldsOf(await result(visit));
  const found = fields.find(({ value }) => typeof value === 'number' && !Number.isInteger(value));
  return (
    found ?? skip('no field with a decimal number was found in the result, whose form is not in the specification')
  );
});

/** The value of a field, as the result has it now. */
export async function valueNow(visit: Visit, id: string, { section, field }: Found) {
  const answer = await readResult(visit, id);
  const now = fieldsOf(answer).find((one) => one.section === section && one.field === field);
  return { answer, value: now?.value };
}

function fieldsOf({ json }: Exchange): Found[] {
  const within = isRecord(json) && isRecord(json['data']) ? json['data'] : json;
  if (!isRecord(within)) return [];
  return Object.entries(within).flatMap(([section, fields]) =>
    isRecord(fields) ? Object.entries(fields).map(([field, value]) => ({ section, field, value })) : [],
  );
}

/** `POST /task/{id}/update` in its JSON mode, unless another `Accept` is given. */
export async function update(visit: Visit, id: string, form: Record<string, string>, accept = 'application/json') {
  return visit.probe.post(`/task/${id}/update`, { ...(await asOwner(visit)), form, headers: { accept } });
}
