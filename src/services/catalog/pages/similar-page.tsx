import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CookieRules } from '../../../http/cookie-options.ts';
import { BackLink } from '../../../ui/page-intro.tsx';
import { Button, Span } from '../../../ui/text-elements.tsx';
import { CsrfInput } from '../../shared/csrf-input.tsx';
import { GREY_SIDE } from '../../shared/picture-features.ts';
import { createLastSearch } from '../search/last-search-cookie.ts';
import type { SimilarHit } from '../search/similar.ts';
import { Hint } from './format.tsx';
import type { Frame, Viewer } from './frame.tsx';
import { SimilarPictures } from './similar-pictures.tsx';

/** The records that are similar to an uploaded photo. */
export function similarPage(frame: Frame, cookies: CookieRules) {
  const remembered = createLastSearch(cookies);
  return (request: FastifyRequest, reply: FastifyReply, hits: readonly SimilarHit[], grey?: string) => {
    // The record page links back to these results.
    remembered.save(request, reply, request.url.slice(1));
    const viewer = frame.viewer(request);
    const { words } = viewer;
    return frame.send(reply, viewer, {
      title: `${words.similarToPhoto} · ${words.title}`,
      root: '../',
      script: 'services/catalog/browser/similar-page.js',
      styles: ['services/catalog/browser/search.css', 'services/catalog/browser/row.css'],
      children: (
        <>
          <BackLink href="../" id="back" text={words.toResults} />
          <h1 safe>{words.similarToPhoto}</h1>
          {grey !== undefined && (
            <figure class="query-picture" hidden>
              <figcaption safe>{words.searchedPicture}</figcaption>
              <canvas width={`${GREY_SIDE}`} height={`${GREY_SIDE}`} data-grey={grey}></canvas>
            </figure>
          )}
          <PictureForm action="similar" viewer={viewer} />
          {hits.length === 0 ? <Hint text={words.noSimilar} /> : <SimilarPictures hits={hits} viewer={viewer} />}
        </>
      ),
    });
  };
}

/** The form below the error of a search. */
export const rejectedPictureForm = (frame: Frame, request: FastifyRequest): JSX.Element =>
  request.method === 'POST' && request.routeOptions.url === '/search/similar' ? (
    <PictureForm action="similar" viewer={frame.viewer(request)} />
  ) : (
    ''
  );

/** A photo can also be dropped on the field, which covers its button. */
export function PictureForm({ action, viewer }: { action: string; viewer: Viewer }): JSX.Element {
  const { words, csrf } = viewer;
  return (
    <form id="picture-search" class="picture-search" method="post" action={action} enctype="multipart/form-data">
      <CsrfInput csrf={csrf} />
      <Span text={words.byPicture} />
      <label class="button">
        <input id="photo" name="file" type="file" accept="image/*,.heic,.heif" required />
        <Span class="choose-label" text={words.choosePicture} />
        <Span class="chosen-label" text={words.pictureChosen} />
      </label>
      <Button type="submit" text={words.findSimilar} />
    </form>
  );
}
