import { blank, formLine, heading, labelBelow, ruled } from '../forms.ts';
import { type FormLayout, roomsTruth } from '../layout.ts';
import { monthOf, number } from '../wording.ts';

/** A flat of the 1990s: a title page of underlined blanks with labels below, then two pages. */
export const titlePage: FormLayout = {
  name: 'title-page',
  afterRules: false,
  draw(facts) {
    const [year, , day] = facts.issued.split('-');
    const content = [
      { text: 'Форма утверждена приказом\nГосстроя России от 04.08.1998 № 37', fontSize: 8, alignment: 'right' },
      labelBelow(facts.region, 'республика, край, область'),
      labelBelow(facts.issuer, 'наименование организации, выдавшей паспорт'),
      { text: 'ТЕХНИЧЕСКИЙ ПАСПОРТ', fontSize: 22, bold: true, alignment: 'center', margin: [0, 60, 0, 4] },
      { text: 'на жилое помещение', fontSize: 13, alignment: 'center', margin: [0, 0, 0, 40] },
      formLine('Район', blank(facts.district, 160), 'Населённый пункт', blank(facts.city)),
      formLine('Улица', blank(facts.street)),
      formLine(
        'Дом №',
        blank(facts.house, 60),
        'корпус',
        blank(facts.block, 60),
        'кв. №',
        blank(String(facts.flat), 60),
      ),
      formLine('Инвентарный №', blank(facts.inventory, 180)),
      formLine('Кадастровый номер', blank(facts.cadastral, 220)),
      { text: '', margin: [0, 60, 0, 0] },
      formLine('Паспорт составлен «', blank(day!, 24), '»', blank(monthOf(facts.issued), 90), `${year} г.`),
      { ...heading('1. Сведения о принадлежности'), pageBreak: 'before' },
      ruled(
        [70, 150, '*', 50],
        [
          ['Дата', 'Субъект права', 'Документы, подтверждающие право', 'Доля'],
          ['12.02.1996', facts.owner, 'договор передачи в собственность', '1'],
          [' ', ' ', ' ', ' '],
        ],
      ),
      heading('2. Техническая характеристика'),
      formLine('Год постройки дома', blank(String(facts.year), 70), 'Число этажей', blank(String(facts.floors), 50)),
      formLine('Помещение расположено на', blank(String(facts.floor), 40), 'этаже'),
      formLine('Стены (материал)', blank(facts.walls)),
      formLine('Перекрытия', blank(facts.ceilings)),
      formLine(
        'Общая полезная площадь',
        blank(number(facts.total), 60),
        'кв. м,',
        'из неё жилая',
        blank(number(facts.living), 60),
        'кв. м',
      ),
      formLine('Высота помещения', blank(number(facts.height), 60), 'м'),
      formLine('Износ дома', blank(String(facts.wear), 60), '%'),
      formLine('Стоимость в ценах 2001 г.', blank(number(facts.value), 120), 'руб.'),
      { ...heading('3. Экспликация к поэтажному плану'), pageBreak: 'before' },
      ruled(
        [40, '*', 80, 60, 70, 55],
        [
          ['№ помещ.', 'Назначение комнат', 'Общая площадь, кв. м', 'в т.ч. жилая', 'подсобная', 'Высота'],
          ...facts.rooms.map((room) => [
            String(room.no),
            room.name,
            number(room.area),
            room.living === null ? '' : number(room.living),
            room.auxiliary === null ? '' : number(room.auxiliary),
            number(room.height),
          ]),
          ['', 'Итого', number(facts.total), number(facts.living), number(facts.auxiliary), ''],
        ],
      ),
      formLine('Техник', blank('', 120), facts.technician),
      formLine('Начальник бюро', blank('', 120), facts.head),
    ];
    const address = [
      facts.region,
      `${facts.district} район`,
      facts.city,
      facts.street,
      `д. ${facts.house}`,
      `корп. ${facts.block}`,
      `кв. ${facts.flat}`,
    ].join(', ');
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
          'areas:ceiling_height': facts.height,
          'construction:wall_material': facts.walls,
          'construction:floors_material': facts.ceilings,
          'construction:wear_percent': facts.wear,
          ...roomsTruth(facts, ['no', 'name', 'area', 'living', 'auxiliary', 'height']),
        },
      },
    };
  },
};
