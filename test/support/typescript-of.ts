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

export type SchemasByName = Readonly<Record<string, object>>;

/**
 * Generates formatted TypeScript declarations with descriptions. Nested schemas that have a name are referenced by it.
 */
export function typescriptOf(named: SchemasByName): string {
  const names = new Map(Object.entries(named).map(([name, schema]) => [schemaKey(schema as Schema), name]));
  return Object.entries(named)
    .map(([name, object]) => {
      const schema = object as Schema;
      const comment = schema.description === undefined ? '' : `/** ${schema.description} */\n`;
      return isRecord(schema)
        ? `${comment}export interface ${name} ${members(schema, names, '')}\n`
        : `${comment}export type ${name} = ${typeText(schema, names, '', true)};\n`;
    })
    .join('\n');
}

function typeText(schema: Schema, names: ReadonlyMap<string, string>, indent: string, isItself = false): string {
  const name = names.get(schemaKey(schema));
  if (name !== undefined && !isItself) return name;
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  if (schema.anyOf) return schema.anyOf.map((each) => typeText(each, names, indent)).join(' | ');
  switch (schema.type ?? '') {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type!;
    case 'integer':
    case 'number':
      return 'number';
    case 'array': {
      const item = typeText(schema.items ?? {}, names, indent);
      return /[ |]/.test(item) && !item.startsWith('{') ? `readonly (${item})[]` : `readonly ${item}[]`;
    }
    case 'object': {
      const [values] = Object.values(schema.patternProperties ?? {});
      if (values) return `{\n${indent}  readonly [key: string]: ${typeText(values, names, `${indent}  `)};\n${indent}}`;
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
    const line = `${inner}readonly ${key}${mark}: ${typeText(member, names, inner)};`;
    return member.description === undefined ? [line] : [`${inner}/** ${member.description} */`, line];
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
}

const isRecord = (schema: Schema) => schema.type === 'object' && Object.keys(schema.properties ?? {}).length > 0;
const literal = (value: unknown) => (typeof value === 'string' ? `'${value}'` : String(value));

/**
 * Identity of a schema: its content without description and examples. Only object schemas with members can match a
 * name.
 */
function schemaKey(schema: Schema): string {
  if (!isRecord(schema)) return JSON.stringify([schema]);
  const { description: _, examples: __, ...rest } = schema as Schema & { examples?: unknown };
  return JSON.stringify(rest);
}
