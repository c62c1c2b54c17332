import { heading, ruled } from '../forms.ts';
import { type FormLayout, roomsTruth } from '../layout.ts';
import { dotted, number } from '../wording.ts';

/** A landscape page: labels in a table header, values in the row below. */
export const shopAcross: FormLayout = {
  name: 'shop-across',
  afterRules: false,
  draw(facts) {
    const address = `${facts.city}, ${facts.street}, д. ${facts.house}, пом. ${facts.flat}`;
    const content = [
      {
        text: 'Технический паспорт нежилого здания (помещения)',
        fontSize: 15,
        bold: true,
        alignment: 'center',
        margin: [0, 0, 0, 8],
      },
      { text: `Составлен: ${facts.issuer}`, margin: [0, 0, 0, 4] },
      { text: `по состоянию на ${dotted(facts.issued)}`, margin: [0, 0, 0, 8] },
      ruled(
        ['*', 130, 110, 110],
        [
          ['Адрес', 'Кадастровый номер', 'Инвентарный номер', 'Назначение'],
          [address, facts.cadastral, facts.inventory, 'торговое'],
        ],
      ),
      ruled(
        ['*', '*', '*', '*', '*', '*', '*'],
        [
          [
            'Год постройки',
            'Число этажей',
            'Этаж',
            'Площадь общая, кв. м',
            'Высота внутренняя, м',
            'Износ, %',
            'Стоимость, руб.',
          ],
          [
            String(facts.year),
            String(facts.floors),
            String(facts.floor),
            number(facts.total),
            number(facts.height),
            String(facts.wear),
            number(facts.value),
          ],
        ],
      ),
      ruled(
        ['*', '*', '*', '*', '*'],
        [
          ['Фундамент', 'Стены', 'Перегородки', 'Перекрытия', 'Кровля'],
          [facts.foundation, facts.walls, facts.partitions, facts.ceilings, facts.roof],
        ],
      ),
      heading('Экспликация'),
      ruled(
        [60, '*', 110, 100],
        [
          ['Номер на плане', 'Назначение частей', 'Общая площадь, кв. м', 'Высота, м'],
          ...facts.rooms.map((room) => [String(room.no), room.name, number(room.area, 1), number(room.height, 2)]),
        ],
      ),
    ];
    return {
      drawing: { content, pageOrientation: 'landscape', defaultStyle: { fontSize: 11, font: 'Roboto' } },
      truth: {
        values: {
          'general:address': address,
          'general:cadastral_number': facts.cadastral,
          'general:inventory_number': facts.inventory,
          'general:purpose': 'торговое',
          'general:year_built': facts.year,
          'general:floors': facts.floors,
          'general:floor': facts.floor,
          'general:inventory_value': facts.value,
          'general:issue_date': facts.issued,
          'general:issuer': facts.issuer,
          'areas:total_area': facts.total,
          'areas:ceiling_height': facts.height,
          'construction:foundation': facts.foundation,
          'construction:wall_material': facts.walls,
          'construction:partitions': facts.partitions,
          'construction:floors_material': facts.ceilings,
          'construction:roof': facts.roof,
          'construction:wear_percent': facts.wear,
          ...roomsTruth(facts, ['no', 'name', 'area', 'height']),
        },
      },
    };
  },
};
