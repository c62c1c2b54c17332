/** What a service refuses, in the reader's words. What has no words here has its own sentence. */
export interface RefusalTexts {
  readonly offline: string;
  /** By code. */
  readonly refusals: Readonly<Record<string, string>>;
  /** By what is wrong with a field. */
  readonly problems: Readonly<Record<string, string>>;
}

type Problems = Readonly<Record<string, string>>;

const en: Problems = {
  int_parsing: 'This should be a whole number.',
  float_parsing: 'This should be a number.',
  date_parsing: 'This should be a date.',
  datetime_parsing: 'This should be a date, or a date and a time.',
  enum: 'This should be one of {expected}.',
  string_pattern_mismatch: 'This has another form than it should.',
  greater_than_equal: 'This should be {ge} or more.',
  less_than_equal: 'This should be {le} or less.',
  string_too_long: 'This should have at most {max_length} characters.',
};

const ru: Problems = {
  missing: 'Этого поля не хватает.',
  int_parsing: 'Нужно целое число.',
  float_parsing: 'Нужно число.',
  date_parsing: 'Нужна дата.',
  datetime_parsing: 'Нужна дата, или дата и время.',
  bool_parsing: 'Нужно «да» или «нет».',
  enum: 'Нужно одно из: {expected}.',
  string_pattern_mismatch: 'Вид значения не тот.',
  greater_than_equal: 'Нужно не меньше {ge}.',
  less_than_equal: 'Нужно не больше {le}.',
  string_too_long: 'Не больше {max_length} знаков.',
  too_long: 'Слишком много полей сразу.',
  extra_forbidden: 'Такого поля нет.',
  uuid_parsing: 'Такого документа нет.',
};

/** What can be wrong with a field of a form, by the `type` of a `detail`. */
export const problemTexts = { en, ru };
