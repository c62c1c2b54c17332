// Generates examples/passport.pdf: the technical passport of a fictitious flat, two pages.
// Usage: node scripts/make-passport-example.mjs [FILE]
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const file = process.argv[2] ?? fileURLToPath(new URL('../examples/passport.pdf', import.meta.url));

const ROOMS = [
  ['1', 'прихожая', '8,4', '', '8,4', '2,64'],
  ['2', 'кухня', '9,1', '', '9,1', '2,64'],
  ['3', 'жилая комната', '18,6', '18,6', '', '2,64'],
  ['4', 'жилая комната', '13,2', '13,2', '', '2,64'],
  ['5', 'ванная', '3,2', '', '3,2', '2,64'],
  ['6', 'санузел', '1,3', '', '1,3', '2,64'],
  ['7', 'кладовая', '0,9', '', '0,9', '2,64'],
];
const TOTAL = ['', 'Итого', '54,7', '31,8', '22,9', ''];

const first = [
  { text: 'Кедровское бюро технической инвентаризации', fontSize: 10, alignment: 'center', margin: [0, 0, 0, 18] },
  { text: 'ТЕХНИЧЕСКИЙ ПАСПОРТ', style: 'title' },
  { text: 'жилого помещения (квартиры)', alignment: 'center', margin: [0, 0, 0, 18] },
  head('1. Общие сведения'),
  facts([
    ['Адрес', 'Пермский край, г. Кедровск, ул. Садовая, д. 14, кв. 37'],
    ['Кадастровый номер', '59:99:0410023:1847'],
    ['Инвентарный номер', '57-3081'],
    ['Назначение', 'жилое'],
    ['Год постройки', '1978'],
    ['Этажность', '9'],
    ['Этаж', '5'],
    ['Инвентаризационная стоимость, руб.', '412 630,50'],
    ['Правообладатель', 'Ёлкина Людмила Фёдоровна'],
    ['Кем составлен', 'МУП «Кедровское БТИ»'],
    ['Дата составления', '18.05.2011'],
  ]),
  head('2. Площади'),
  facts([
    ['Общая площадь, м²', '54,7'],
    ['Жилая площадь, м²', '31,8'],
    ['Подсобная площадь, м²', '22,9'],
    ['Высота потолков, м', '2,64'],
  ]),
];

const second = [
  { ...head('3. Конструктивные элементы'), pageBreak: 'before' },
  facts([
    ['Фундамент', 'железобетонный ленточный'],
    ['Стены', 'кирпичные'],
    ['Перегородки', 'гипсолитовые'],
    ['Перекрытия', 'железобетонные плиты'],
    ['Крыша', 'рулонная по железобетонным плитам'],
    ['Физический износ, %', '24'],
  ]),
  head('4. Экспликация помещений'),
  {
    table: {
      headerRows: 1,
      widths: [28, '*', 62, 62, 72, 62],
      body: [
        ['№', 'Наименование', 'Площадь, м²', 'Жилая, м²', 'Подсобная, м²', 'Высота, м'].map((text) => ({
          text,
          bold: true,
        })),
        ...ROOMS,
        TOTAL.map((text) => ({ text, bold: true })),
      ],
    },
    layout: rules(),
    margin: [0, 0, 0, 14],
  },
  head('5. Примечания'),
  facts([['Особые отметки', 'Самовольной перепланировки не обнаружено']]),
  { text: ' ', fontSize: 18 },
  facts([
    ['Руководитель', 'Гордеев А. Б.'],
    ['Техник', 'Цветкова В. Г.'],
  ]),
];

function head(text) {
  return { text, bold: true, fontSize: 13, margin: [0, 8, 0, 6] };
}

function facts(rows) {
  const body = rows.map(([label, value]) => [label, { text: value, bold: true }]);
  return { table: { widths: [190, '*'], body }, layout: rules(), margin: [0, 0, 0, 10] };
}

function rules() {
  return { hLineWidth: () => 0.6, vLineWidth: () => 0.6, paddingTop: () => 4, paddingBottom: () => 4 };
}

const require = createRequire(import.meta.url);
const pdfmake = require('pdfmake');
const sans = (weight) => require.resolve(`@expo-google-fonts/pt-sans/${weight}/PTSans_${weight}.ttf`);
pdfmake.setFonts({ Sans: { normal: sans('400Regular'), bold: sans('700Bold') } });
pdfmake.setUrlAccessPolicy(() => false);
pdfmake.setLocalAccessPolicy(() => true);
const bytes = await pdfmake
  .createPdf({
    // Fixed, for reproducible bytes.
    info: { title: 'Технический паспорт', creationDate: new Date('2011-05-18T00:00:00Z') },
    pageSize: 'A4',
    pageMargins: [56, 50, 45, 50],
    defaultStyle: { font: 'Sans', fontSize: 11 },
    styles: { title: { bold: true, fontSize: 20, alignment: 'center' } },
    footer: (page, pages) => ({
      text: `Лист ${page} из ${pages}`,
      alignment: 'center',
      fontSize: 9,
      margin: [0, 18, 0, 0],
    }),
    content: [...first, ...second],
  })
  .getBuffer();
writeFileSync(file, bytes);
console.log(`${file}: ${Math.ceil(bytes.length / 1024)} KiB`);
