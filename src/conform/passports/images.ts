import { skip } from '../breach.ts';
import { type Check, step, type Visit } from '../check.ts';
import type { Exchange } from '../exchange.ts';
import { body, detail, holds, isSuccess, looseEnvelope, refused, shaped } from '../expect.ts';
import { isRecord, oneOf, record, uuid } from '../shape.ts';
import { asOwner, isUuid, itemsOf, list, NOBODYS } from './steps.ts';

async function uploadImage(visit: Visit): Promise<string> {
  const files = [
    { field: 'files', name: `conform-${visit.nonce}.jpg`, type: 'image/jpeg', bytes: await visit.specimens.image() },
  ];
  const answer = await visit.probe.post('/api/v1/upload-images', { ...(await asOwner(visit)), files });
  const id = isSuccess(answer) ? imageIdIn(answer.json) : undefined;
  return id ?? skip(`no image was uploaded: /api/v1/upload-images, with a part named files, answered ${answer.status}`);
}

/** The first id of an image in an answer whose form is not in the specification. */
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

const createPdf = async (visit: Visit, json: unknown) =>
  visit.probe.post('/api/v1/create-pdf', { ...(await asOwner(visit)), json });

/** An image that became a PDF, and the answer to that. */
const assembled = step(async (visit) => {
  const image = await uploadImage(visit);
  return { image, answer: await createPdf(visit, { image_ids: [image] }) };
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
  ['text', 'image_ids that are text', { image_ids: NOBODYS }],
  ['numbers', 'image_ids that are numbers', { image_ids: [1, 2] }],
];

/** Images that become a PDF. */
export const imageChecks: readonly Check[] = [
  {
    id: 'passports.create-pdf.body',
    cites: [
      '2.4',
      '`task_id` string (UUID), `status` string (`PENDING` = queued, `SUCCESS` = result taken from cache), both required',
    ],
    title: 'POST /api/v1/create-pdf answers the task and its state',
    run: async (visit) => {
      const { answer } = await assembled(visit);
      holds(answer, isSuccess(answer), 'a success');
      shaped(answer, body(answer), record({ task_id: uuid, status: oneOf('PENDING', 'SUCCESS') }), 'the body');
    },
  },
  {
    id: 'passports.create-pdf.listed',
    cites: ['4.3', 'Builds a multi-page PDF, stores it permanently, creates an extraction task'],
    title: 'the assembled PDF is a task of the session',
    run: async (visit) => {
      const { answer } = await assembled(visit);
      const { task_id } = body(answer);
      const listed = await list(visit);
      holds(
        listed,
        itemsOf(listed).some(({ id }) => id === task_id),
        `the task ${String(task_id)} in the list`,
      );
    },
  },
  {
    id: 'passports.create-pdf.used-up',
    cites: ['4.3', "deletes the session's temporary files after assembly"],
    title: 'an image that became a PDF is no longer there',
    run: async (visit) => {
      const { image, answer: before } = await assembled(visit);
      holds(before, isSuccess(before), 'a success');
      const answer = await createPdf(visit, { image_ids: [image] });
      refused(answer);
    },
  },
  {
    id: 'passports.create-pdf.refuses.empty',
    cites: CREATE_ERRORS,
    title: 'an empty list of images is refused',
    run: async (visit) => refused(await createPdf(visit, { image_ids: [] })),
  },
  {
    id: 'passports.create-pdf.refuses.unknown',
    cites: CREATE_ERRORS,
    title: 'an unknown image is refused',
    run: async (visit) => refused(await createPdf(visit, { image_ids: [NOBODYS] })),
  },
  {
    id: 'passports.create-pdf.refuses.word',
    cites: CREATE_ERRORS,
    title: 'an image_id that is no UUID is refused',
    run: async (visit) => refused(await createPdf(visit, { image_ids: ['page one'] })),
  },
  ...malformed.map(
    ([name, title, json]): Check => ({
      id: `passports.create-pdf.malformed.${name}`,
      cites: VALIDATION,
      title: `POST /api/v1/create-pdf with ${title} is answered with the validation error body`,
      run: async (visit) => detail(await createPdf(visit, json)),
    }),
  ),
  {
    id: 'passports.create-pdf.session',
    cites: ['5.3', '`create-pdf` must use the same cookie as the upload'],
    title: 'an image of a session is nothing to another',
    run: async (visit) => {
      const image = await uploadImage(visit);
      const { cookie, token } = await asOwner(visit);
      if (cookie === undefined) skip('nobody uploads without a token here, and a token is no session of a cookie');
      const json = { image_ids: [image] };
      const answer = await visit.probe.post('/api/v1/create-pdf', { token, json, as: 'without the session' });
      refused(answer);
    },
  },
  {
    id: 'passports.images.rotate',
    cites: ['4.3', 'rotate an uploaded image by 90 degrees'],
    title: 'an uploaded image can be rotated',
    run: async (visit) => {
      const answer = await rotate(visit, await uploadImage(visit));
      holds(answer, isSuccess(answer), 'a success');
    },
  },
  {
    id: 'passports.images.rotate-unknown',
    cites: ['4.3', 'rotate an uploaded image by 90 degrees'],
    title: 'an unknown image cannot be rotated',
    run: async (visit) => {
      const answer = await rotate(visit, NOBODYS);
      refused(answer);
      looseEnvelope(answer);
    },
  },
  {
    id: 'passports.images.delete',
    cites: ['4.3', 'remove an uploaded image from the session'],
    title: 'an image that was removed cannot become a PDF',
    run: async (visit) => {
      const image = await uploadImage(visit);
      const removed: Exchange = await visit.probe.delete(`/api/v1/image/${image}`, await asOwner(visit));
      holds(removed, isSuccess(removed), 'a success');
      refused(await createPdf(visit, { image_ids: [image] }));
    },
  },
];

const rotate = async (visit: Visit, image: string) =>
  visit.probe.post(`/api/v1/rotate-image/${image}`, await asOwner(visit));
