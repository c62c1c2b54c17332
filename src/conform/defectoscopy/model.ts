import { admitted, asOwner } from '../access.ts';
import { skip } from '../breach.ts';
import { type Check, step, type Visit } from '../check.ts';
import { data, dataObject, envelope, shaped, status } from '../expect.ts';
import { filledText, flag, integer, listOf, record, text } from '../shape.ts';

export const health = step(({ probe }) => probe.get('/health', { as: 'without a token' }));

const CLASSES = [
  { name: 'defects', title: 'the names of the defects' },
  { name: 'surfaces', title: 'the allowed surfaces' },
];

export const classes = {
  defects: step((visit) => listed(visit, 'defects')),
  surfaces: step((visit) => listed(visit, 'surfaces')),
};

async function listed(visit: Visit, name: string) {
  await admitted(visit);
  return visit.probe.get(`/classes/${name}`, asOwner(visit));
}

const HEALTH = record({
  model_loaded: flag,
  worker_id: text,
  model_version: text,
  gpu: record({ name: text, vram_used_mb: integer, vram_total_mb: integer }),
});

/** What tells of the model: whether it is ready, and what it knows. */
export const model: readonly Check[] = [
  {
    id: 'defectoscopy.health.status',
    cites: [
      '4.1',
      '`GET /health`: 200 with health body; when the model is not ready, 503 with `error.code` = `MODEL_NOT_READY`.',
    ],
    title: 'GET /health answers 200 or 503, and needs no token',
    run: async (visit) => status(await health(visit), 200, 503),
  },
  {
    id: 'defectoscopy.health.body',
    cites: ['2.2', '`gpu` object (`name` string, `vram_used_mb` integer, `vram_total_mb` integer).'],
    title: 'the health body has model_loaded, worker_id, model_version and gpu, each of its type',
    run: async (visit) => {
      const answer = await health(visit);
      if (answer.status === 503) skip('the model is not ready now');
      shaped(answer, dataObject(answer), HEALTH, 'data');
    },
  },
  {
    id: 'defectoscopy.health.not-ready',
    cites: ['7', '`MODEL_NOT_READY`'],
    title: '503 of GET /health has the code MODEL_NOT_READY',
    run: async (visit) => {
      const answer = await health(visit);
      if (answer.status !== 503) skip('the model is ready now');
      envelope(answer, 'MODEL_NOT_READY');
    },
  },
  ...CLASSES.map(
    ({ name, title }): Check => ({
      id: `defectoscopy.classes.${name}`,
      cites: ['4.1', '200 with `data` = array of strings; 503 `MODEL_NOT_READY` when the model is not loaded.'],
      title: `GET /classes/${name} answers ${title}, or 503 MODEL_NOT_READY`,
      run: async (visit) => {
        const answer = await classes[name as keyof typeof classes](visit);
        status(answer, 200, 503);
        if (answer.status === 503) envelope(answer, 'MODEL_NOT_READY');
        else shaped(answer, data(answer), listOf(filledText), 'data');
      },
    }),
  ),
];
