import type { FastifyReply, FastifyRequest } from 'fastify';
import { BackLink } from '../../../ui/page-intro.tsx';
import type { Match } from '../alerts/alert.ts';
import type { View } from '../views/views.ts';
import { Hint, UntrustedText } from './format.tsx';
import type { Frame } from './frame.tsx';
import { HitsTable } from './hits-table.tsx';
import { searchUrl } from './search-url.ts';
import { showInvisible } from './untrusted-text.ts';

/** The latest matches of an alert. */
export const matchesPage =
  (frame: Frame) =>
  (request: FastifyRequest, reply: FastifyReply, { view, matches }: { view: View; matches: readonly Match[] }) => {
    const viewer = frame.viewer(request);
    const { words } = viewer;
    const root = '../../';
    return frame.send(reply, viewer, {
      title: `${showInvisible(view.name)} · ${words.alertFeed}`,
      root,
      styles: ['services/catalog/browser/hits.css'],
      children: (
        <>
          <BackLink href={`${root}${searchUrl(view.query).slice(2)}`} id="back" text={words.toResults} />
          <h1 dir="auto">
            <UntrustedText text={view.name} />
          </h1>
          <Hint text={matches.length === 0 ? words.noMatches : words.latestMatches} />
          {matches.length > 0 && <HitsTable items={matches.map(({ hit }) => hit)} root={root} viewer={viewer} />}
        </>
      ),
    });
  };
