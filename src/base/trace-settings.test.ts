import { describe, expect, it } from 'vitest';
import { readSettings } from './settings.ts';
import { traceSettings } from './trace-settings.ts';

const read = (env: Record<string, string>) => readSettings(traceSettings, env);

describe('the settings of traces', () => {
  it('have defaults if the variables are missing or empty', () => {
    for (const env of [{}, { OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_EXPORTER_OTLP_HEADERS: '' }]) {
      expect(read(env)).toMatchObject({ tracesServiceName: 'assay', tracesSampler: 'parentbased_always_on' });
      expect(read(env).tracesEndpoint).toBeUndefined();
      expect(read(env).tracesHeaders).toBeUndefined();
    }
  });

  it('accept a base address and headers in the format of OpenTelemetry', () => {
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c.example:4318/tenant/' }).tracesEndpoint).toBe(
      'https://c.example:4318/tenant',
    );
    expect(read({ OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20YTpi==, x-scope = one' }).tracesHeaders).toEqual({
      authorization: 'Basic YTpi==',
      'x-scope': 'one',
    });
    expect(read({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' }).tracesSamplerArg).toBe(0.25);
  });

  it.each([
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'grpc://collector:4317' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://user:CANARY@collector' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector/?key=CANARY' },
    { OTEL_EXPORTER_OTLP_HEADERS: 'CANARY' },
    { OTEL_EXPORTER_OTLP_HEADERS: ' ' },
    { OTEL_EXPORTER_OTLP_HEADERS: 'x-key=CANARY,a header=1' },
    { OTEL_EXPORTER_OTLP_HEADERS: 'x-key=CANARY%0d%0aHost: elsewhere' },
    { OTEL_EXPORTER_OTLP_HEADERS: 'x-key=CANARY%zz' },
    { OTEL_TRACES_SAMPLER: 'xray' },
    { OTEL_TRACES_SAMPLER_ARG: '1.5' },
    { OTEL_TRACES_SAMPLER_ARG: 'NaN' },
  ])('reject invalid values without quoting a key: %j', (env) => {
    const [name] = Object.keys(env);
    expect(() => read(env)).toThrow(new RegExp(`^${name}: (?!.*CANARY)`));
  });
});
