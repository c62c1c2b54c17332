import type { Check } from '../check.ts';
import { openapiCheck } from '../openapi.ts';
import { accessChecks } from './access.ts';
import { deleteChecks } from './delete.ts';
import { documentChecks } from './document.ts';
import { editChecks } from './edit.ts';
import { exportChecks } from './exports.ts';
import { imageChecks } from './images.ts';
import { operationChecks } from './operation.ts';
import { renameChecks } from './rename.ts';
import { retryChecks } from './retry.ts';
import { taskChecks } from './tasks.ts';
import { tokenChecks } from './token.ts';

export const passportsChecks: readonly Check[] = [
  openapiCheck('passports'),
  ...tokenChecks,
  ...accessChecks,
  ...taskChecks,
  ...documentChecks,
  ...editChecks,
  ...renameChecks,
  ...exportChecks,
  ...retryChecks,
  ...imageChecks,
  ...operationChecks,
  ...deleteChecks,
];
