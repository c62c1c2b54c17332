import { catalog } from './catalog/index.ts';
import { defectoscopy } from './defectoscopy/index.ts';
import { passports } from './passports/index.ts';
import type { Service } from './shared/service.ts';
import { stt } from './stt/index.ts';

export const services: readonly Service[] = [defectoscopy, stt, passports, catalog];
