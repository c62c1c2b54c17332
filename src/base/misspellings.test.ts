import { expect, it } from 'vitest';
import { findMisspellings } from './misspellings.ts';

const known = new Set(['STT_MODEL', 'STT_PORT', 'DEFECTOSCOPY_PORT', 'DATABASE_URL', 'HOST', 'WORKERS', 'LOG_LEVEL']);
const families = ['STT_', 'DEFECTOSCOPY_'];

it.each([
  ['DEFECTOSCOPY_PROT', 'DEFECTOSCOPY_PORT'],
  ['DEFECTOSKOPY_PORT', 'DEFECTOSCOPY_PORT'],
  ['STT_MODLE', 'STT_MODEL'],
  ['STT_MODELS', 'STT_MODEL'],
  ['DATABSE_ULR', 'DATABASE_URL'],
  ['stt_model', 'STT_MODEL'],
  ['WORKER', 'WORKERS'],
  ['STT_LANGUGE', undefined],
])('findMisspellings reports %s', (name, suggestion) => {
  expect(findMisspellings([name], { known, families })).toEqual([{ name, ...(suggestion && { suggestion }) }]);
});

it.each([
  'STT_MODEL',
  'HOME',
  'HOSTS',
  'host',
  'PATH',
  'DATABASE_NAME',
  'LOG_FORMAT',
  'STT_SERVICE_HOST',
  'STT_SERVICE_PORT_HTTP',
  'STT_PORT_8002_TCP_ADDR',
])('findMisspellings ignores %s', (name) => {
  expect(findMisspellings([name], { known, families })).toEqual([]);
});
