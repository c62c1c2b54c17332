import { expect, it } from 'vitest';
import { unknownSettingWarnings } from './unknown-settings.ts';

it('warns about a misspelt setting, not about variables that the banner exports', () => {
  expect(unknownSettingWarnings({ STT_MODLE: 'x', STT_TOKEN: 'a', ASSAY_STT: 'http://127.0.0.1:8002' })).toEqual([
    'Unknown setting STT_MODLE; did you mean STT_MODEL?',
  ]);
});
