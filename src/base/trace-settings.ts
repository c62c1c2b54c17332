import { parseUrl } from './parse-url.ts';
import { choice, type Setting, secret, text } from './settings.ts';

export const SAMPLERS = [
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
  'always_on',
  'always_off',
  'traceidratio',
] as const;

/** Settings with the standard variable names of OpenTelemetry. */
export const traceSettings = {
  tracesEndpoint: collector(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'Collector of traces, sent to `/v1/traces` below it (OTLP over HTTP, JSON): `http://localhost:4318`. Not set: no tracing.',
  ),
  tracesHeaders: headers(
    'OTEL_EXPORTER_OTLP_HEADERS',
    'Headers for the collector: `name=value,name=value`, values percent-encoded.',
  ),
  tracesServiceName: text('OTEL_SERVICE_NAME', 'assay', 'Name of this installation in traces.'),
  tracesSampler: choice(
    'OTEL_TRACES_SAMPLER',
    SAMPLERS,
    'parentbased_always_on',
    'Sampler; `parentbased_`: follows the caller’s `traceparent`, if there is one.',
  ),
  tracesSamplerArg: ratio(
    'OTEL_TRACES_SAMPLER_ARG',
    'Share of traces that `traceidratio` samples, 0 to 1; not set: 1.',
  ),
};

/** Configured by the operator, so private addresses and plain http are allowed. */
function collector(env: string, about: string): Setting<string | undefined> {
  return text(env, undefined, about, (value) => {
    const url = parseUrl(value);
    if (!url || !/^https?:$/.test(url.protocol)) throw new Error('must be an address like http://localhost:4318.');
    if (url.username || url.password || url.search || url.hash) {
      throw new Error('must be an address only; set keys in OTEL_EXPORTER_OTLP_HEADERS.');
    }
    return url.href.replace(/(?<!\/)\/+$/, '');
  });
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

/** The value contains a key, so the error message must not quote it. */
function headers(env: string, about: string): Setting<Readonly<Record<string, string>> | undefined> {
  return secret(env, about, (raw) => {
    if (!raw) return undefined;
    return Object.fromEntries(
      raw.split(',').map((pair) => {
        const [name = '', ...rest] = pair.split('=');
        const value = decoded(rest.join('=').trim());
        if (rest.length > 0 && HEADER_NAME.test(name.trim()) && HEADER_VALUE.test(value ?? '\n')) {
          return [name.trim().toLowerCase(), value!];
        }
        throw new Error('must be headers like name=value,name=value, with values percent-encoded.');
      }),
    );
  });
}

function decoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

function ratio(env: string, about: string): Setting<number> {
  return {
    ...{ env, description: about, displayedDefault: 'not set', secret: false },
    read(raw) {
      if (!raw) return 1;
      const value = Number(raw);
      if (value >= 0 && value <= 1) return value;
      throw new Error(`must be a number from 0 to 1, not "${raw}".`);
    },
  };
}
