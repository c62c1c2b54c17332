import { blank, formLine, heading, ruled } from '../forms.ts';
import { type FormLayout, roomsTruth } from '../layout.ts';
import { dotted, number } from '../wording.ts';

/** Two halves side by side: a form on the left, the rooms on the right. */
export const twoSides: FormLayout = {
  name: 'two-sides',
  afterRules: true,
  draw(facts) {
    const left = [
      heading('Общие данные', { fontSize: 11 }),
      formLine('Населённый пункт', blank(facts.city)),
      formLine('Улица', blank(facts.street)),
      formLine('Дом №', blank(facts.house, 50), 'кв.', blank(String(facts.flat), 50)),
      formLine('Инв. №', blank(facts.inventory)),
      formLine('Кадастровый №', blank(facts.cadastral)),
      formLine('Год постройки', blank(String(facts.year), 60), 'этажность', blank(String(facts.floors), 40)),
      formLine('Этаж', blank(String(facts.floor), 40), 'высота', blank(number(facts.height), 50), 'м'),
      formLine('Стены', blank(facts.walls)),
      formLine('Износ', blank(String(facts.wear), 50), '%'),
      formLine('Общая площадь', blank(number(facts.total), 60), 'м²'),
      formLine('в т.ч. жилая', blank(number(facts.living), 60), 'м²'),
      formLine('Владелец', blank(facts.owner)),
      formLine('Дата составления', blank(dotted(facts.issued), 90)),
      formLine('Техник', blank(facts.technician)),
    ];
    const right = [
      heading('Экспликация', { fontSize: 11 }),
      ruled(
        [30, '*', 60, 60],
        [
          ['№', 'Помещение', 'Площадь', 'Высота'],
          ...facts.rooms.map((room) => [String(room.no), room.name, number(room.area, 1), number(room.height, 2)]),
        ],
      ),
    ];
    const content = [
      { text: facts.issuer, alignment: 'center' },
      { text: 'ТЕХНИЧЕСКИЙ ПАСПОРТ КВАРТИРЫ', fontSize: 14, bold: true, alignment: 'center', margin: [0, 4, 0, 8] },
      {
        columns: [
          { width: '*', stack: left },
          { width: '*', stack: right },
        ],
        columnGap: 30,
      },
    ];
    const address = [facts.city, facts.street, `д. ${facts.house}`, `кв. ${facts.flat}`].join(', ');
    return {
      drawing: { content, pageOrientation: 'landscape' },
      truth: {
        values: {
          'general:address': address,
          'general:cadastral_number': facts.cadastral,
          'general:inventory_number': facts.inventory,
          'general:year_built': facts.year,
          'general:floors': facts.floors,
          'general:floor': facts.floor,
          'general:issue_date': facts.issued,
          'general:issuer': facts.issuer,
          'general:owner': facts.owner,
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
