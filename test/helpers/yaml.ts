import { createRequire } from 'node:module';

const ours = createRequire(import.meta.url);

/** YAML is read by what Fastify's OpenAPI reads it with: one more package for the tests alone would be one too many. */
export const yaml: { parse(text: string, options?: { merge?: boolean }): any } = createRequire(
  ours.resolve('@fastify/swagger'),
)('yaml');
