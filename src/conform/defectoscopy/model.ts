import { requireAccess, withToken } from '../access.ts';
import { skip } from '../assertion-failure.ts';
import { type Check, oncePerRun, type RunContext } from '../check.ts';
import { assertErrorEnvelope, assertShape, assertStatus, successData, successObject } from '../expect.ts';
import { filledText, flag, integer, listOf, record, text } from '../shape.ts';

export const health = oncePerRun(({ probe }) => probe.get('/health', { as: 'without a token' }));

const CLASSES = [
  { name: 'defects', title: 'the names of the defects' },
  { name: 'surfaces', title: 'the allowed surfaces' },
];

export const classes = {
  defects: oncePerRun((context) => listed(context, 'defects')),
  surfaces: oncePerRun((context) => listed(context, 'surfaces')),
};

async function listed(context: RunContext, name: string) {
  await requireAccess(context);
  return context.probe.get(`/classes/${name}`, withToken(context));
}

const HEALTH = record({
  model_loaded: flag,
  worker_id: text,
  model_version: text,
  gpu: record({ name: text, vram_used_mb: integer, vram_total_mb: integer }),
});

export const model: readonly Check[] = [
  {
    id: 'defectoscopy.health.status',
    cites: [
      '4.1',
      '`GET /health`: 200 with health body; when the model is not ready, 503 with `error.code` = `MODEL_NOT_READY`.',
    ],
    title: 'GET /health returns 200 or 503 and needs no token',
    run: async (context) => assertStatus(await health(context), 200, 503),
  },
  {
    id: 'defectoscopy.health.body',
    cites: ['2.2', '`gpu` object (`name` string, `vram_used_mb` integer, `vram_total_mb` integer).'],
    title: 'the health body has model_loaded, worker_id, model_version and gpu with the right types',
    run: async (context) => {
      const response = await health(context);
      if (response.status === 503) skip('the model is not ready');
      assertShape(response, successObject(response), HEALTH, 'data');
    },
  },
  {
    id: 'defectoscopy.health.not-ready',
    cites: ['7', '`MODEL_NOT_READY`'],
    title: 'GET /health with 503 has the code MODEL_NOT_READY',
    run: async (context) => {
      const response = await health(context);
      if (response.status !== 503) skip('the model is ready');
      assertErrorEnvelope(response, 'MODEL_NOT_READY');
    },
  },
  ...CLASSES.map(
    ({ name, title }): Check => ({
      id: `defectoscopy.classes.${name}`,
      cites: ['4.1', '200 with `data` = array of strings; 503 `MODEL_NOT_READY` when the model is not loaded.'],
      title: `GET /classes/${name} returns ${title} or 503 MODEL_NOT_READY`,
      run: async (context) => {
        const response = await classes[name as keyof typeof classes](context);
        assertStatus(response, 200, 503);
        if (response.status === 503) assertErrorEnvelope(response, 'MODEL_NOT_READY');
        else assertShape(response, successData(response), listOf(filledText), 'data');
      },
    }),
  ),
];
