import { type Static, Type } from 'typebox';
import type { Head } from './classifier.ts';
import { parseJson } from './parse-json.ts';

const HeadJson = Type.Object({
  labels: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, uniqueItems: true }),
  temperature: Type.Number({ exclusiveMinimum: 0 }),
  bias: Type.Array(Type.Number()),
  weights: Type.Array(Type.Array(Type.Number())),
});

const HeadsJson = Type.Object({
  format: Type.Literal(1),
  /** D: features of the backbone. */
  features: Type.Integer({ minimum: 1 }),
  /** The trailing features, from `offset` on, are the means of the map's channels. */
  map: Type.Object({ channels: Type.Integer({ minimum: 1 }), offset: Type.Integer({ minimum: 0 }) }),
  heads: Type.Record(Type.String(), HeadJson),
});

export interface Heads {
  readonly features: number;
  readonly mapChannels: number;
  readonly heads: Readonly<Record<string, Head>>;
}

export function parseHeads(text: string): Heads {
  const value = parseJson(HeadsJson, text, 'heads.json');
  const { features, map } = value;
  if (map.offset + map.channels !== features) throw new Error('heads.json: the map is not the tail of the features.');
  const heads = Object.entries(value.heads).map(([name, head]) => {
    const { labels, weights, bias, temperature } = head;
    const fits = weights.length === labels.length && bias.length === labels.length;
    if (!fits || weights.some((row) => row.length !== features)) {
      throw new Error(`heads.json: the head ${name} must have ${features} weights and a bias for each label.`);
    }
    return [name, { labels, temperature, bias: Float32Array.from(bias), weights: Float32Array.from(weights.flat()) }];
  });
  return { features, mapChannels: map.channels, heads: Object.fromEntries(heads) };
}

/** Serializes `heads.json`. Seven digits hold a float32. */
export function writeHeads({ features, mapChannels, heads }: Heads): string {
  const digits = (values: Float32Array) => Array.from(values, (value) => Number(value.toPrecision(7)));
  const json: Static<typeof HeadsJson> = {
    format: 1,
    features,
    map: { channels: mapChannels, offset: features - mapChannels },
    heads: Object.fromEntries(
      Object.entries(heads).map(([name, { labels, weights, bias, temperature }]) => [
        name,
        {
          labels: [...labels],
          temperature,
          bias: digits(bias),
          weights: labels.map((_, k) => digits(weights.subarray(k * features, (k + 1) * features))),
        },
      ]),
    ),
  };
  return `${JSON.stringify(json)}\n`;
}
