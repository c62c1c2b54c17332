import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The YAML parser of @fastify/swagger, which avoids a dependency for the tests alone. */
export const yaml: { parse(text: string, options?: { merge?: boolean }): any } = createRequire(
  require.resolve('@fastify/swagger'),
)('yaml');
