import type { Plan } from '../plan.ts';
import type { OpenService } from '../services/service.ts';

/** What a person wants to see once everything listens: where to look, what to paste. Credentials only in `local`. */
export function banner(planned: Plan, addresses: Readonly<Record<string, string>>): string {
  const { services, settings, shared } = planned;
  const local = settings.appEnv === 'local';
  const blocks = services.flatMap((service) => {
    const address = addresses[service.name];
    if (address === undefined) return [];
    return [
      `  ${service.title}`,
      `    page       ${local ? service.pageUrl(address) : address}`,
      `    reference  ${address}/docs`,
      ...(local ? [...tokenLines(service), ...shellLines(service, address)] : []),
      ...(local ? ['    try it', `      ${service.example(address)}`] : []),
      '',
    ];
  });
  return [
    '',
    `Assay ${shared.version} is ready. Ctrl-C stops it; nothing that was accepted is lost.`,
    '',
    ...blocks,
  ].join('\n');
}

/** What the examples of the documentation call an address, what opens it, and what opens less. */
const NAMES: Readonly<Record<string, readonly [address: string, credential: string, other?: string]>> = {
  defectoscopy: ['ASSAY', 'TOKEN'],
  stt: ['ASSAY_STT', 'STT_TOKEN'],
  passports: ['ASSAY_PASSPORTS', 'API_KEY'],
  catalog: ['ASSAY_CATALOG', 'MODERATOR_TOKEN', 'READER_TOKEN'],
};

/** One line to paste before the examples. Bearer tokens and addresses hold nothing that a shell reads as more than a word. */
function shellLines({ name, credential, otherCredentials = {} }: OpenService, address: string): string[] {
  const values = [address, credential, ...Object.values(otherCredentials)];
  const given = (NAMES[name] ?? []).flatMap((variable, i) => (values[i] ? [`${variable}=${values[i]}`] : []));
  return given.length > 0 ? [`    shell      export ${given.join(' ')}`] : [];
}

const tokenLines = ({ otherCredentials = {} }: OpenService) =>
  Object.entries(otherCredentials).map(([whose, token]) => `    token      ${token} (${whose})`);
