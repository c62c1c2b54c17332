/** A JSON Schema as far as ours go. */
export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
}

/** The schemas by the names that their types get. */
export type Named = Readonly<Record<string, object>>;

/**
 * TypeScript declarations of what the schemas validate, with their descriptions, as the formatter would leave them. A
 * schema that has a name of its own is referred to by it wherever it appears in another.
 */
export function typescriptOf(named: Named): string {
  const names = new Map(Object.entries(named).map(([name, schema]) => [shape(schema as Schema), name]));
  return Object.entries(named)
    .map(([name, given]) => {
      const schema = given as Schema;
      const about = schema.description === undefined ? '' : `/** ${schema.description} */\n`;
      return isRecord(schema)
        ? `${about}export interface ${name} ${members(schema, names, '')}\n`
        : `${about}export type ${name} = ${written(schema, names, '', true)};\n`;
    })
    .join('\n');
}

function written(schema: Schema, names: ReadonlyMap<string, string>, indent: string, isItself = false): string {
  const name = names.get(shape(schema));
  if (name !== undefined && !isItself) return name;
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  if (schema.anyOf) return schema.anyOf.map((each) => written(each, names, indent)).join(' | ');
  switch (schema.type ?? '') {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type!;
    case 'integer':
    case 'number':
      return 'number';
    case 'array': {
      const item = written(schema.items ?? {}, names, indent);
      return /[ |]/.test(item) && !item.startsWith('{') ? `readonly (${item})[]` : `readonly ${item}[]`;
    }
    case 'object': {
      const [values] = Object.values(schema.patternProperties ?? {});
      if (values) return `{\n${indent}  readonly [key: string]: ${written(values, names, `${indent}  `)};\n${indent}}`;
      if (isRecord(schema)) return members(schema, names, indent);
      return 'Readonly<Record<string, unknown>>';
    }
    default:
      return 'unknown';
  }
}

function members(schema: Schema, names: ReadonlyMap<string, string>, indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(schema.properties ?? {}).flatMap(([key, member]) => {
    const mark = schema.required?.includes(key) ? '' : '?';
    const line = `${inner}readonly ${key}${mark}: ${written(member, names, inner)};`;
    return member.description === undefined ? [line] : [`${inner}/** ${member.description} */`, line];
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
}

const isRecord = (schema: Schema) => schema.type === 'object' && Object.keys(schema.properties ?? {}).length > 0;
const literal = (value: unknown) => (typeof value === 'string' ? `'${value}'` : String(value));

/** What makes two schemas one: all but what is said about them. A schema without members is nobody's in particular. */
function shape(schema: Schema): string {
  if (!isRecord(schema)) return JSON.stringify([schema]);
  const { description: _, examples: __, ...rest } = schema as Schema & { examples?: unknown };
  return JSON.stringify(rest);
}
