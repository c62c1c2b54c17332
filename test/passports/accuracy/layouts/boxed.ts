import { heading, ruled } from '../forms.ts';
import { type FormLayout, roomsTruth } from '../layout.ts';
import { dotted, number } from '../wording.ts';

/** Cells with a small label above the value. */
export const boxed: FormLayout = {
  name: 'boxed',
  afterRules: false,
  draw(facts) {
    const box = (label: string, value: string, more = {}) => ({
      stack: [
        { text: label, fontSize: 7, color: '#444444' },
        { text: value, fontSize: 11, margin: [0, 1, 0, 0] },
      ],
      ...more,
    });
    const address = `${facts.region}, ${facts.city}, ${facts.street}, д. ${facts.house}, кв. ${facts.flat}`;
    const content = [
      { text: 'Технический паспорт', fontSize: 18, bold: true, margin: [0, 0, 0, 10] },
      ruled(
        ['*', '*', '*'],
        [
          [box('Адрес объекта учёта', address, { colSpan: 3 }), '', ''],
          [
            box('Кадастровый номер', facts.cadastral),
            box('Инвентарный номер', facts.inventory),
            box('Дата составления', dotted(facts.issued)),
          ],
          [box('Орган, выдавший паспорт', facts.issuer, { colSpan: 2 }), '', box('Год постройки', String(facts.year))],
          [box('Собственник', facts.owner, { colSpan: 2 }), '', box('Износ, %', String(facts.wear))],
          [
            box('Этажность', String(facts.floors)),
            box('Этаж', String(facts.floor)),
            box('Высота потолков, м', number(facts.height)),
          ],
          [
            box('Общая площадь, м²', number(facts.total)),
            box('Жилая площадь, м²', number(facts.living)),
            box('Подсобная площадь, м²', number(facts.auxiliary)),
          ],
          [box('Материал стен', facts.walls), box('Перекрытия', facts.ceilings), box('Крыша', facts.roof)],
          [
            box('Инвентаризационная стоимость, руб.', number(facts.value)),
            box('Руководитель', facts.head),
            box('Техник', facts.technician),
          ],
        ],
      ),
      heading('Помещения'),
      ruled(
        ['*', 90, 50],
        [
          ['Назначение', 'Площадь, м²', '№'],
          ...facts.rooms.map((room) => [room.name, number(room.area, 1), String(room.no)]),
        ],
      ),
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
          'general:technician': facts.technician,
          'areas:total_area': facts.total,
          'areas:living_area': facts.living,
          'areas:auxiliary_area': facts.auxiliary,
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
