import type { Check, ServiceName } from './check.ts';
import { body, expecting, status } from './expect.ts';
import { filledText, record } from './shape.ts';

export const openapiCheck = (service: ServiceName): Check => ({
  id: `${service}.reference.openapi`,
  cites: ['9', 'The machine-readable description of each service is served at `{base_url}/openapi.json`.'],
  title: '/openapi.json is an OpenAPI description that needs no token',
  run: expecting(
    ({ probe }) => probe.get('/openapi.json', { as: 'without a token' }),
    status(200),
    body({ openapi: filledText, paths: record({}) }),
  ),
});
