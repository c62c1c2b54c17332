import { heading } from '../forms.ts';
import { type FormLayout, roomsTruth } from '../layout.ts';
import { dotted, number } from '../wording.ts';

/** A certificate for a flat: a letterhead, labels and values with dot leaders, rooms without rules. */
export const flatExtract: FormLayout = {
  name: 'flat-extract',
  afterRules: true,
  draw(facts) {
    const dots = (label: string, value: string) => ({
      table: { widths: [190, '*'], body: [[label, { text: value, italics: true }]] },
      layout: {
        hLineWidth: (i: number) => (i === 1 ? 0.5 : 0),
        vLineWidth: () => 0,
        hLineStyle: () => ({ dash: { length: 1, space: 2 } }),
      },
      margin: [0, 1, 0, 1],
    });
    const address = `${facts.region}, ${facts.city}, ${facts.street}, д. ${facts.house}, кв. ${facts.flat}`;
    const content = [
      {
        columns: [
          { text: facts.issuer, width: 220, fontSize: 10 },
          { text: `Дата выдачи справки: ${dotted(facts.issued)}`, alignment: 'right' },
        ],
        margin: [0, 0, 0, 14],
      },
      { text: 'СПРАВКА О ТЕХНИЧЕСКОМ СОСТОЯНИИ КВАРТИРЫ', bold: true, fontSize: 13, alignment: 'center' },
      { text: '(по данным технического паспорта)', alignment: 'center', margin: [0, 0, 0, 10] },
      dots('Объект находится по адресу', address),
      dots('Кадастровый / условный номер', facts.cadastral),
      dots('Номер по инвентарной книге', facts.inventory),
      dots('Наниматель / собственник', facts.owner),
      dots('Строение сдано в эксплуатацию в', `${facts.year} году`),
      dots('Этажей в строении', String(facts.floors)),
      dots('Квартира на этаже', String(facts.floor)),
      dots('Капитальные стены выполнены из', facts.walls),
      dots('Перекрытия между этажами', facts.ceilings),
      dots('Кровельное покрытие', facts.roof),
      dots('Процент износа на дату обмера', `${facts.wear} %`),
      dots('Площадь квартиры, всего', `${number(facts.total)} кв. м`),
      dots('из неё жилых помещений', `${number(facts.living)} кв. м`),
      dots('вспомогательных помещений', `${number(facts.auxiliary)} кв. м`),
      dots('Высота от пола до потолка', `${number(facts.height, 2)} м`),
      dots('Оценочная стоимость (инвентаризационная)', `${number(facts.value)} руб.`),
      heading('Состав помещений'),
      {
        table: {
          widths: [40, 200, 90, 90],
          body: [
            ['№ пом.', 'Вид помещения', 'Площадь, м²', 'Высота, м'],
            ...facts.rooms.map((room) => [String(room.no), room.name, number(room.area, 1), number(room.height, 2)]),
          ],
        },
        layout: 'lightHorizontalLines',
        margin: [0, 4, 0, 14],
      },
      {
        columns: [
          { text: 'Начальник отдела учёта', width: 200 },
          { text: facts.head, width: '*' },
        ],
      },
      {
        columns: [
          { text: 'Справку составил', width: 200 },
          { text: facts.technician, width: '*' },
        ],
      },
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
          ...roomsTruth(facts, ['no', 'name', 'area', 'height']),
        },
      },
    };
  },
};
