import { expect, it } from 'vitest';
import { toTranscription } from './transcription.ts';

it('transcriptionOf joins the segments and rounds times to milliseconds', () => {
  const words = [
    { text: ' Hello', start: 0.12345, end: 0.5, confidence: 0.98765 },
    { text: ' there.', start: 0.5, end: 0.9 },
  ];
  const segments = [
    { start: 0.12345, end: 0.9, text: ' Hello \n there. ', language: 'en', words },
    { start: 2, end: 2.4, text: '  ', language: 'en' },
    { start: 3, end: 3.1, text: 'Да.', language: 'ru' },
    { start: 5, end: 6.00049, text: 'Good bye.', language: 'en' },
  ];
  expect(toTranscription({ service: 'local', durationSeconds: 7.12345, segments })).toEqual({
    transcription: 'Hello there. Да. Good bye.',
    service: 'local',
    language: 'en',
    duration_seconds: 7.123,
    segments: [
      { start: 0.123, end: 0.9, text: 'Hello there.' },
      { start: 3, end: 3.1, text: 'Да.' },
      { start: 5, end: 6, text: 'Good bye.' },
    ],
    words: [
      { start: 0.123, end: 0.5, text: 'Hello', confidence: 0.988 },
      { start: 0.5, end: 0.9, text: 'there.' },
    ],
  });
});

it('transcriptionOf returns an empty transcription for a recording without speech', () => {
  expect(toTranscription({ service: 'local', durationSeconds: 600, segments: [] })).toEqual({
    transcription: '',
    service: 'local',
    duration_seconds: 600,
    segments: [],
  });
});

it('transcriptionOf warns of speech that could not be recognized', () => {
  const segments = [
    { start: 0, end: 2.5, text: 'Hello.', language: 'en' },
    { start: 4, end: 9.99996, text: '' },
  ];
  expect(toTranscription({ service: 'local', durationSeconds: 10, segments })).toMatchObject({
    transcription: 'Hello.',
    segments: [{ start: 0, end: 2.5, text: 'Hello.' }],
    warnings: ['SPEECH_NOT_RECOGNIZED'],
    unrecognized: [{ start: 4, end: 10 }],
  });
});

it('transcriptionOf omits spaces for languages without them', () => {
  const segments = ['壁です。', '床です。'].map((text, start) => ({ start, end: start + 1, text, language: 'ja' }));
  expect(toTranscription({ service: 'local', durationSeconds: 2, segments }).transcription).toBe('壁です。床です。');
});
