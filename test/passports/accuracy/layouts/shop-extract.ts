import { heading, ruled, stamp } from '../forms.ts';
import { type FormLayout, roomsTruth } from '../layout.ts';
import { dotted, number } from '../wording.ts';

/** An extract for shop premises: prose, a list and the schedule of a floor plan. */
export const shopExtract: FormLayout = {
  name: 'shop-extract',
  afterRules: true,
  draw(facts) {
    const address = `${facts.region}, ${facts.city}, ${facts.street}, дом ${facts.house}`;
    const accepted = `${facts.region}, ${facts.city}, ${facts.street}, д. ${facts.house}`;
    const item = (label: string, value: string) => ({
      columns: [
        { text: label, width: 250 },
        { text: value, width: '*', bold: true },
      ],
      margin: [0, 2, 0, 2],
    });
    const content = [
      { text: facts.issuer, alignment: 'right', margin: [200, 0, 0, 8] },
      { text: 'ВЫПИСКА', fontSize: 14, bold: true, alignment: 'center' },
      { text: 'из технического паспорта на нежилое помещение', alignment: 'center', margin: [0, 0, 0, 10] },
      item('Местонахождение помещения:', address),
      item('Инв. № дела:', facts.inventory),
      item('Кадастровый номер помещения:', facts.cadastral),
      item('Целевое назначение:', 'торговое'),
      item('Здание возведено в:', `${facts.year} г.`),
      item('Этажность здания:', String(facts.floors)),
      item('Занимаемый этаж:', String(facts.floor)),
      item('Общая площадь помещения, м²:', number(facts.total, 1)),
      item('Собственник (правообладатель):', facts.owner),
      item('Инвентаризационная стоимость на 01.01.2009:', `${number(facts.value)} руб.`),
      heading('Описание конструктивных элементов здания'),
      ruled(
        ['*', 210, 60],
        [
          ['Наименование конструктивных элементов', 'Описание элементов (материал, конструкция, отделка)', 'Износ, %'],
          ['Фундаменты', facts.foundation, String(facts.wear + 1)],
          ['Наружные и внутренние капитальные стены', facts.walls, String(facts.wear)],
          ['Перегородки', facts.partitions, String(facts.wear + 3)],
          ['Междуэтажные перекрытия', facts.ceilings, String(facts.wear)],
          ['Кровля', facts.roof, String(facts.wear + 2)],
        ],
      ),
      heading('Экспликация к поэтажному плану'),
      ruled(
        [36, 40, 46, '*', 110, 60, 50],
        [
          [
            'Литера по плану',
            'Этаж',
            'Номер комнаты',
            'Назначение частей помещения',
            'Формула подсчёта площади',
            'Площадь (м²)',
            'Высота (м)',
          ],
          ...facts.rooms.map((room) => [
            'А',
            String(facts.floor),
            String(room.no),
            room.name,
            `${number(Math.round(room.area * 4) / 10, 2)}×2,50`,
            number(room.area, 1),
            number(room.height, 2),
          ]),
          ['', '', '', 'Итого:', '', number(facts.total, 1), ''],
        ],
      ),
      {
        text: `Выписка составлена по данным инвентаризации от ${dotted(facts.issued)}`,
        margin: [0, 8, 0, 10],
      },
      { text: `Директор ________________ / ${facts.head} /`, margin: [0, 4, 0, 4] },
      { text: `Выписку подготовил ________________ / ${facts.technician} /` },
      ...stamp(330, 690, ['для', 'справок']),
    ];
    return {
      drawing: { content, defaultStyle: { fontSize: 10 } },
      truth: {
        values: {
          'general:address': address,
          'general:cadastral_number': facts.cadastral,
          'general:inventory_number': facts.inventory,
          'general:purpose': 'торговое',
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
          'construction:foundation': facts.foundation,
          'construction:wall_material': facts.walls,
          'construction:partitions': facts.partitions,
          'construction:floors_material': facts.ceilings,
          'construction:roof': facts.roof,
          ...roomsTruth(facts, ['no', 'name', 'area', 'height']),
        },
        accept: { 'general:address': [accepted] },
      },
    };
  },
};
