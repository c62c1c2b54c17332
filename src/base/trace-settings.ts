import { parsedUrl } from './parsed-url.ts';
import { choice, type Setting, text, verbatim } from './settings.ts';

export const SAMPLERS = [
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
  'always_on',
  'always_off',
  'traceidratio',
] as const;

/** Traces, by the variables that OpenTelemetry has named for every program. */
export const traceSettings = {
  tracesEndpoint: collector(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'A collector of traces, which are sent to `/v1/traces` below it (OTLP over HTTP, JSON): `http://localhost:4318`. Not set: nothing is traced.',
  ),
  tracesHeaders: headers(
    'OTEL_EXPORTER_OTLP_HEADERS',
    'Headers for the collector: `name=value,name=value`, values percent-encoded.',
  ),
  tracesServiceName: text('OTEL_SERVICE_NAME', 'assay', 'What this installation is called in traces.'),
  tracesSampler: choice(
    'OTEL_TRACES_SAMPLER',
    SAMPLERS,
    'parentbased_always_on',
    'What is traced; `parentbased_`: whatever the caller’s `traceparent` says, and this where none came.',
  ),
  tracesSamplerArg: share(
    'OTEL_TRACES_SAMPLER_ARG',
    'The share of traces that `traceidratio` keeps, 0 to 1; 1 if not set.',
  ),
};

/** The operator's own, so it may be private and plain http. */
function collector(env: string, about: string): Setting<string | undefined> {
  return text(env, undefined, about, (given) => {
    const url = parsedUrl(given);
    if (!url || !/^https?:$/.test(url.protocol)) throw new Error('must be an address like http://localhost:4318.');
    if (url.username || url.password || url.search || url.hash) {
      throw new Error('must be an address alone; a key belongs into OTEL_EXPORTER_OTLP_HEADERS.');
    }
    return url.href.replace(/(?<!\/)\/+$/, '');
  });
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

/** It carries a key, so a complaint about it must not quote it. */
function headers(env: string, about: string): Setting<Readonly<Record<string, string>> | undefined> {
  return {
    ...verbatim(env, about, { secret: true }),
    read(given) {
      if (!given) return undefined;
      return Object.fromEntries(
        given.split(',').map((pair) => {
          const [name = '', ...rest] = pair.split('=');
          const value = decoded(rest.join('=').trim());
          if (rest.length > 0 && HEADER_NAME.test(name.trim()) && HEADER_VALUE.test(value ?? '\n')) {
            return [name.trim().toLowerCase(), value!];
          }
          throw new Error('must be headers like name=value,name=value, with values percent-encoded.');
        }),
      );
    },
  };
}

function decoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

function share(env: string, about: string): Setting<number> {
  return {
    ...{ env, about, shownDefault: 'not set', secret: false },
    read(given) {
      if (!given) return 1;
      const value = Number(given);
      if (value >= 0 && value <= 1) return value;
      throw new Error(`must be a number from 0 to 1, not "${given}".`);
    },
  };
}
