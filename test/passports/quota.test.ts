import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createPdf, type Passports, startPassports, USER_KEY } from '../support/passports.ts';

const KIB = 1024;
const QUOTA = 100 * KIB;

let passports: Passports;
beforeAll(async () => {
  passports = await startPassports({ FILES_QUOTA_BYTES: String(QUOTA) });
});
afterAll(() => passports.stop());

const largePdf = (kib: number) => {
  const { name, bytes } = createPdf();
  return { name, bytes: bytes.padEnd(kib * KIB, 'x') };
};

let pictures = 0;
/** A picture of about 30 KiB of noise, which does not compress. */
async function picture() {
  const [width, height] = [100, 100];
  const noise = Buffer.from(Array.from({ length: width * height * 3 }, () => Math.floor(Math.random() * 256)));
  return {
    name: `${++pictures}.png`,
    bytes: await sharp(noise, { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer(),
  };
}

const send = (client: Client, ...files: { name: string; bytes: Buffer | string }[]) =>
  client.post('/upload', { files, headers: { accept: 'application/json' } });
const sendImages = (client: Client, ...files: { name: string; bytes: Buffer }[]) =>
  client.post('/api/v1/upload-images', { files });
const codeOf = ({ status, body }: Awaited<ReturnType<typeof send>>) => [status, body?.error?.code];

const QUOTA_EXCEEDED = [413, 'QUOTA_EXCEEDED'];

describe('Upload quota of passports', () => {
  it('rejects excess documents with 413 QUOTA_EXCEEDED without storing them, and accepts them after a deletion', async () => {
    const client = await passports.signIn();
    const [first] = await client.upload(largePdf(60));
    const rejected = await send(client, largePdf(30), largePdf(30));
    expect(codeOf(rejected)).toEqual(QUOTA_EXCEEDED);
    expect(rejected.body.error.message).toContain(`${QUOTA} bytes`);
    expect((await client.get('/api/tasks')).body.total).toBe(1);
    expect((await send(client, largePdf(30))).status).toBe(202);
    expect(codeOf(await send(client, largePdf(30)))).toEqual(QUOTA_EXCEEDED);
    expect((await client.request(`/task/${first}`, { method: 'DELETE' })).status).toBe(200);
    expect((await send(client, largePdf(30))).status).toBe(202);
  });

  it('is shared by all sessions and tokens of one key, and separate for other keys and sessions', async () => {
    const clerk = await passports.signIn(USER_KEY);
    await clerk.upload(largePdf(60));
    const browser = passports.client();
    await browser.post('/login', { form: { api_key: USER_KEY } });
    expect(codeOf(await send(browser, largePdf(60)))).toEqual(QUOTA_EXCEEDED);
    expect((await send(passports.client(), largePdf(60))).status).toBe(202);
    expect((await send(passports.client(), largePdf(60))).status).toBe(202);
  });

  it('includes pending images; excess images are listed in `rejected`, or return 413 if none fits', async () => {
    const client = passports.client();
    const answer = await sendImages(client, await picture(), await picture(), await picture(), await picture());
    expect(answer.status).toBe(201);
    expect(answer.body.images).toHaveLength(3);
    expect(answer.body.rejected).toMatchObject([{ error: { code: 'QUOTA_EXCEEDED' } }]);
    expect(codeOf(await sendImages(client, await picture()))).toEqual(QUOTA_EXCEEDED);
    expect(codeOf(await send(client, largePdf(20)))).toEqual(QUOTA_EXCEEDED);
    const [id] = answer.body.image_ids;
    expect((await client.request(`/api/v1/image/${id}`, { method: 'DELETE' })).status).toBe(200);
    expect((await sendImages(client, await picture())).status).toBe(201);
  });

  it('does not count images together with the PDF created from them', async () => {
    const client = passports.client();
    const { body } = await sendImages(client, await picture(), await picture(), await picture());
    const made = await client.post('/api/v1/create-pdf', { json: { image_ids: body.image_ids } });
    expect(made.status, made.text).toBe(202);
    expect(codeOf(await send(client, largePdf(30)))).toEqual(QUOTA_EXCEEDED);
  });

  it('holds for concurrent uploads', async () => {
    const client = passports.client();
    await client.upload(largePdf(1));
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(client, largePdf(30))));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 202, 202, 413, 413, 413, 413, 413]);
  });
});
