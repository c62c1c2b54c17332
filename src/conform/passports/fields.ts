import { skip } from '../breach.ts';
import { step, type Visit } from '../check.ts';
import type { Exchange } from '../exchange.ts';
import { isRecord } from '../shape.ts';
import { asOwner, extracted } from './steps.ts';

export interface Found {
  readonly section: string;
  readonly field: string;
  readonly value: unknown;
}

export const readResult = async (context: Visit, id: string) =>
  context.probe.get(`/api/task/${id}/result`, await asOwner(context));

export const result = step(async (context) => readResult(context, await extracted(context)));

/**
 * A field with a fractional number, which accepts decimals. The result format is not specified; searches sections of
 * fields, at the top level or in `data`.
 */
export const decimalField = step(async (context): Promise<Found> => {
  const fields = fieldsOf(await result(context));
  const found = fields.find(({ value }) => typeof value === 'number' && !Number.isInteger(value));
  return found ?? skip('no field with a decimal number was found in the result (its format is not specified)');
});

export async function valueNow(context: Visit, id: string, { section, field }: Found) {
  const response = await readResult(context, id);
  const now = fieldsOf(response).find((one) => one.section === section && one.field === field);
  return { response, value: now?.value };
}

function fieldsOf({ json }: Exchange): Found[] {
  const within = isRecord(json) && isRecord(json['data']) ? json['data'] : json;
  if (!isRecord(within)) return [];
  return Object.entries(within).flatMap(([section, fields]) =>
    isRecord(fields) ? Object.entries(fields).map(([field, value]) => ({ section, field, value })) : [],
  );
}

export async function update(context: Visit, id: string, form: Record<string, string>, accept = 'application/json') {
  return context.probe.post(`/task/${id}/update`, { ...(await asOwner(context)), form, headers: { accept } });
}
