import type { FastifyRequest } from 'fastify';
import { isSameOrigin } from '../../../http/same-origin.ts';
import { GroupingInputs } from '../../../ui/grouping-inputs.tsx';
import { Button, P } from '../../../ui/text-elements.tsx';
import { CsrfInput } from '../../shared/csrf-input.tsx';
import { listTexts } from '../browser/list-texts.ts';

/** After an upload without a script some of whose files are rejected: a form for others, with the same project and tags. */
export function UploadAgain(props: {
  request: FastifyRequest;
  viewer: { language: 'en' | 'ru'; csrf: string | undefined };
  publicOrigins: readonly string[];
}): JSX.Element {
  const { request, viewer, publicOrigins } = props;
  // Not what another site filled in, because it would be shown with a valid CSRF token.
  if (!(request.body instanceof Map) || !isSameOrigin(request, publicOrigins)) return '';
  const fields = request.body as ReadonlyMap<string, string>;
  const texts = listTexts[viewer.language];
  const [project = '', tags = ''] = [fields.get('project'), fields.get('tags')];
  return (
    <form method="post" action="upload" enctype="multipart/form-data">
      <CsrfInput csrf={viewer.csrf} />
      <GroupingInputs words={texts.grouping} project={project} tags={tags} />
      {(project || tags) && <P class="notice" text={texts.chooseAgain} />}
      <label class="button">
        <span safe>{texts.choosePdf}</span>
        <input type="file" name="files" accept="application/pdf,.pdf" multiple required />
      </label>
      <Button type="submit" class="primary" text={texts.send} />
    </form>
  );
}
