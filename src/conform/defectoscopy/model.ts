import { requireAccess, withToken } from '../access.ts';
import { skip } from '../assertion-failure.ts';
import { type Check, oncePerRun, type RunContext } from '../check.ts';
import { assertShape, checks, data, error, expect, expecting, status, successData } from '../expect.ts';
import { filledText, flag, integer, listOf, record, text } from '../shape.ts';

const health = oncePerRun(({ probe }) => probe.get('/health', { as: 'without a token' }));

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
const HEALTH_WORDS =
  '`GET /health`: 200 with health body; when the model is not ready, 503 with `error.code` = `MODEL_NOT_READY`.';
const LIST_WORDS = '200 with `data` = array of strings; 503 `MODEL_NOT_READY` when the model is not loaded.';

const listCheck = (name: keyof typeof classes) => async (context: RunContext) => {
  const response = await classes[name](context);
  expect(response, status(200, 503));
  if (response.status === 503) expect(response, error('MODEL_NOT_READY'));
  else assertShape(response, successData(response), listOf(filledText), 'data');
};

export const model: readonly Check[] = checks('defectoscopy', [
  [
    'health.status',
    ['4.1', HEALTH_WORDS],
    'GET /health returns 200 or 503 and needs no token',
    expecting(health, status(200, 503)),
  ],
  [
    'health.body',
    ['2.2', '`gpu` object (`name` string, `vram_used_mb` integer, `vram_total_mb` integer).'],
    'the health body has model_loaded, worker_id, model_version and gpu with the right types',
    async (context) => {
      const response = await health(context);
      if (response.status === 503) skip('the model is not ready');
      expect(response, data(HEALTH));
    },
  ],
  [
    'health.not-ready',
    ['7', '`MODEL_NOT_READY`'],
    'GET /health with 503 has the code MODEL_NOT_READY',
    async (context) => {
      const response = await health(context);
      if (response.status !== 503) skip('the model is ready');
      expect(response, error('MODEL_NOT_READY'));
    },
  ],
  [
    'classes.defects',
    ['4.1', LIST_WORDS],
    'GET /classes/defects returns the names of the defects or 503 MODEL_NOT_READY',
    listCheck('defects'),
  ],
  [
    'classes.surfaces',
    ['4.1', LIST_WORDS],
    'GET /classes/surfaces returns the allowed surfaces or 503 MODEL_NOT_READY',
    listCheck('surfaces'),
  ],
]);
