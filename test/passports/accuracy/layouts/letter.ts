import { bare, heading } from '../forms.ts';
import { type FormLayout, roomsTruth } from '../layout.ts';
import { monthOf, number } from '../wording.ts';

/** A typed letter: a heading at the side, labels and values separated by dashes, the date at the top. */
export const letter: FormLayout = {
  name: 'letter',
  afterRules: true,
  draw(facts) {
    const [year, , day] = facts.issued.split('-');
    const address = `${facts.city}, ${facts.street}, д. ${facts.house}, корп. ${facts.block}, кв. ${facts.flat}`;
    const item = (label: string, value: string) => ({ text: `- ${label} — ${value};`, margin: [0, 2, 0, 2] });
    const content = [
      {
        columns: [
          { text: facts.issuer, width: 220, bold: true },
          { text: `« ${day} » ${monthOf(facts.issued)} ${year} года`, alignment: 'right' },
        ],
      },
      { text: 'Выписка из технического паспорта', fontSize: 15, alignment: 'center', margin: [0, 24, 0, 12] },
      { text: `Квартира расположена по адресу: ${address}`, margin: [0, 0, 0, 8] },
      item('кадастровый номер', facts.cadastral),
      item('инвентарный номер', facts.inventory),
      item('год постройки дома', String(facts.year)),
      item('этажность дома', String(facts.floors)),
      item('квартира на этаже', String(facts.floor)),
      item('стены дома', facts.walls),
      item('износ дома', `${facts.wear}%`),
      item('общая площадь квартиры', `${number(facts.total)} кв. м`),
      item('жилая площадь', `${number(facts.living)} кв. м`),
      item('высота помещений', `${number(facts.height)} м`),
      item('инвентаризационная стоимость', `${number(facts.value)} руб.`),
      item('собственник', facts.owner),
      heading('Состав помещений'),
      bare(
        [40, 160, 90],
        [
          ['№', 'Помещение', 'Площадь, кв. м'],
          ...facts.rooms.map((room) => [`${room.no}`, room.name, number(room.area, 1)]),
        ],
        2,
      ),
      { columns: ['Начальник отдела', { text: facts.head, alignment: 'right' }], margin: [0, 20, 0, 0] },
    ];
    return {
      drawing: { content },
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
          'general:head': facts.head,
          'areas:total_area': facts.total,
          'areas:living_area': facts.living,
          'areas:ceiling_height': facts.height,
          'construction:wall_material': facts.walls,
          'construction:wear_percent': facts.wear,
          ...roomsTruth(facts, ['no', 'name', 'area']),
        },
      },
    };
  },
};
