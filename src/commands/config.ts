import { readSettings, type Settings } from '../base/settings.ts';
import { credentialFile } from '../local-credentials.ts';
import { type Plan, plan } from '../plan.ts';
import { services } from '../services/index.ts';
import { houseSettings } from '../settings.ts';
import { misspeltSettings } from './misspelt-settings.ts';

/**
 * `assay config`: every setting with its effective value, secrets masked, and what they come to together; a problem is a
 * sentence and exit status 2.
 */
export async function configCommand({ markdown }: { markdown: boolean }): Promise<void> {
  if (markdown) return console.log(settingsDocument());
  const planned = await plan(process.env, 'config');
  for (const { title, settings } of groups()) {
    console.log(`\n# ${title}`);
    for (const line of effective(settings, planned)) console.log(line);
  }
  console.log('\n# Verdicts');
  for (const line of verdicts(planned)) console.log(line);
  const unknown = misspeltSettings(process.env);
  if (unknown.length > 0) console.log('\n# Warnings');
  for (const sentence of unknown) console.log(sentence);
  console.log('\nThese settings work.');
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

Made by \`node scripts/assay.mjs config --markdown\`; do not edit. Everything is read from the environment, once, when a
process starts; what cannot work stops it with a sentence and exit status 2. \`node scripts/assay.mjs config check\` prints the
values in force, secrets masked, and what they come to. A secret \`NAME\` may also lie in a file that \`NAME_FILE\` names. An empty
variable counts as one that is not set; a secret that is blank, an empty file and a list without an entry stop the start.`;

const groups = (): { title: string; settings: Settings }[] => [
  { title: 'The house', settings: houseSettings },
  ...services.map(({ title, settings }) => ({ title, settings })),
];

function effective(settings: Settings, { env, host, shared }: Plan): string[] {
  const values: Record<string, unknown> = readSettings(settings, env);
  // What they come to where they are used.
  const settled: Record<string, string> = { HOST: host, DATA_DIR: shared.dataDir };
  return Object.entries(settings).map(([key, { env: name, secret }]) => {
    const value = settled[name] ?? values[key];
    if (value === undefined) return line(name, 'not set');
    if (!secret || value === '') return line(name, JSON.stringify(value));
    const file = credentialFile(shared.dataDir, name);
    const isMade = process.env[name] === undefined && process.env[`${name}_FILE`] === undefined;
    return line(name, isMade ? `(made by the first start: ${file})` : '(set, not shown)');
  });
}

/** What is not plain from any one setting. */
function verdicts({ services: open, shared, settings, env }: Plan): string[] {
  const running = services.filter(({ name }) => open.some((service) => service.name === name));
  const made = settings.appEnv === 'local' ? running.flatMap((service) => service.missingCredentials(env)) : [];
  return [
    ...open.flatMap((service) =>
      Object.entries(service.verdicts).map(([name, verdict]) => line(`${service.name} ${name}`, verdict)),
    ),
    ...made.map((name) => line(name, 'the first start makes one, and authorization is enforced from then on')),
    line('files_host', shared.filesHost ?? 'unconfigured: POST /files is switched off'),
  ];
}

const line = (name: string, value: string) => `${name.padEnd(44)} ${value}`;
