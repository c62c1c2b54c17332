import type { FormLayout } from '../layout.ts';
import { abbreviated } from './abbreviated.ts';
import { barn } from './barn.ts';
import { bilingual } from './bilingual.ts';
import { boxed } from './boxed.ts';
import { card } from './card.ts';
import { dottedLeaders } from './dotted-leaders.ts';
import { english } from './english.ts';
import { explicationLandscape } from './explication-landscape.ts';
import { flatExtract } from './flat-extract.ts';
import { fourColumns } from './four-columns.ts';
import { homestead } from './homestead.ts';
import { houseOld } from './house-old.ts';
import { houseOutbuildings } from './house-outbuildings.ts';
import { letter } from './letter.ts';
import { nonResidential } from './non-residential.ts';
import { numberedDense } from './numbered-dense.ts';
import { numberedTable } from './numbered-table.ts';
import { order37 } from './order-37.ts';
import { sentences } from './sentences.ts';
import { shopAcross } from './shop-across.ts';
import { shopExtract } from './shop-extract.ts';
import { stamped } from './stamped.ts';
import { titlePage } from './title-page.ts';
import { twoSides } from './two-sides.ts';
import { typewritten } from './typewritten.ts';
import { wrappedColumns } from './wrapped-columns.ts';

/** First the layouts that the rules were developed on, then those added later. */
export const LAYOUTS: readonly FormLayout[] = [
  titlePage,
  dottedLeaders,
  numberedDense,
  fourColumns,
  explicationLandscape,
  houseOutbuildings,
  nonResidential,
  english,
  bilingual,
  boxed,
  stamped,
  houseOld,
  wrappedColumns,
  shopAcross,
  abbreviated,
  sentences,
  card,
  numberedTable,
  letter,
  twoSides,
  typewritten,
  order37,
  shopExtract,
  homestead,
  flatExtract,
  barn,
];
