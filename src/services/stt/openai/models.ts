import { type Static, Type } from 'typebox';
import { describeResponse } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import type { SttSettings } from '../settings.ts';
import { modelNotFound } from './errors.ts';
import { errorsOf, TAGS } from './openapi.ts';

/** The model that clients of OpenAI name by default. */
const ALIAS = 'whisper-1';

type ModelSettings = Pick<SttSettings, 'providers' | 'model' | 'remoteModel'>;

/** The names that requests may use: the model of the first provider, and an alias of it. */
export const modelNames = (settings: ModelSettings): string[] => [...new Set([modelOf(settings), ALIAS])];

export const modelOf = ({ providers, model, remoteModel }: ModelSettings): string =>
  providers[0] === 'remote' ? remoteModel : model;

/** Whether the model of the first provider translates into English; a remote provider decides itself. */
export async function canTranslate({ providers, model }: ModelSettings): Promise<boolean> {
  if (providers[0] === 'remote') return true;
  const { findSpeechModel } = await import('../../../ml/speech/model-list.ts');
  return findSpeechModel(model)?.translates === true;
}

const Model = Type.Object({
  id: Type.String(),
  object: Type.Literal('model'),
  created: Type.Integer({ description: 'Always 0: the date is not known.' }),
  owned_by: Type.String(),
});
const Models = Type.Object({ object: Type.Literal('list'), data: Type.Array(Model) });
const Params = Type.Object({ model: Type.String() });

const describeModel = (id: string): Static<typeof Model> => ({ id, object: 'model', created: 0, owned_by: 'assay' });

/** `GET /v1/models` and `GET /v1/models/{model}`. */
export function modelRoutes(app: Gateway, settings: ModelSettings): void {
  const names = modelNames(settings);
  const list = { object: 'list' as const, data: names.map(describeModel) };
  const config = { access: 'task', limited: true } as const;

  app.get(
    '/v1/models',
    {
      config,
      schema: {
        summary: 'The models that `model` may name',
        operationId: 'openaiListModels',
        tags: TAGS,
        response: { 200: describeResponse('The models.', Models, { models: list }) },
      },
    },
    () => list,
  );
  app.get<{ Params: Static<typeof Params> }>(
    '/v1/models/:model',
    {
      config,
      schema: {
        summary: 'One model',
        operationId: 'openaiReadModel',
        tags: TAGS,
        params: Params,
        response: {
          200: describeResponse('The model.', Model, { model: describeModel(ALIAS) }),
          ...errorsOf(modelNotFound('gpt-9')),
        },
      },
    },
    ({ params: { model } }) => {
      if (!names.includes(model)) throw modelNotFound(model.slice(0, 100));
      return describeModel(model);
    },
  );
}
