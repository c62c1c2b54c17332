import { bare, heading } from '../forms.ts';
import { type FormLayout, roomsTruth } from '../layout.ts';
import { number, shortYear } from '../wording.ts';

/** Non-residential premises: aligned columns without rules; two-digit years. */
export const nonResidential: FormLayout = {
  name: 'non-residential',
  afterRules: false,
  draw(facts, random) {
    const purpose = random.pick(['торговое', 'складское', 'административное', 'производственное']);
    const address = `${facts.region}, ${facts.city}, ${facts.street}, д. ${facts.house}, пом. ${facts.flat}`;
    const content = [
      { text: 'ТЕХНИЧЕСКИЙ ПАСПОРТ', fontSize: 16, bold: true },
      { text: 'нежилого помещения', fontSize: 12, margin: [0, 0, 0, 12] },
      bare(
        [210, '*'],
        [
          ['Орган технической инвентаризации', facts.issuer],
          ['Адрес объекта', address],
          ['Кадастровый номер', facts.cadastral],
          ['Инвентарный номер', facts.inventory],
          ['Назначение', purpose],
          ['Использование по состоянию на дату обследования', 'по назначению'],
          ['Год постройки здания', String(facts.year)],
          ['Число этажей', String(facts.floors)],
          ['Этаж (этажи), на котором расположено помещение', String(facts.floor)],
          ['Общая площадь, кв. м', number(facts.total)],
          ['в том числе основная, кв. м', number(facts.living)],
          ['вспомогательная, кв. м', number(facts.auxiliary)],
          ['Высота помещений, м', number(facts.height)],
          ['Стены', facts.walls],
          ['Процент износа', String(facts.wear)],
          ['Действительная инвентаризационная стоимость', `${number(Math.round(facts.value) / 1000, 3)} тыс. руб.`],
          ['Дата составления', shortYear(facts.issued)],
        ],
      ),
      heading('Экспликация к плану'),
      bare(
        [40, '*', 70, 70, 70, 60],
        [
          ['№', 'Назначение', 'Площадь, кв. м', 'основная', 'вспомогат.', 'Высота, м'].map((text) => ({
            text,
            bold: true,
          })),
          ...facts.rooms.map((room) => [
            String(room.no),
            room.name,
            number(room.area, 1),
            room.living === null ? '' : number(room.living, 1),
            room.auxiliary === null ? '' : number(room.auxiliary, 1),
            number(room.height, 2),
          ]),
          ['', 'Итого', number(facts.total, 1), number(facts.living, 1), number(facts.auxiliary, 1), ''],
        ],
        2,
      ),
      { text: `Начальник отдела                 ${facts.head}`, margin: [0, 16, 0, 4], preserveLeadingSpaces: true },
      { text: `Техник                           ${facts.technician}` },
    ];
    return {
      drawing: { content },
      truth: {
        values: {
          'general:address': address,
          'general:cadastral_number': facts.cadastral,
          'general:inventory_number': facts.inventory,
          'general:purpose': purpose,
          'general:year_built': facts.year,
          'general:floors': facts.floors,
          'general:floor': facts.floor,
          'general:inventory_value': Math.round(facts.value),
          'general:issue_date': facts.issued,
          'general:issuer': facts.issuer,
          'general:head': facts.head,
          'general:technician': facts.technician,
          'areas:total_area': facts.total,
          'areas:auxiliary_area': facts.auxiliary,
          'areas:ceiling_height': facts.height,
          'construction:wall_material': facts.walls,
          'construction:wear_percent': facts.wear,
          ...roomsTruth(facts, ['no', 'name', 'area', 'auxiliary', 'height']),
        },
      },
    };
  },
};
