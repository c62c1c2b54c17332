import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { fill } from '../../../ui/browser/fill.ts';
import { A, H2 } from '../../../ui/text-elements.tsx';
import type { Uploaded } from '../api-schema.ts';
import { listTexts } from '../browser/list-texts.ts';
import type { Frame } from './frame.tsx';
import { UploadAgain } from './upload-again.tsx';

const TEXTS = {
  en: { title: 'Some files were not accepted', rejected: 'Not accepted', accepted: 'Uploaded' },
  ru: { title: 'Приняты не все файлы', rejected: 'Не приняты', accepted: 'Загружены' },
};

export type SendUploadResult = (
  request: FastifyRequest,
  reply: FastifyReply,
  uploaded: Static<typeof Uploaded>,
) => Promise<FastifyReply>;

/** The response to a form without a script some of whose files are rejected. */
export const createUploadResult =
  (frame: Frame, publicOrigins: readonly string[]): SendUploadResult =>
  async (request, reply, { items, rejected }) => {
    const viewer = await frame.viewer(request);
    const [texts, words] = [TEXTS[viewer.language], listTexts[viewer.language]];
    return frame.send(reply, viewer, {
      title: texts.title,
      styles: ['services/passports/browser/list.css'],
      children: (
        <section class="panel" aria-labelledby="upload-title">
          <h1 id="upload-title" safe>
            {texts.title}
          </h1>
          <H2 text={texts.rejected} />
          <ul id="rejected">
            {rejected.map(({ filename, error }) => (
              <li dir="auto" safe>
                {fill(words.rejected, { name: filename, why: words.refusals[error.code] ?? error.message })}
              </li>
            ))}
          </ul>
          <UploadAgain request={request} viewer={viewer} publicOrigins={publicOrigins} />
          <H2 text={texts.accepted} />
          <ul id="accepted">
            {items.map(({ filename }) => (
              <li dir="auto" safe>
                {filename}
              </li>
            ))}
          </ul>
          <p>
            <A href="./" text={words.goOn} />
          </p>
        </section>
      ),
    });
  };
