import { skip } from '../assertion-failure.ts';
import { type Check, oncePerRun, type RunContext } from '../check.ts';
import type { Exchange } from '../exchange.ts';
import {
  assertErrorStatus,
  assertLooseErrorEnvelope,
  assertShape,
  assertThat,
  assertValidationBody,
  bodyOf,
  isSuccess,
} from '../expect.ts';
import { isRecord, oneOf, record, uuid } from '../shape.ts';
import { isUuid, itemsOf, list, UNKNOWN_ID, withSession } from './steps.ts';

async function uploadImage(context: RunContext): Promise<string> {
  const files = [
    {
      field: 'files',
      name: `conform-${context.nonce}.jpg`,
      type: 'image/jpeg',
      bytes: await context.specimens.image(),
    },
  ];
  const response = await context.probe.post('/api/v1/upload-images', { ...(await withSession(context)), files });
  const id = isSuccess(response) ? imageIdIn(response.json) : undefined;
  return id ?? skip(`no image was uploaded: /api/v1/upload-images with a part named files returned ${response.status}`);
}

function imageIdIn(json: unknown, key = ''): string | undefined {
  if (/^(image_)?ids?$/.test(key) && isUuid(json)) return json;
  const inner = Array.isArray(json)
    ? json.map((one) => [key, one] as const)
    : isRecord(json)
      ? Object.entries(json)
      : [];
  for (const [name, value] of inner) {
    const id = imageIdIn(value, name);
    if (id !== undefined) return id;
  }
  return undefined;
}

const createPdf = async (context: RunContext, json: unknown) =>
  context.probe.post('/api/v1/create-pdf', { ...(await withSession(context)), json });

const assembled = oncePerRun(async (context) => {
  const image = await uploadImage(context);
  return { image, response: await createPdf(context, { image_ids: [image] }) };
});

const CREATE_ERRORS = [
  '4.3',
  'invalid `image_id` or empty list; unauthorized or token expired; validation error; storage unavailable',
] as const;
const VALIDATION = [
  '7',
  'Validation failures (HTTP validation errors) return the `detail` array body of section 2.4.',
] as const;

const malformed: readonly (readonly [string, string, unknown])[] = [
  ['missing', 'no image_ids', {}],
  ['text', 'image_ids that are text', { image_ids: UNKNOWN_ID }],
  ['numbers', 'image_ids that are numbers', { image_ids: [1, 2] }],
];

export const imageChecks: readonly Check[] = [
  {
    id: 'passports.create-pdf.body',
    cites: [
      '2.4',
      '`task_id` string (UUID), `status` string (`PENDING` = queued, `SUCCESS` = result taken from cache), both required',
    ],
    title: 'POST /api/v1/create-pdf returns the task and its state',
    run: async (context) => {
      const { response } = await assembled(context);
      assertThat(response, isSuccess(response), 'a success');
      assertShape(
        response,
        bodyOf(response),
        record({ task_id: uuid, status: oneOf('PENDING', 'SUCCESS') }),
        'the body',
      );
    },
  },
  {
    id: 'passports.create-pdf.listed',
    cites: ['4.3', 'Builds a multi-page PDF, stores it permanently, creates an extraction task'],
    title: 'the assembled PDF is listed as a task of the session',
    run: async (context) => {
      const { response } = await assembled(context);
      const { task_id } = bodyOf(response);
      const listed = await list(context);
      assertThat(
        listed,
        itemsOf(listed).some(({ id }) => id === task_id),
        `the task ${String(task_id)} in the list`,
      );
    },
  },
  {
    id: 'passports.create-pdf.used-up',
    cites: ['4.3', "deletes the session's temporary files after assembly"],
    title: 'an image is deleted after assembly',
    run: async (context) => {
      const { image, response: before } = await assembled(context);
      assertThat(before, isSuccess(before), 'a success');
      const response = await createPdf(context, { image_ids: [image] });
      assertErrorStatus(response);
    },
  },
  {
    id: 'passports.create-pdf.refuses.empty',
    cites: CREATE_ERRORS,
    title: 'an empty list of images is rejected',
    run: async (context) => assertErrorStatus(await createPdf(context, { image_ids: [] })),
  },
  {
    id: 'passports.create-pdf.refuses.unknown',
    cites: CREATE_ERRORS,
    title: 'an unknown image is rejected',
    run: async (context) => assertErrorStatus(await createPdf(context, { image_ids: [UNKNOWN_ID] })),
  },
  {
    id: 'passports.create-pdf.refuses.word',
    cites: CREATE_ERRORS,
    title: 'an image_id that is not a UUID is rejected',
    run: async (context) => assertErrorStatus(await createPdf(context, { image_ids: ['page one'] })),
  },
  ...malformed.map(
    ([name, title, json]): Check => ({
      id: `passports.create-pdf.malformed.${name}`,
      cites: VALIDATION,
      title: `POST /api/v1/create-pdf with ${title} returns the validation error body`,
      run: async (context) => assertValidationBody(await createPdf(context, json)),
    }),
  ),
  {
    id: 'passports.create-pdf.session',
    cites: ['5.3', '`create-pdf` must use the same cookie as the upload'],
    title: 'an image cannot be used in another session',
    run: async (context) => {
      const image = await uploadImage(context);
      const { cookie, token } = await withSession(context);
      if (cookie === undefined) skip('uploads require a token, so there is no cookie session');
      const json = { image_ids: [image] };
      const response = await context.probe.post('/api/v1/create-pdf', { token, json, as: 'without the session' });
      assertErrorStatus(response);
    },
  },
  {
    id: 'passports.images.rotate',
    cites: ['4.3', 'rotate an uploaded image by 90 degrees'],
    title: 'an uploaded image can be rotated',
    run: async (context) => {
      const response = await rotate(context, await uploadImage(context));
      assertThat(response, isSuccess(response), 'a success');
    },
  },
  {
    id: 'passports.images.rotate-unknown',
    cites: ['4.3', 'rotate an uploaded image by 90 degrees'],
    title: 'an unknown image cannot be rotated',
    run: async (context) => {
      const response = await rotate(context, UNKNOWN_ID);
      assertErrorStatus(response);
      assertLooseErrorEnvelope(response);
    },
  },
  {
    id: 'passports.images.delete',
    cites: ['4.3', 'remove an uploaded image from the session'],
    title: 'a deleted image cannot be used in a PDF',
    run: async (context) => {
      const image = await uploadImage(context);
      const removed: Exchange = await context.probe.delete(`/api/v1/image/${image}`, await withSession(context));
      assertThat(removed, isSuccess(removed), 'a success');
      assertErrorStatus(await createPdf(context, { image_ids: [image] }));
    },
  },
];

const rotate = async (context: RunContext, image: string) =>
  context.probe.post(`/api/v1/rotate-image/${image}`, await withSession(context));
