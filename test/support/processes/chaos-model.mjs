// Replaces defectoscopy's model by a fast fake in every process of the product, with NODE_OPTIONS=--import=<this file>. The
// fake reads the task's picture, takes CHAOS_MODEL_MS on average and returns a different result for each attempt.
import { register } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';

const hooks = `export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  return found.url.endsWith('/dist/bundle/services/defectoscopy/model.js') ? { ...found, url: ${JSON.stringify(import.meta.url)} } : found;
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);

const meanMs = Number(process.env.CHAOS_MODEL_MS ?? 50);

export async function loadModel({ context }) {
  return {
    info: () => ({
      model_version: '1.0.0',
      classes: { defects: ['crack'], surfaces: ['brick_wall'] },
      gpu: { name: 'cpu', vram_used_mb: 0, vram_total_mb: 0 },
    }),
    versions: () => [{ version: '1.0.0' }],
    concurrency: 8,
    timeLimitMs: 60_000,
    async run({ input, signal }) {
      const bytes = await context.files.get(new URL(input.image_url).pathname.slice(1));
      if (!bytes?.length) throw new Error('The picture is missing.');
      await delay(2 * Math.random() * meanMs, undefined, { signal });
      const conf = Math.round(Math.random() * 1e4) / 1e4;
      return {
        result: {
          surface: 'brick_wall',
          masters: [{ name: 'cracking', conf }],
          defects: [{ name: 'crack', conf }],
          model_version: '1.0.0',
        },
      };
    },
    close: async () => {},
  };
}
