import { createRequire } from 'node:module';

const ours = createRequire(import.meta.url);

/** The YAML parser of @fastify/swagger, which avoids a dependency for the tests alone. */
export const yaml: { parse(text: string, options?: { merge?: boolean }): any } = createRequire(
  ours.resolve('@fastify/swagger'),
)('yaml');
