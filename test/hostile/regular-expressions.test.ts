import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Linter } from 'eslint';
import regexp from 'eslint-plugin-regexp';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { NAME_TO_SEE, STORABLE, WITHOUT_NUL } from '../../src/http/storable.ts';
import { DEFAULT_SCHEMA } from '../../src/services/passports/schema/default-schema.ts';

interface Expression {
  readonly where: string;
  readonly source: string;
  readonly flags: string;
}

const SOURCES = new URL('../../src/', import.meta.url);

/** Every regular expression of the product: literals, patterns of request schemas, and those of the default schema. */
async function expressions(): Promise<Expression[]> {
  const names = (await readdir(SOURCES, { recursive: true })).filter(
    (name) => /\.tsx?$/.test(name) && !/\.test\.|\.d\.ts$|(^|\/)testing\//.test(name),
  );
  const found = await Promise.all(
    names.map(async (name) => inSource(name, await readFile(new URL(name, SOURCES), 'utf8'))),
  );
  const shared = [NAME_TO_SEE, STORABLE, WITHOUT_NUL].map((source) => ({
    where: 'http/storable.ts',
    source,
    flags: 'u',
  }));
  return [...found.flat(), ...shared, ...inSchema(DEFAULT_SCHEMA)];
}

function inSource(name: string, text: string): Expression[] {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const found: Expression[] = [];
  const visit = (node: ts.Node): void => {
    const where = `${name}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      found.push({ where, source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    } else if (
      ts.isPropertyAssignment(node) &&
      node.name.getText() === 'pattern' &&
      ts.isStringLiteralLike(node.initializer)
    ) {
      found.push({ where, source: node.initializer.text, flags: 'u' });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

const PATTERNS = new Set(['pattern', 'marks', 'shapes', 'unless']);

function inSchema(value: unknown): Expression[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    if (!PATTERNS.has(key)) return inSchema(member);
    return [member].flat().map((source) => ({ where: `the default schema, ${key}`, source, flags: 'iu' }));
  });
}

/** recheck's analysis in JavaScript. What the package exports by default starts a Java program or a binary, if it can. */
const { checkSync } = createRequire(import.meta.url)('recheck/lib/browser.js') as typeof import('recheck');

/** An automaton cannot follow an assertion, and grows with each repetition that is counted. */
const BEYOND_AUTOMATA = /\(\?<?[=!]|\{\d*,?\d{3,}\}/;

/** Read no outside input, and take the analysis minutes. */
const TRUSTED: Readonly<Record<string, string>> = { 'base/backup/tables.ts': 'the migrations of this package' };

function provenLinear({ where, source, flags }: Expression): string {
  if (Object.hasOwn(TRUSTED, where.replace(/:\d+$/, ''))) return 'trusted';
  try {
    const { status, error } = checkSync(source, flags, { checker: 'automaton', timeout: 60_000 }) as {
      status: string;
      error?: { kind: string };
    };
    return error?.kind ?? status;
  } catch {
    return 'too large';
  }
}

/** What the linter of `npm run check` says, which follows assertions but proves nothing. */
function complaints({ source, flags }: Expression): string[] {
  const code = `new RegExp(${JSON.stringify(source)}, ${JSON.stringify(flags)}).test(text);`;
  return new Linter()
    .verify(code, [
      {
        plugins: { regexp: regexp as never },
        rules: {
          'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
          'regexp/no-super-linear-move': ['error', { report: 'potential', ignorePartial: false }],
        },
      },
    ])
    .map(({ message }) => message.slice(0, 200));
}

describe('every regular expression in src/', async () => {
  const all = [...new Map((await expressions()).map((each) => [`/${each.source}/${each.flags}`, each])).values()];

  it('is found, in code of the server and of the browser, in request schemas and in the default schema', () => {
    expect(fileURLToPath(SOURCES)).toMatch(/src\/$/);
    expect(all.length).toBeGreaterThan(350);
    for (const place of [
      'passports/schema/dates.ts',
      'ui/browser/',
      'catalog/routes/view-routes.ts',
      'the default schema',
    ]) {
      expect(
        all.some(({ where }) => where.includes(place)),
        place,
      ).toBe(true);
    }
  });

  it('takes linear time: proven by its automaton, or beyond automata and without complaint of the linter', {
    timeout: 300_000,
  }, () => {
    const wrong: string[] = [];
    let proven = 0;
    for (const each of all) {
      const proof = provenLinear(each);
      if (proof === 'safe') proven++;
      else if (proof !== 'trusted' && (proof === 'vulnerable' || !BEYOND_AUTOMATA.test(each.source))) {
        wrong.push(`${each.where} /${each.source}/${each.flags}: ${proof}`);
      }
      for (const message of complaints(each)) wrong.push(`${each.where} /${each.source}/${each.flags}: ${message}`);
    }
    expect(wrong).toEqual([]);
    expect(proven / all.length).toBeGreaterThan(0.85);
  });

  it.each([
    ['dates: a day among quotation marks, as it was', '[«"]*\\s*(?<!\\d)\\d{1,2}\\s*[»"_]*\\s*_*\\p{L}{3,9}', 'gu'],
    ['numbers: digits and separators, as it was', "^[+-]?[\\d\\s.,']*\\d[\\d\\s.,']*$", 'u'],
    ['a trailing slash', '\\/+$', ''],
    ['a tag that does not end', '<c\\s[^>]*?\\br=', ''],
  ])('would be refused as %s', (_, source, flags) => {
    const each = { where: '', source, flags };
    expect(provenLinear(each) === 'vulnerable' || complaints(each).length > 0).toBe(true);
  });
});
