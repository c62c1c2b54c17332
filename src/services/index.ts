import { catalog } from './catalog/index.ts';
import { defectoscopy } from './defectoscopy/index.ts';
import { passports } from './passports/index.ts';
import type { Service } from './service.ts';
import { stt } from './stt/index.ts';

/** The services of the product. A new one is a folder beside this file and a line here. */
export const services: readonly Service[] = [defectoscopy, stt, passports, catalog];
