import { heading, ruled } from '../forms.ts';
import { type FormLayout, roomsTruth } from '../layout.ts';
import { dotted, number } from '../wording.ts';

/** A long schedule of rooms on landscape pages, with a two-level header repeated on each. */
export const explicationLandscape: FormLayout = {
  name: 'explication-landscape',
  afterRules: false,
  rooms: 44,
  turned: 90,
  draw(facts) {
    const address = `${facts.city}, ${facts.street}, ${facts.house}, кв. ${facts.flat}`;
    const head = [
      [
        { text: 'Этаж', rowSpan: 2 },
        { text: '№ помещения на плане', rowSpan: 2 },
        { text: 'Назначение помещения', rowSpan: 2 },
        { text: 'Площадь помещения по внутреннему обмеру, кв. м', colSpan: 3, alignment: 'center' },
        '',
        '',
        { text: 'Высота помещений по внутреннему обмеру, м', rowSpan: 2 },
        { text: 'Примечание', rowSpan: 2 },
      ],
      ['', '', '', 'Всего', 'жилая', 'вспомога-тельная', '', ''],
      ['1', '2', '3', '4', '5', '6', '7', '8'],
    ];
    const content = [
      { text: 'ЭКСПЛИКАЦИЯ', bold: true, fontSize: 14, alignment: 'center' },
      { text: `к поэтажному плану. Адрес: ${address}`, margin: [0, 4, 0, 2] },
      {
        text: `Инвентарный № ${facts.inventory}      Дата обследования: ${dotted(facts.surveyed)}`,
        margin: [0, 0, 0, 4],
      },
      ruled(
        [40, 60, '*', 70, 60, 75, 95, 90],
        [
          ...head,
          ...facts.rooms.map((room) => [
            String(facts.floor),
            String(room.no),
            room.name,
            number(room.area, 1),
            room.living === null ? '' : number(room.living, 1),
            room.auxiliary === null ? '' : number(room.auxiliary, 1),
            number(room.height, 2),
            '',
          ]),
          [
            '',
            '',
            'Итого по квартире',
            number(facts.total, 1),
            number(facts.living, 1),
            number(facts.auxiliary, 1),
            '',
            '',
          ],
        ],
        { table: { headerRows: 3 } },
      ),
      heading('Подписи', { fontSize: 10 }),
      {
        text: `Составил техник ${facts.technician}          Проверил ${facts.owner.split(' ')[0]} О. О.`,
        margin: [0, 4, 0, 0],
      },
      { text: `Дата составления: ${dotted(facts.issued)}`, margin: [0, 4, 0, 0] },
    ];
    return {
      drawing: { content, pageOrientation: 'landscape', defaultStyle: { fontSize: 10 } },
      truth: {
        values: {
          'general:address': address,
          'general:inventory_number': facts.inventory,
          'general:issue_date': facts.issued,
          'general:technician': facts.technician,
          ...roomsTruth(facts, ['no', 'name', 'area', 'living', 'auxiliary', 'height']),
        },
      },
    };
  },
};
