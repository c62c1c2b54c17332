import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { subjects } from '/work/main/src/conform/index.ts';
it('cites', () => {
  const spec = readFileSync('/work/shared/spec/000_5d05c65863235c1a.txt', 'utf8');
  const parts = new Map<string, string>();
  let at = '';
  for (const line of spec.split('\n')) {
    const m = /^#{2,3} (\d+(\.\d+)?)\.? /.exec(line);
    if (m) at = m[1]!;
    parts.set(at, (parts.get(at) ?? '') + line + '\n');
  }
  const bad: string[] = [];
  const ids = new Set<string>();
  const n: Record<string, number> = {};
  for (const { name, checks } of subjects) for (const { id, cites: [section, words] } of checks) {
    if (ids.has(id)) bad.push('double ' + id);
    ids.add(id);
    if (!id.startsWith(name + '.')) bad.push('prefix ' + id);
    n[name] = (n[name] ?? 0) + 1;
    if (!(parts.get(section) ?? '').includes(words)) bad.push(`${id}: ${section} ${words}${spec.includes(words) ? ' (elsewhere)' : ''}`);
  }
  console.log(n, bad);
});
