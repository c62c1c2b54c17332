import { skip } from '../assertion-failure.ts';
import { type Check, oncePerRun, type RunContext } from '../check.ts';
import {
  assertThat,
  body,
  bodyOf,
  checks,
  clientError,
  expect,
  expecting,
  isSuccess,
  rejection,
  rows,
  success,
  validationError,
} from '../expect.ts';
import { isRecord, oneOf, uuid } from '../shape.ts';
import { imageFile, itemsOf, list, request, UNKNOWN_ID, VALIDATION, withSession } from './steps.ts';

async function uploadImage(context: RunContext): Promise<string> {
  const request = { ...(await withSession(context)), files: [await imageFile(context)] };
  const response = await context.probe.post('/api/v1/upload-images', request);
  const id = isSuccess(response) ? imageIdIn(response.json) : undefined;
  return id ?? skip(`no image was uploaded: /api/v1/upload-images with a part named files returned ${response.status}`);
}

function imageIdIn(json: unknown, key = ''): string | undefined {
  if (/^(image_)?ids?$/.test(key) && uuid(json, key) === undefined) return json as string;
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
const creating = (json: unknown) => (context: RunContext) => createPdf(context, json);

const rotate = request('post', (image) => `/api/v1/rotate-image/${image}`);
const removeImage = request('delete', (image) => `/api/v1/image/${image}`);

const assembled = oncePerRun(async (context) => {
  const image = await uploadImage(context);
  return { image, response: await createPdf(context, { image_ids: [image] }) };
});
const assembly = async (context: RunContext) => (await assembled(context)).response;

const CREATED =
  '`task_id` string (UUID), `status` string (`PENDING` = queued, `SUCCESS` = result taken from cache), both required';
const CREATE_ERRORS = [
  '4.3',
  'invalid `image_id` or empty list; unauthorized or token expired; validation error; storage unavailable',
] as const;
const ROTATE = ['4.3', 'rotate an uploaded image by 90 degrees'] as const;

const refused = [
  ['empty', 'an empty list of images is rejected', []],
  ['unknown', 'an unknown image is rejected', [UNKNOWN_ID]],
  ['word', 'an image_id that is not a UUID is rejected', ['page one']],
] as const;

const malformed = [
  ['missing', 'no image_ids', {}],
  ['text', 'image_ids that are text', { image_ids: UNKNOWN_ID }],
  ['numbers', 'image_ids that are numbers', { image_ids: [1, 2] }],
] as const;

export const imageChecks: readonly Check[] = checks('passports', [
  [
    'create-pdf.body',
    ['2.4', CREATED],
    'POST /api/v1/create-pdf returns the task and its state',
    expecting(assembly, success, body({ task_id: uuid, status: oneOf('PENDING', 'SUCCESS') })),
  ],
  [
    'create-pdf.listed',
    ['4.3', 'Builds a multi-page PDF, stores it permanently, creates an extraction task'],
    'the assembled PDF is listed as a task of the session',
    async (context) => {
      const { task_id } = bodyOf(await assembly(context));
      const listed = await list(context);
      const isListed = itemsOf(listed).some(({ id }) => id === task_id);
      assertThat(listed, isListed, `the task ${String(task_id)} in the list`);
    },
  ],
  [
    'create-pdf.used-up',
    ['4.3', "deletes the session's temporary files after assembly"],
    'an image is deleted after assembly',
    async (context) => {
      const { image, response } = await assembled(context);
      expect(response, success);
      expect(await createPdf(context, { image_ids: [image] }), clientError);
    },
  ],
  ...rows(refused, ([name, title, image_ids]) => [
    `create-pdf.refuses.${name}`,
    CREATE_ERRORS,
    title,
    expecting(creating({ image_ids }), clientError),
  ]),
  ...rows(malformed, ([name, title, json]) => [
    `create-pdf.malformed.${name}`,
    VALIDATION,
    `POST /api/v1/create-pdf with ${title} returns the validation error body`,
    expecting(creating(json), validationError),
  ]),
  [
    'create-pdf.session',
    ['5.3', '`create-pdf` must use the same cookie as the upload'],
    'an image cannot be used in another session',
    async (context) => {
      const image = await uploadImage(context);
      const { cookie, token } = await withSession(context);
      if (cookie === undefined) skip('uploads require a token, so there is no cookie session');
      const request = { token, json: { image_ids: [image] }, as: 'without the session' };
      expect(await context.probe.post('/api/v1/create-pdf', request), clientError);
    },
  ],
  [
    'images.rotate',
    ROTATE,
    'an uploaded image can be rotated',
    expecting(async (context) => rotate(context, await uploadImage(context)), success),
  ],
  [
    'images.rotate-unknown',
    ROTATE,
    'an unknown image cannot be rotated',
    expecting((context) => rotate(context, UNKNOWN_ID), rejection),
  ],
  [
    'images.delete',
    ['4.3', 'remove an uploaded image from the session'],
    'a deleted image cannot be used in a PDF',
    async (context) => {
      const image = await uploadImage(context);
      expect(await removeImage(context, image), success);
      expect(await createPdf(context, { image_ids: [image] }), clientError);
    },
  ],
]);
