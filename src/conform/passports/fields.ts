import { skip } from '../assertion-failure.ts';
import { oncePerRun, type RunContext } from '../check.ts';
import type { Exchange } from '../exchange.ts';
import { isRecord } from '../shape.ts';
import { extracted, request, withSession } from './steps.ts';

export interface ExtractedField {
  readonly section: string;
  readonly field: string;
  readonly value: unknown;
}

export const readResult = request('get', (id) => `/api/task/${id}/result`);

export const result = oncePerRun(async (context) => readResult(context, await extracted(context)));

/**
 * A field with a fractional number, which accepts decimals. The result format is not specified; searches sections of
 * fields, at the top level or in `data`.
 */
export const decimalField = oncePerRun(async (context): Promise<ExtractedField> => {
  const fields = fieldsOf(await result(context));
  const found = fields.find(({ value }) => typeof value === 'number' && !Number.isInteger(value));
  return found ?? skip('no field with a decimal number was found in the result (its format is not specified)');
});

export async function currentValue(context: RunContext, id: string, { section, field }: ExtractedField) {
  const response = await readResult(context, id);
  const now = fieldsOf(response).find((one) => one.section === section && one.field === field);
  return { response, value: now?.value };
}

function fieldsOf({ json }: Exchange): ExtractedField[] {
  const within = isRecord(json) && isRecord(json['data']) ? json['data'] : json;
  if (!isRecord(within)) return [];
  return Object.entries(within).flatMap(([section, fields]) =>
    isRecord(fields) ? Object.entries(fields).map(([field, value]) => ({ section, field, value })) : [],
  );
}

export async function update(
  context: RunContext,
  id: string,
  form: Record<string, string>,
  accept = 'application/json',
) {
  return context.probe.post(`/task/${id}/update`, { ...(await withSession(context)), form, headers: { accept } });
}
