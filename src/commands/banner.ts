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
      ...(local ? tokenLines(service) : []),
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

const tokenLines = ({ otherCredentials = {} }: OpenService) =>
  Object.entries(otherCredentials).map(([whose, token]) => `    token      ${token} (${whose})`);
