import { readFileSync } from 'node:fs';
import { openSession } from './src/ml/session.ts';
import { runNetwork } from './src/services/passports/model/field-finder.ts';
import { describeParts, combineParts } from './src/services/passports/model/field-network/page-reading.ts';
import { tokenizePages, VALUE_BOUNDARY } from './src/services/passports/model/fields/page-tokens.ts';
const session = await openSession({ path: 'models/passports/1.0.0/fields.onnx', poolSize: 1 });
const pages = JSON.parse(readFileSync(process.argv[2]));
for (const sheet of tokenizePages(pages, VALUE_BOUNDARY)) { const parts = []; for (const p of describeParts(sheet)) parts.push(await runNetwork(session, p, new AbortController().signal)); const r = combineParts(sheet, parts);
 let line = '', y = -1; const order = r.tokens.map((_, i) => i).sort((a, b) => r.tokens[a].y0 - r.tokens[b].y0 || r.tokens[a].x0 - r.tokens[b].x0);
 for (const i of order) { const t = r.tokens[i]; const c = r.likeliest(i); if (c === 'none' && !process.argv[3]) continue; if (t.y0 > y + 5) { line += '\n'; y = t.y0; } line += `${t.text}[${c.replace(/^.*:/, '')} ${r.probabilityOf(i, c).toFixed(2)}] `; } console.log(line); }
await session.close(); process.exit(0);
