import { type Environment, readSettings, type Settings } from '../base/settings.ts';
import { plan } from '../compose.ts';
import { services } from '../services/index.ts';
import { houseSettings } from '../settings.ts';

/** `assay config`: every setting with its effective value, secrets masked; a problem is a sentence and exit status 2. */
export async function configCommand({ markdown }: { markdown: boolean }): Promise<void> {
  if (markdown) return console.log(settingsDocument());
  const { env } = await plan(process.env, 'config');
  for (const { title, settings } of groups()) {
    console.log(`\n# ${title}`);
    for (const line of effective(settings, env)) console.log(line);
  }
}

/** docs/configure.md, made from the settings themselves, so that it cannot say anything else than the program does. */
export function settingsDocument(): string {
  const tables = groups().map(({ title, settings }) => {
    const rows = Object.values(settings).map(
      ({ env, about, shownDefault, secret }) =>
        `| \`${env}\` | ${shownDefault} | ${about}${secret ? ` Also as \`${env}_FILE\`.` : ''} |`,
    );
    return [`## ${title}`, '', '| Variable | Default | Meaning |', '|---|---|---|', ...rows].join('\n');
  });
  return `${INTRODUCTION}\n\n${tables.join('\n\n')}`;
}

const INTRODUCTION = `# Settings

Made by \`npx assay config --markdown\`; do not edit. Everything is read from the environment, once, when a process
starts; what cannot work stops it with a sentence and exit status 2. \`npx assay config\` prints the values in force,
secrets masked. A secret \`NAME\` may also lie in a file that \`NAME_FILE\` names.`;

const groups = (): { title: string; settings: Settings }[] => [
  { title: 'The house', settings: houseSettings },
  ...services.map(({ name, settings }) => ({ title: name[0]!.toUpperCase() + name.slice(1), settings })),
];

function effective(settings: Settings, env: Environment): string[] {
  const values: Record<string, unknown> = readSettings(settings, env);
  return Object.entries(settings).map(([key, { env: name, secret }]) => {
    const value = values[key];
    const shown = value === undefined ? 'not set' : secret && value !== '' ? '(set, not shown)' : JSON.stringify(value);
    return `${name.padEnd(44)} ${shown}`;
  });
}
