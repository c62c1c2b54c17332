// Number and date formats of forms.

/** `1 234,5`, with `decimals` decimals or up to 2 as needed. */
export function number(value: number, decimals?: number): string {
  const digits = decimals ?? (Number.isInteger(value) ? 0 : Math.min(2, String(value).split('.')[1]?.length ?? 0));
  const [whole, fraction] = value.toFixed(digits).split('.');
  const grouped = whole!.replace(/\B(?=(\d{3})+$)/gu, ' ');
  return fraction === undefined ? grouped : `${grouped},${fraction}`;
}

const MONTHS = [
  'января',
  'февраля',
  'марта',
  'апреля',
  'мая',
  'июня',
  'июля',
  'августа',
  'сентября',
  'октября',
  'ноября',
  'декабря',
];
const parts = (iso: string) => iso.split('-').map(Number) as [number, number, number];

/** `14.09.2006` */
export const dotted = (iso: string): string => iso.split('-').reverse().join('.');
/** `14.09.06` */
export const shortYear = (iso: string): string => dotted(iso).replace(/\d\d(\d\d)$/u, '$1');
export const monthOf = (iso: string): string => MONTHS[parts(iso)[1] - 1]!;
/** `14 сентября 2006 г.` */
export const longDate = (iso: string): string => `${parts(iso)[2]} ${monthOf(iso)} ${parts(iso)[0]} г.`;

const FIRST = [
  '',
  'первое',
  'второе',
  'третье',
  'четвёртое',
  'пятое',
  'шестое',
  'седьмое',
  'восьмое',
  'девятое',
  'десятое',
  'одиннадцатое',
  'двенадцатое',
  'тринадцатое',
  'четырнадцатое',
  'пятнадцатое',
  'шестнадцатое',
  'семнадцатое',
  'восемнадцатое',
  'девятнадцатое',
];
/** `четырнадцатое сентября две тысячи шестого года`, for years from 2001 to 2019. */
export function dateInWords(iso: string): string {
  const [year, , day] = parts(iso);
  const tens = day >= 30 ? 'тридцатое' : 'двадцатое';
  const dayWords =
    day < 20 ? FIRST[day]! : day % 10 === 0 ? tens : `${day >= 30 ? 'тридцать' : 'двадцать'} ${FIRST[day % 10]}`;
  const yearWords = FIRST[year - 2000]!.replace(/ое$/u, 'ого').replace(/ье$/u, 'ьего');
  return `${dayWords} ${monthOf(iso)} две тысячи ${yearWords} года`;
}
