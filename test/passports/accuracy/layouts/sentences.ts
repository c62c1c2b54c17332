import { bare, heading } from '../forms.ts';
import { type FormLayout, roomsTruth } from '../layout.ts';
import { longDate, number } from '../wording.ts';

/** Values within running text. */
export const sentences: FormLayout = {
  name: 'sentences',
  afterRules: false,
  turned: 270,
  draw(facts) {
    const address = `${facts.city}, ${facts.street}, дом ${facts.house}, квартира ${facts.flat}`;
    const text = (value: string) => ({ text: value, margin: [0, 3, 0, 3], lineHeight: 1.2 });
    const content = [
      { text: 'ТЕХНИЧЕСКИЙ ПАСПОРТ', fontSize: 16, bold: true, alignment: 'center' },
      text(`Выдан: ${facts.issuer}, ${longDate(facts.issued)}`),
      text(`Объект: жилое помещение (квартира). Адрес: ${address}.`),
      text(`Инвентарный номер ${facts.inventory}; кадастровый номер ${facts.cadastral}.`),
      text(`Собственник: ${facts.owner}.`),
      heading('Описание'),
      text(
        `Год постройки дома – ${facts.year}, число этажей – ${facts.floors}. Квартира находится на этаже: ${facts.floor}.`,
      ),
      text(
        `Общая площадь – ${number(facts.total)} кв. м, жилая площадь – ${number(facts.living)} кв. м, высота помещений – ${number(facts.height)} м.`,
      ),
      text(`Материал стен: ${facts.walls}. Перекрытия: ${facts.ceilings}.`),
      text(`Износ составляет ${facts.wear} %. Инвентаризационная стоимость – ${number(facts.value)} рублей.`),
      heading('Помещения'),
      bare(
        [40, 180, 80],
        [
          ['№', 'Наименование', 'Площадь'],
          ...facts.rooms.map((room) => [String(room.no), room.name, number(room.area, 1)]),
        ],
        1,
      ),
      text(`Техник: ${facts.technician}          Руководитель: ${facts.head}`),
    ];
    return {
      drawing: { content, defaultStyle: { fontSize: 12 } },
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
          ...roomsTruth(facts, ['no', 'name', 'area']),
        },
      },
    };
  },
};
