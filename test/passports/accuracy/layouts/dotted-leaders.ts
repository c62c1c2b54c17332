import { bare, heading, ruled } from '../forms.ts';
import { type FormLayout, roomsTruth } from '../layout.ts';
import { dotted, number } from '../wording.ts';

/** Labels and values in two columns with dot leaders. */
export const dottedLeaders: FormLayout = {
  name: 'dotted-leaders',
  afterRules: false,
  draw(facts) {
    const address = `${facts.city}, ${facts.street}, дом ${facts.house}, кв. ${facts.flat}`;
    const leader = (label: string, value: string) => [
      `${label} ${'.'.repeat(Math.max(4, 62 - Math.round(label.length * 1.15)))}`,
      value,
    ];
    const content = [
      { text: facts.issuer, alignment: 'center', bold: true },
      { text: 'Технический паспорт квартиры', fontSize: 16, bold: true, alignment: 'center', margin: [0, 14, 0, 10] },
      bare(
        [255, '*'],
        [
          leader('Местонахождение', address),
          leader('Кадастровый номер', facts.cadastral),
          leader('Инвентарный номер', facts.inventory),
          leader('Год постройки', String(facts.year)),
          leader('Количество этажей', String(facts.floors)),
          leader('Этаж', String(facts.floor)),
          leader('Материал наружных стен', facts.walls),
          leader('Кровля', facts.roof),
          leader('Фундаменты', facts.foundation),
          leader('Физический износ', `${facts.wear} %`),
          leader('Площадь общая', `${number(facts.total)} кв.м`),
          leader('Площадь жилая', `${number(facts.living)} кв.м`),
          leader('Площадь подсобная', `${number(facts.auxiliary)} кв.м`),
          leader('Высота потолка', `${number(facts.height)} м`),
          leader('Инвентаризационная стоимость', `${number(facts.value)} руб.`),
          leader('Собственник', facts.owner),
          leader('Дата выдачи', dotted(facts.issued)),
        ],
        2,
      ),
      heading('Перечень помещений'),
      ruled(
        [40, '*', 90, 90],
        [
          ['№ п/п', 'Помещение', 'Площадь (кв.м)', 'Высота (м)'],
          ...facts.rooms.map((room) => [String(room.no), room.name, number(room.area, 1), number(room.height, 2)]),
        ],
      ),
      {
        columns: [`Директор ______________ ${facts.head}`, `Исполнитель ______________ ${facts.technician}`],
        margin: [0, 20, 0, 0],
      },
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
          'construction:roof': facts.roof,
          'construction:foundation': facts.foundation,
          'construction:wear_percent': facts.wear,
          ...roomsTruth(facts, ['no', 'name', 'area', 'height']),
        },
      },
    };
  },
};
