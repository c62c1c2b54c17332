import { heading, ruled } from '../forms.ts';
import { type FormLayout, roomsTruth } from '../layout.ts';
import { longDate, number } from '../wording.ts';

/** A dense form: numbered items in running text with underscore blanks. */
export const numberedDense: FormLayout = {
  name: 'numbered-dense',
  afterRules: false,
  draw(facts) {
    const fill = (value: string | number) => `__${value}__`;
    const line = (text: string) => ({ text, margin: [0, 2, 0, 2], lineHeight: 1.15 });
    const address = `${facts.region}, ${facts.city}, ${facts.street}, д. ${facts.house}, кв. ${facts.flat}`;
    const content = [
      { text: facts.issuer, alignment: 'center' },
      { text: 'ТЕХНИЧЕСКИЙ ПАСПОРТ', fontSize: 15, bold: true, alignment: 'center', margin: [0, 8, 0, 0] },
      { text: `квартиры № ${facts.flat}`, alignment: 'center', margin: [0, 0, 0, 8] },
      line(`1. Адрес: ${address}`),
      line(`2. Кадастровый № ${fill(facts.cadastral)}  Инвентарный № ${fill(facts.inventory)}`),
      heading('I. Общие сведения о строении', { fontSize: 11 }),
      line(
        `1. Год постройки ${fill(facts.year)} 2. Этажность ${fill(facts.floors)} 3. Число лестничных клеток ${fill(2)}`,
      ),
      line(`4. Материал стен ${fill(facts.walls)}`),
      line(`5. Материал перекрытий ${fill(facts.ceilings)} 6. Кровля ${fill(facts.roof)}`),
      line(`7. Процент физического износа ${fill(facts.wear)} %`),
      heading('II. Сведения о квартире', { fontSize: 11 }),
      line(`1. Этаж ${fill(facts.floor)}`),
      line(`2. Общая площадь квартиры ${fill(number(facts.total))} кв. м`),
      line(`2.1. в том числе жилая ${fill(number(facts.living))} кв. м`),
      line(`2.2. вспомогательная ${fill(number(facts.auxiliary))} кв. м`),
      line(`3. Количество жилых комнат ${fill(facts.rooms.filter(({ living }) => living !== null).length)}`),
      line(`4. Высота ${fill(number(facts.height))} м`),
      line(`5. Инвентаризационная стоимость ${fill(number(facts.value))} руб. (в ценах 1991 г.)`),
      line(`6. Владелец ${fill(facts.owner)}`),
      heading('III. Экспликация', { fontSize: 11 }),
      ruled(
        [30, '*', 70, 60, 60, 60],
        [
          ['№', 'Наименование частей помещения', 'Площадь всего', 'Жилая', 'Подсобн.', 'Высота'],
          ['1', '2', '3', '4', '5', '6'],
          ...facts.rooms.map((room) => [
            String(room.no),
            room.name,
            number(room.area),
            room.living === null ? '' : number(room.living),
            room.auxiliary === null ? '' : number(room.auxiliary),
            number(room.height, 2),
          ]),
          ['', 'Всего', number(facts.total), number(facts.living), number(facts.auxiliary), ''],
        ],
      ),
      line(`Дата составления паспорта ${longDate(facts.issued)}`),
      line(`Работу выполнил техник ________________ ${facts.technician}`),
      line(`Начальник ________________ ${facts.head}`),
    ];
    return {
      drawing: { content, defaultStyle: { fontSize: 10 } },
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
          'construction:floors_material': facts.ceilings,
          'construction:roof': facts.roof,
          'construction:wear_percent': facts.wear,
          ...roomsTruth(facts, ['no', 'name', 'area', 'living', 'auxiliary', 'height']),
        },
      },
    };
  },
};
