import type { Config } from '../config.ts';
import type { OpenService } from '../services/shared/service.ts';

/** Includes credentials only in the `local` profile. */
export function banner(planned: Config, addresses: Readonly<Record<string, string>>): string {
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
  return ['', `Assay ${shared.version} is ready. Press Ctrl-C to stop; accepted tasks are kept.`, '', ...blocks].join(
    '\n',
  );
}

const SHELL_VARIABLES: Readonly<Record<string, readonly [address: string, credential: string, other?: string]>> = {
  defectoscopy: ['ASSAY', 'TOKEN'],
  stt: ['ASSAY_STT', 'STT_TOKEN'],
  passports: ['ASSAY_PASSPORTS', 'API_KEY'],
  catalog: ['ASSAY_CATALOG', 'MODERATOR_TOKEN', 'READER_TOKEN'],
};

/** Tokens and addresses need no shell quoting. */
function shellLines({ name, credential, otherCredentials = {} }: OpenService, address: string): string[] {
  const values = [address, credential, ...Object.values(otherCredentials)];
  const variables = SHELL_VARIABLES[name] ?? [];
  const assignments = variables.flatMap((variable, i) => (values[i] ? [`${variable}=${values[i]}`] : []));
  return assignments.length > 0 ? [`    shell      export ${assignments.join(' ')}`] : [];
}

const tokenLines = ({ otherCredentials = {} }: OpenService) =>
  Object.entries(otherCredentials).map(([role, token]) => `    token      ${token} (${role})`);
