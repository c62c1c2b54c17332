import { bare, heading, ruled } from '../forms.ts';
import { type FormLayout, roomsTruth } from '../layout.ts';
import { dotted, number } from '../wording.ts';

/** Abbreviated labels, two pairs per line, no rules and no colons; the table continues without a header. */
export const abbreviated: FormLayout = {
  name: 'abbreviated',
  afterRules: false,
  rooms: 34,
  draw(facts) {
    const address = `${facts.city}, ${facts.street}, ${facts.house}-${facts.flat}`;
    const content = [
      { text: 'Выписка из технического паспорта', fontSize: 14, bold: true, margin: [0, 0, 0, 8] },
      bare(
        [85, '*', 85, 110],
        [
          ['Адрес', { text: address, colSpan: 3 }, '', ''],
          ['Кад. №', facts.cadastral, 'Инв. №', facts.inventory],
          ['Общ. пл.', `${number(facts.total)} кв.м`, 'Жил. пл.', `${number(facts.living)} кв.м`],
          ['Год постр.', String(facts.year), 'Кол-во эт.', String(facts.floors)],
          ['Этаж', String(facts.floor), '% износа', String(facts.wear)],
          ['Мат. стен', facts.walls, 'Выс. помещ.', `${number(facts.height)} м`],
          ['Инв. ст-ть', `${number(facts.value)} р.`, 'Дата', dotted(facts.issued)],
        ],
        2,
      ),
      heading('Экспликация'),
      ruled(
        [50, '*', 80, 80],
        [
          ['№ пом.', 'Назнач. помещения', 'Пл., кв.м', 'Выс., м'],
          ...facts.rooms.map((room) => [String(room.no), room.name, number(room.area, 1), number(room.height, 2)]),
        ],
      ),
      { text: `Техник-инвентаризатор ${facts.technician}`, margin: [0, 10, 0, 0] },
    ];
    return {
      drawing: { content, defaultStyle: { fontSize: 11 } },
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
          'general:technician': facts.technician,
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
