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

/** Tokens and addresses need no shell quoting. */
function shellLines({ shellVariables, credential, otherCredentials = {} }: OpenService, address: string): string[] {
  const values = [address, credential, ...Object.values(otherCredentials)];
  const assignments = shellVariables.flatMap((variable, i) => (values[i] ? [`${variable}=${values[i]}`] : []));
  return assignments.length > 0 ? [`    shell      export ${assignments.join(' ')}`] : [];
}

const tokenLines = ({ otherCredentials = {} }: OpenService) =>
  Object.entries(otherCredentials).map(([role, token]) => `    token      ${token} (${role})`);
