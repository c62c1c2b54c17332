/** Error messages in the page's language; others are shown as received. */
export interface ErrorTexts {
  readonly offline: string;
  /** By error code. */
  readonly refusals: Readonly<Record<string, string>>;
  /** By error type of a field. */
  readonly problems: Readonly<Record<string, string>>;
}

type Problems = Readonly<Record<string, string>>;

const en: Problems = {
  int_parsing: 'Enter a whole number.',
  float_parsing: 'Enter a number.',
  date_parsing: 'Enter a date.',
  datetime_parsing: 'Enter a date, or a date and time.',
  enum: 'Choose one of: {expected}.',
  string_pattern_mismatch: 'Invalid format.',
  greater_than_equal: 'Must be at least {ge}.',
  less_than_equal: 'Must be at most {le}.',
  string_too_long: 'Must have at most {max_length} characters.',
  too_many_rows: 'The table can have at most {max_length} rows, including emptied ones.',
};

const ru: Problems = {
  missing: 'Обязательное поле.',
  int_parsing: 'Введите целое число.',
  float_parsing: 'Введите число.',
  date_parsing: 'Введите дату.',
  datetime_parsing: 'Введите дату или дату и время.',
  bool_parsing: 'Допустимые значения: «да» или «нет».',
  enum: 'Допустимые значения: {expected}.',
  string_pattern_mismatch: 'Неверный формат.',
  greater_than_equal: 'Не меньше {ge}.',
  less_than_equal: 'Не больше {le}.',
  string_too_long: 'Не более {max_length} символов.',
  too_many_rows: 'В таблице может быть не больше {max_length} строк, включая очищенные.',
  too_long: 'Слишком много полей.',
  extra_forbidden: 'Неизвестное поле.',
  uuid_parsing: 'Документ не найден.',
};

export const fieldErrorTexts = { en, ru };
