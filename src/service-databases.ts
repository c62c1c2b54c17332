import { SettingsError } from './base/settings.ts';

/** A database and the services whose data it has. */
export interface DatabaseConfig {
  /** Absent: the embedded database. */
  readonly url: string | undefined;
  /** For LISTEN if `url` leads to a pooler. */
  readonly directUrl: string | undefined;
  /** The setting that names it. */
  readonly variable: string;
  readonly services: readonly string[];
  /** Services of this installation in other databases. */
  readonly servicesElsewhere: readonly string[];
}

/** The distinct databases of these services, that of DATABASE_URL first. */
export function databasesOf(
  services: readonly string[],
  { databaseUrl, databaseDirectUrl }: { databaseUrl: string | undefined; databaseDirectUrl: string | undefined },
  urls: Readonly<Record<string, string | undefined>>,
): readonly DatabaseConfig[] {
  const urlOf = (service: string) => urls[service] ?? databaseUrl;
  const withUrl = services.filter((service) => urls[service] !== undefined).map(variableOf);
  const without = services.filter((service) => urlOf(service) === undefined).map(variableOf);
  if (withUrl.length > 0 && without.length > 0) {
    throw new SettingsError(
      `${withUrl.join(', ')} ${withUrl.length === 1 ? 'requires' : 'require'} DATABASE_URL or ${without.join(', ')}: the embedded database serves all services or none.`,
    );
  }
  const distinct = [...new Set([databaseUrl, ...services.map(urlOf)])];
  return distinct.flatMap((url) => {
    const own = services.filter((service) => urlOf(service) === url);
    if (own.length === 0) return [];
    const isDefault = url === databaseUrl;
    return {
      url,
      directUrl: isDefault ? databaseDirectUrl : undefined,
      variable: isDefault ? 'DATABASE_URL' : variableOf(own[0]!),
      services: own,
      servicesElsewhere: services.filter((service) => !own.includes(service)),
    };
  });
}

const variableOf = (service: string) => `${service.toUpperCase()}_DATABASE_URL`;
