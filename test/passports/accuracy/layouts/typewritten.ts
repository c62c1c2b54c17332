import { formLine, heading, ruled } from '../forms.ts';
import { type FormLayout, roomsTruth } from '../layout.ts';
import { monthOf, number } from '../wording.ts';

/** A form of the 1990s filled in with a typewriter: wide letters, values after printed words. */
export const typewritten: FormLayout = {
  name: 'typewritten',
  afterRules: true,
  draw(facts) {
    const typed = (text: string | number) => ({
      text: String(text),
      width: 'auto',
      font: 'Roboto',
      characterSpacing: 1.2,
      margin: [6, 0, 10, 0],
    });
    const [year, , day] = facts.issued.split('-');
    const content = [
      { text: facts.issuer, alignment: 'left', margin: [0, 0, 0, 12], font: 'Roboto', characterSpacing: 1 },
      { text: 'Т Е Х Н И Ч Е С К И Й   П А С П О Р Т', alignment: 'center', fontSize: 14, bold: true },
      { text: 'на квартиру в многоэтажном доме', alignment: 'center', margin: [0, 0, 0, 10] },
      formLine('Инвентарный №', typed(facts.inventory), 'Кадастровый №', typed(facts.cadastral)),
      formLine('Населённый пункт', typed(facts.city)),
      formLine('улица (пер., пл.)', typed(facts.street)),
      formLine('дом №', typed(facts.house), 'корп. №', typed(facts.block), 'квартира №', typed(facts.flat)),
      heading('I. Принадлежность квартиры'),
      formLine('Квартира принадлежит', typed(facts.owner)),
      heading('II. Техническая характеристика'),
      formLine('Дом построен в', typed(facts.year), 'году, число этажей', typed(facts.floors)),
      formLine('Квартира расположена на', typed(facts.floor), 'этаже'),
      formLine('Стены дома', typed(facts.walls)),
      formLine('Перекрытия', typed(facts.ceilings), 'Износ дома', typed(facts.wear), '%'),
      formLine('Общая (полезная) площадь', typed(number(facts.total)), 'кв. метров'),
      formLine('в том числе: жилая', typed(number(facts.living)), 'подсобная', typed(number(facts.auxiliary))),
      formLine('Высота помещений по внутреннему обмеру', typed(number(facts.height, 2)), 'м'),
      formLine('Инвентаризационная стоимость квартиры', typed(number(facts.value)), 'руб.'),
      heading('III. Экспликация площади квартиры'),
      ruled(
        [50, '*', 70, 60, 70],
        [
          [
            '№ комн. на плане',
            'Назначение комнаты (кухня, жилая и т. д.)',
            'Площадь кв. м',
            'в т. ч. жилая',
            'подсобная',
          ],
          ...facts.rooms.map((room) => [
            String(room.no),
            room.name,
            number(room.area),
            room.living === null ? '—' : number(room.living),
            room.auxiliary === null ? '—' : number(room.auxiliary),
          ]),
          ['', 'Итого по квартире', number(facts.total), number(facts.living), number(facts.auxiliary)],
        ],
      ),
      formLine(`« ${day} »`, typed(monthOf(facts.issued)), `${year} г.`),
      formLine('Начальник бюро', typed(facts.head)),
      formLine('Инвентаризатор', typed(facts.technician)),
    ];
    return {
      drawing: { content },
      truth: {
        values: {
          'general:address': `${facts.city}, ${facts.street}, д. ${facts.house}, корп. ${facts.block}, кв. ${facts.flat}`,
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
          'construction:wear_percent': facts.wear,
          ...roomsTruth(facts, ['no', 'name', 'area', 'living', 'auxiliary']),
        },
      },
    };
  },
};
