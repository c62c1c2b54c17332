import { formLine, heading, ruled } from '../forms.ts';
import { type FormLayout, roomsTruth } from '../layout.ts';
import { monthOf, number } from '../wording.ts';

/** A form of the nineties, filled in with a typewriter: wide letters, values standing free behind printed words. */
export const typewritten: FormLayout = {
  name: 'typewritten',
  heldOut: false,
  draw(facts) {
    const typed = (text: string | number, width: number | '*' = 'auto' as '*') => ({
      text: String(text),
      width,
      font: 'Roboto',
      characterSpacing: 1.2,
      margin: [6, 0, 10, 0],
    });
    const line = (...nodes: Parameters<typeof formLine>) => formLine(...nodes);
    const [year, , day] = facts.issued.split('-');
    const content = [
      { text: facts.issuer, alignment: 'left', margin: [0, 0, 0, 12], font: 'Roboto', characterSpacing: 1 },
      { text: 'Т Е Х Н И Ч Е С К И Й   П А С П О Р Т', alignment: 'center', fontSize: 14, bold: true },
      { text: 'на квартиру в многоэтажном доме', alignment: 'center', margin: [0, 0, 0, 10] },
      line('Инвентарный №', typed(facts.inventory), 'Кадастровый №', typed(facts.cadastral)),
      line('Населённый пункт', typed(facts.city)),
      line('улица (пер., пл.)', typed(facts.street)),
      line('дом №', typed(facts.house), 'корп. №', typed(facts.block), 'квартира №', typed(facts.flat)),
      heading('I. Принадлежность квартиры'),
      line('Квартира принадлежит', typed(facts.owner)),
      heading('II. Техническая характеристика'),
      line('Дом построен в', typed(facts.year), 'году, число этажей', typed(facts.floors)),
      line('Квартира расположена на', typed(facts.floor), 'этаже'),
      line('Стены дома', typed(facts.walls)),
      line('Перекрытия', typed(facts.ceilings), 'Износ дома', typed(facts.wear), '%'),
      line('Общая (полезная) площадь', typed(number(facts.total)), 'кв. метров'),
      line('в том числе: жилая', typed(number(facts.living)), 'подсобная', typed(number(facts.auxiliary))),
      line('Высота помещений по внутреннему обмеру', typed(number(facts.height, 2)), 'м'),
      line('Инвентаризационная стоимость квартиры', typed(number(facts.value)), 'руб.'),
      heading('III. Экспликация площади квартиры'),
      ruled(
        [50, '*', 70, 60, 70],
        [
          ['№ комн. на плане', 'Назначение комнаты (кухня, жилая и т. д.)', 'Площадь кв. м', 'в т. ч. жилая', 'подсобная'],
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
      line(`« ${day} »`, typed(monthOf(facts.issued)), `${year} г.`),
      line('Начальник бюро', typed(facts.head)),
      line('Инвентаризатор', typed(facts.technician)),
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
