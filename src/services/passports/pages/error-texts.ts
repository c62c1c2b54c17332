import { failureTexts } from '../../shared/failure-texts.ts';
import { ERROR_TYPES, type ErrorType, errorMessage } from '../failures.ts';

const ru: Readonly<Record<ErrorType, string>> = failureTexts.passports.ru;

export const errorTexts: Readonly<Record<'en' | 'ru', Readonly<Record<string, string>>>> = {
  en: Object.fromEntries(ERROR_TYPES.map((type) => [type, errorMessage(type)])),
  ru,
};
