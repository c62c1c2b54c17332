import OpenAI, { toFile } from 'openai';
import { createSilence } from './fake-model.ts';

/** The unmodified client of OpenAI. */
export const createOpenAi = (url: string, token: string, options: { maxRetries?: number; timeout?: number } = {}) =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: token, maxRetries: 0, ...options });

let seconds = 0;
/** A recording with other content than all earlier ones. */
export const newRecording = () => toFile(createSilence(++seconds), 'recording.wav');
