import { heading, ruled } from '../forms.ts';
import { type FormLayout, roomsTruth } from '../layout.ts';
import { dotted, number } from '../wording.ts';

/** Labels in two languages. */
export const bilingual: FormLayout = {
  name: 'bilingual',
  afterRules: false,
  draw(facts) {
    const address = `${facts.city}, ${facts.street}, д. ${facts.house}, кв. ${facts.flat}`;
    const pair = (ru: string, en: string, value: string) => [
      { stack: [ru, { text: en, italics: true, fontSize: 8 }] },
      value,
    ];
    const content = [
      { text: 'ТЕХНИЧЕСКИЙ ПАСПОРТ КВАРТИРЫ', fontSize: 15, bold: true, alignment: 'center' },
      { text: 'TECHNICAL PASSPORT OF A FLAT', fontSize: 11, alignment: 'center', margin: [0, 0, 0, 10] },
      ruled(
        [210, '*'],
        [
          pair('Кем выдан', 'Issued by', facts.issuer),
          pair('Адрес', 'Address', address),
          pair('Кадастровый номер', 'Cadastral number', facts.cadastral),
          pair('Инвентарный номер', 'Inventory number', facts.inventory),
          pair('Собственник', 'Owner', facts.owner),
          pair('Год постройки', 'Year of construction', String(facts.year)),
          pair('Этажность здания', 'Number of storeys', String(facts.floors)),
          pair('Этаж', 'Floor', String(facts.floor)),
          pair('Материал стен', 'Wall material', facts.walls),
          pair('Физический износ', 'Physical depreciation', `${facts.wear}%`),
          pair('Общая площадь', 'Total area', `${number(facts.total)} м²`),
          pair('Жилая площадь', 'Living area', `${number(facts.living)} м²`),
          pair('Высота помещений', 'Ceiling height', `${number(facts.height)} м`),
          pair('Инвентаризационная стоимость', 'Inventory value', `${number(facts.value)} руб. / RUB`),
          pair('Дата выдачи', 'Date of issue', dotted(facts.issued)),
        ],
      ),
      heading('Экспликация / Schedule of rooms'),
      ruled(
        [60, '*', 110, 110],
        [
          ['№ / No.', 'Помещение / Room', 'Площадь, м² / Area, m²', 'Высота, м / Height, m'],
          ...facts.rooms.map((room) => [String(room.no), room.name, number(room.area, 1), number(room.height, 2)]),
        ],
      ),
    ];
    return {
      drawing: { content, defaultStyle: { font: 'Roboto', fontSize: 10 } },
      truth: {
        values: {
          'general:address': address,
          'general:cadastral_number': facts.cadastral,
          'general:inventory_number': facts.inventory,
          'general:year_built': facts.year,
          'general:floors': facts.floors,
          'general:floor': facts.floor,
          'general:inventory_value': facts.value,
          'general:issue_date': facts.issued,
          'general:issuer': facts.issuer,
          'general:owner': facts.owner,
          'areas:total_area': facts.total,
          'areas:living_area': facts.living,
          'areas:ceiling_height': facts.height,
          'construction:wall_material': facts.walls,
          'construction:wear_percent': facts.wear,
          ...roomsTruth(facts, ['no', 'name', 'area', 'height']),
        },
      },
    };
  },
};
