import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Linter } from 'eslint';
import regexp from 'eslint-plugin-regexp';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { STORABLE_TEXT, VISIBLE_NAME, WITHOUT_NUL } from '../../src/http/text-patterns.ts';
import { DEFAULT_SCHEMA } from '../../src/services/passports/schema/default-schema.ts';

interface Expression {
  readonly where: string;
  readonly source: string;
  readonly flags: string;
}

const SOURCES = new URL('../../src/', import.meta.url);

/** Collects regular expressions from literals, request schemas and the default schema. */
async function collectExpressions(): Promise<Expression[]> {
  const names = (await readdir(SOURCES, { recursive: true })).filter(
    (name) => /\.tsx?$/.test(name) && !/\.test\.|\.d\.ts$|(^|\/)testing\//.test(name),
  );
  const found = await Promise.all(
    names.map(async (name) => findInSource(name, await readFile(new URL(name, SOURCES), 'utf8'))),
  );
  const shared = [VISIBLE_NAME, STORABLE_TEXT, WITHOUT_NUL].map((source) => ({
    where: 'http/text-patterns.ts',
    source,
    flags: 'u',
  }));
  return [...found.flat(), ...shared, ...findInSchema(DEFAULT_SCHEMA)];
}

function findInSource(name: string, text: string): Expression[] {
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

function findInSchema(value: unknown): Expression[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    if (!PATTERNS.has(key)) return findInSchema(member);
    return [member].flat().map((source) => ({ where: `the default schema, ${key}`, source, flags: 'iu' }));
  });
}

/** recheck in JavaScript; the package's default export starts a Java program or a binary. */
const { checkSync } = createRequire(import.meta.url)('recheck/lib/browser.js') as typeof import('recheck');

/** The automaton supports no look-around and grows with counted repetitions. */
const BEYOND_AUTOMATA = /\(\?<?[=!]|\{\d*,?\d{3,}\}/;

/** Expressions that read trusted input only and take minutes to analyse. */
const TRUSTED: Readonly<Record<string, string>> = { 'base/backup/tables.ts': 'the migrations of this package' };

function checkLinear({ where, source, flags }: Expression): string {
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

/** Runs the linter of `npm run check`, which supports look-around but gives no proof. */
function linterMessages({ source, flags }: Expression): string[] {
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

describe('Every regular expression in src/', async () => {
  const all = [
    ...new Map((await collectExpressions()).map((each) => [`/${each.source}/${each.flags}`, each])).values(),
  ];

  it('is found in server code, browser code, request schemas and the default schema', () => {
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

  it('runs in linear time, proven by its automaton or, where automata do not apply, accepted by the linter', {
    timeout: 300_000,
  }, () => {
    const failures: string[] = [];
    let proven = 0;
    for (const each of all) {
      const proof = checkLinear(each);
      if (proof === 'safe') proven++;
      else if (proof !== 'trusted' && (proof === 'vulnerable' || !BEYOND_AUTOMATA.test(each.source))) {
        failures.push(`${each.where} /${each.source}/${each.flags}: ${proof}`);
      }
      for (const message of linterMessages(each))
        failures.push(`${each.where} /${each.source}/${each.flags}: ${message}`);
    }
    expect(failures).toEqual([]);
    expect(proven / all.length).toBeGreaterThan(0.85);
  });

  it.each([
    ['an earlier date pattern with quotation marks', '[«"]*\\s*(?<!\\d)\\d{1,2}\\s*[»"_]*\\s*_*\\p{L}{3,9}', 'gu'],
    ['an earlier number pattern with separators', "^[+-]?[\\d\\s.,']*\\d[\\d\\s.,']*$", 'u'],
    ['repeated trailing slashes', '\\/+$', ''],
    ['an unclosed tag', '<c\\s[^>]*?\\br=', ''],
  ])('is rejected when it backtracks super-linearly: %s', (_, source, flags) => {
    const each = { where: '', source, flags };
    expect(checkLinear(each) === 'vulnerable' || linterMessages(each).length > 0).toBe(true);
  });
});
