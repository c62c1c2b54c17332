import type { HeatmapTexts } from '../../../ui/browser/heatmap-texts.ts';
import type { Texts } from '../pages/texts.ts';
import type { Scored } from '../search/search-types.ts';

export interface RecordPageData {
  readonly language: string;
  readonly defects: readonly Scored[];
  readonly masters: readonly Scored[];
  readonly classes: Readonly<Record<string, string>>;
  /** Heatmaps by class: row-major bytes (0..255 for 0..1) in base64. */
  readonly heat: {
    readonly width: number;
    readonly height: number;
    readonly maps: Readonly<Record<string, string>>;
  } | null;
  readonly heatTexts: HeatmapTexts;
  readonly titles: Pick<Texts, 'defects' | 'groups' | 'noDefects' | 'chooseClass'>;
}
