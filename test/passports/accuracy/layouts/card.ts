import { bare, heading, ruled } from '../forms.ts';
import { type FormLayout, roomsTruth } from '../layout.ts';
import { longDate, number } from '../wording.ts';

/** A registration card: short capital labels above their values, three per line; only the rooms are ruled. */
export const card: FormLayout = {
  name: 'card',
  afterRules: true,
  draw(facts) {
    const address = `${facts.region}, ${facts.city}, ${facts.street}, д. ${facts.house}, кв. ${facts.flat}`;
    const over = (label: string, value: string) => ({
      stack: [
        { text: label.toUpperCase(), fontSize: 8 },
        { text: value, bold: true },
      ],
    });
    const content = [
      { text: 'КАРТОЧКА ТЕХНИЧЕСКОГО УЧЁТА КВАРТИРЫ', fontSize: 14, bold: true, margin: [0, 0, 0, 10] },
      over('Адрес (местонахождение) объекта', address),
      bare(
        ['*', '*', '*'],
        [
          [
            over('Кадастровый номер', facts.cadastral),
            over('Инвентарный номер', facts.inventory),
            over('Год постройки', String(facts.year)),
          ],
          [
            over('Этажность', String(facts.floors)),
            over('Этаж', String(facts.floor)),
            over('Физический износ, %', String(facts.wear)),
          ],
          [
            over('Площадь общая, кв. м', number(facts.total)),
            over('Площадь жилая, кв. м', number(facts.living)),
            over('Высота, м', number(facts.height)),
          ],
          [over('Стены', facts.walls), over('Перекрытия', facts.ceilings), over('Кровля', facts.roof)],
        ],
        5,
      ),
      over('Правообладатель', facts.owner),
      heading('Помещения квартиры'),
      ruled(
        [60, '*', 120],
        [
          ['Номер по плану', 'Наименование помещения', 'Площадь, кв. м'],
          ...facts.rooms.map((room) => [String(room.no), room.name, number(room.area, 1)]),
        ],
      ),
      { text: `Карточка составлена ${longDate(facts.issued)}`, margin: [0, 10, 0, 0] },
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
          'general:owner': facts.owner,
          'general:issue_date': facts.issued,
          'areas:total_area': facts.total,
          'areas:living_area': facts.living,
          'areas:ceiling_height': facts.height,
          'construction:wall_material': facts.walls,
          'construction:floors_material': facts.ceilings,
          'construction:roof': facts.roof,
          'construction:wear_percent': facts.wear,
          ...roomsTruth(facts, ['no', 'name', 'area']),
        },
      },
    };
  },
};
