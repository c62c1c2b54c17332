import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const TOOLS = {
  chromium: { variable: 'CHROMIUM', names: ['chromium', 'chromium-browser', 'google-chrome'] },
  pgbouncer: { variable: 'PGBOUNCER', names: ['pgbouncer', '/usr/sbin/pgbouncer'] },
  ffmpeg: { variable: 'FFMPEG', names: ['ffmpeg'] },
  python3: { variable: 'PYTHON3', names: ['python3'] },
  tesseract: { variable: 'TESSERACT', names: ['tesseract'] },
} as const;

/**
 * The path of a program that a test cannot do without. Where it is missing the test is skipped with a sentence that says
 * so, except under `ASSAY_REQUIRE=all`, where it fails: a run that is to prove everything must not prove less in silence.
 *
 *     it('shows the page', async (context) => {
 *       const chromium = needs('chromium', context);
 */
export function needs(tool: keyof typeof TOOLS, context: { skip(note?: string): never }): string {
  const { variable, names } = TOOLS[tool];
  const named = process.env[variable];
  const path = named !== undefined ? (existsSync(named) ? named : undefined) : names.map(which).find((found) => found);
  if (path !== undefined) return path;
  const sentence = `${tool} is not installed: install it or name it in ${variable}.`;
  if (process.env['ASSAY_REQUIRE'] === 'all') throw new Error(`ASSAY_REQUIRE=all, but ${sentence}`);
  return context.skip(sentence);
}

function which(name: string): string | undefined {
  try {
    return execFileSync('which', [name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}
