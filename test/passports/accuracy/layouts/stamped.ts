import { blank, formLine, heading, ruled, stamp } from '../forms.ts';
import { type FormLayout, roomsTruth } from '../layout.ts';
import { dateInWords, number } from '../wording.ts';

/** Stamps over the text; the date in words. */
export const stamped: FormLayout = {
  name: 'stamped',
  afterRules: false,
  turned: 180,
  draw(facts) {
    const content = [
      { text: facts.issuer, alignment: 'center', bold: true },
      { text: 'Технический паспорт', fontSize: 17, bold: true, alignment: 'center', margin: [0, 10, 0, 2] },
      { text: 'на квартиру в многоквартирном доме', alignment: 'center', margin: [0, 0, 0, 12] },
      formLine('Населённый пункт:', blank(facts.city)),
      formLine('Улица (переулок):', blank(facts.street)),
      formLine('Дом:', blank(facts.house, 80), 'Квартира:', blank(String(facts.flat), 80)),
      formLine('Кадастровый номер:', blank(facts.cadastral)),
      formLine('Инвентарный номер объекта:', blank(facts.inventory)),
      formLine('Год постройки здания:', blank(String(facts.year))),
      formLine('Этаж:', blank(String(facts.floor), 60), 'всего этажей в доме:', blank(String(facts.floors), 60)),
      formLine('Стены:', blank(facts.walls)),
      formLine('Площадь квартиры (общая), кв.м:', blank(number(facts.total))),
      formLine('в том числе жилых комнат, кв.м:', blank(number(facts.living))),
      formLine('Высота квартиры, м:', blank(number(facts.height))),
      formLine('Износ здания, %:', blank(String(facts.wear))),
      formLine('Инвентаризационная стоимость на дату составления, руб.:', blank(number(facts.value))),
      heading('Экспликация'),
      ruled(
        [50, '*', 100],
        [
          ['Номер', 'Наименование помещения', 'Площадь'],
          ...facts.rooms.map((room) => [String(room.no), room.name, number(room.area, 1)]),
          ['', 'Итого:', number(facts.total, 1)],
        ],
      ),
      { text: `Дата составления: ${dateInWords(facts.issued)}`, margin: [0, 10, 0, 10] },
      {
        text: `Начальник филиала                          / ${facts.head} /`,
        preserveLeadingSpaces: true,
        margin: [0, 0, 0, 8],
      },
      { text: `Инженер-техник                             / ${facts.technician} /`, preserveLeadingSpaces: true },
      ...stamp(330, 250, ['Российская', 'Федерация', 'БТИ № 4'], '#4a5fc0'),
      ...stamp(250, 560, ['для', 'технических', 'паспортов'], '#5a50b0'),
    ];
    const address = [facts.city, facts.street, `д. ${facts.house}`, `кв. ${facts.flat}`].join(', ');
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
          'general:head': facts.head,
          'general:technician': facts.technician,
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
