import { bare, heading } from '../forms.ts';
import { type FormLayout, roomsTruth } from '../layout.ts';
import { longDate, number } from '../wording.ts';

/** Narrow columns without rules: labels and values wrap over several lines. */
export const wrappedColumns: FormLayout = {
  name: 'wrapped-columns',
  afterRules: false,
  draw(facts) {
    const address = `${facts.region}, ${facts.district} район, ${facts.city}, ${facts.street}, дом ${facts.house}, квартира ${facts.flat}`;
    const content = [
      { text: 'ТЕХНИЧЕСКИЙ ПАСПОРТ ПОМЕЩЕНИЯ', fontSize: 15, bold: true, margin: [0, 0, 0, 10] },
      bare(
        [130, 190],
        [
          ['Полное наименование организации технического учёта', facts.issuer],
          ['Адрес (местоположение) помещения', address],
          ['Кадастровый номер помещения', facts.cadastral],
          ['Инвентарный номер', facts.inventory],
          ['Сведения о правообладателе', facts.owner],
          ['Год завершения строительства здания', String(facts.year)],
          ['Количество этажей в здании', String(facts.floors)],
          ['Номер этажа, на котором расположено помещение', String(facts.floor)],
          ['Материал наружных стен здания', facts.walls],
          ['Общая площадь помещения, кв. м', number(facts.total)],
          ['Жилая площадь, кв. м', number(facts.living)],
          ['Средняя внутренняя высота помещения, м', number(facts.height)],
          ['Инвентаризационная стоимость, рублей', number(facts.value)],
          ['Дата, на которую составлен паспорт', longDate(facts.issued)],
        ],
        4,
      ),
      heading('Части помещения'),
      bare(
        [30, 150, 80],
        [
          ['№', 'Наименование части помещения', 'Площадь части, кв. м'],
          ...facts.rooms.map((room) => [String(room.no), room.name, number(room.area, 1)]),
        ],
        2,
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
          'areas:total_area': facts.total,
          'areas:living_area': facts.living,
          'areas:ceiling_height': facts.height,
          'construction:wall_material': facts.walls,
          ...roomsTruth(facts, ['no', 'name', 'area']),
        },
      },
    };
  },
};
