import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const TOOLS = {
  chromium: {
    variable: 'CHROMIUM',
    names: ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'],
  },
  pgbouncer: { variable: 'PGBOUNCER', names: ['pgbouncer', '/usr/sbin/pgbouncer'] },
  ffmpeg: { variable: 'FFMPEG', names: ['ffmpeg'] },
  python3: { variable: 'PYTHON3', names: ['python3'] },
  tesseract: { variable: 'TESSERACT', names: ['tesseract'] },
} as const;

/**
 * The path of a program that a test requires. Skips the test with a message if it is missing, or fails under
 * `ASSAY_REQUIRE=all`.
 *
 *     it('shows the page', async (context) => {
 *       const chromium = requireTool('chromium', context);
 */
export function requireTool(tool: keyof typeof TOOLS, context: { skip(note?: string): never }): string {
  const { variable, names } = TOOLS[tool];
  const named = process.env[variable];
  const path = named !== undefined ? (existsSync(named) ? named : undefined) : names.map(which).find((found) => found);
  if (path !== undefined) return path;
  const message = `${tool} is not installed: install it or set its path in ${variable}.`;
  if (process.env['ASSAY_REQUIRE'] === 'all') throw new Error(`ASSAY_REQUIRE=all, but ${message}`);
  return context.skip(message);
}

const paths = new Map<string, string | undefined>();

function which(name: string): string | undefined {
  if (!paths.has(name)) paths.set(name, search(name));
  return paths.get(name);
}

function search(name: string): string | undefined {
  try {
    return execFileSync('which', [name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}
