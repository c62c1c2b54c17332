import type { ValueSpec } from '../../schema/schema.ts';
import { boundingBox, middleX, middleY } from '../fields/page-tokens.ts';
import type { FormToken } from './form-document.ts';
import type { LessonPart } from './lesson.ts';
import { project } from './project.ts';
import { splitChunks, withLines } from './text-lines.ts';
import { type PlaceContext, widest } from './text-run.ts';

export interface ReadPlace {
  readonly tokens: readonly FormToken[];
  /** Cost of the position; places with lower costs are read first. */
  readonly cost: number;
}

const MAX_DRIFT = 9;

/** Reads the run of tokens at the place that the nearest words of the form predict. */
export function readProjected(part: LessonPart, spec: ValueSpec, context: PlaceContext): ReadPlace | undefined {
  const { document, match, lesson } = context;
  const { em } = document;
  const place = project(lesson, match, part);
  if (!place) return undefined;
  const { area, page } = place;
  const scale = match.scales[page] ?? 1;
  const wide = part.spaced
    ? 3 * em
    : Math.min(widest(part, document, scale), Math.max(1.3 * em, (1.3 * part.gap) / scale));
  const near = document.lines.filter(
    (line) =>
      line[0]!.page === page && line.some((token) => middleY(token) > area.y0 - em && middleY(token) < area.y1 + em),
  );
  const chunks = near.flatMap((line) => splitChunks(line, context, wide, part.spaced));
  let best: { chunk: FormToken[]; cost: number } | undefined;
  const firstY = part.lines > 1 ? area.y0 + 0.5 * em : middleY(area);
  for (const chunk of chunks) {
    const around = boundingBox(chunk);
    const dx = Math.min(
      Math.abs(around.x0 - area.x0),
      Math.abs(middleX(around) - middleX(area)),
      Math.abs(around.x1 - area.x1),
    );
    const dy = Math.abs(middleY(chunk[0]!) - firstY);
    const isCovering = around.x0 < area.x1 && around.x1 > area.x0;
    const cost = dx / em + 3 * (dy / em) + (isCovering ? 0 : 3);
    if (dx > MAX_DRIFT * em || dy > 1.3 * em) continue;
    if (!best || cost < best.cost) best = { chunk, cost };
  }
  if (!best) return { tokens: [], cost: 9 };
  const tokens = spec.type === 'string' ? withLines(best.chunk, part, context, wide) : best.chunk;
  return { tokens, cost: 3 + best.cost };
}
