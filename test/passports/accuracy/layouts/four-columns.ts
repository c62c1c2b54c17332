import { heading, ruled } from '../forms.ts';
import { type FormLayout, roomsTruth } from '../layout.ts';
import { dotted, number } from '../wording.ts';

/** A ruled form with labels and values in four columns, two pairs per line. */
export const fourColumns: FormLayout = {
  name: 'four-columns',
  afterRules: false,
  draw(facts) {
    const address = `${facts.region}, ${facts.city}, ${facts.street}, д. ${facts.house}, корп. ${facts.block}, кв. ${facts.flat}`;
    const content = [
      {
        text: 'ТЕХНИЧЕСКИЙ ПАСПОРТ ЖИЛОГО ПОМЕЩЕНИЯ',
        fontSize: 14,
        bold: true,
        alignment: 'center',
        margin: [0, 0, 0, 8],
      },
      ruled(
        [118, '*', 100, 110],
        [
          [{ text: 'Учётные данные', colSpan: 4, alignment: 'center', bold: true, fillColor: '#e8e8e8' }, '', '', ''],
          ['Адрес', { text: address, colSpan: 3 }, '', ''],
          ['Кадастровый номер', facts.cadastral, 'Инв. номер', facts.inventory],
          ['Организация, выдавшая паспорт', facts.issuer, 'Дата составления', dotted(facts.issued)],
          ['Правообладатель', { text: facts.owner, colSpan: 3 }, '', ''],
          [{ text: 'Характеристики', colSpan: 4, alignment: 'center', bold: true, fillColor: '#e8e8e8' }, '', '', ''],
          ['Год постройки', String(facts.year), 'Этажность', String(facts.floors)],
          ['Этаж', String(facts.floor), 'Износ, %', String(facts.wear)],
          ['Наружные стены', facts.walls, 'Перегородки', facts.partitions],
          ['Перекрытия', facts.ceilings, 'Крыша', facts.roof],
          ['Общая площадь, м²', number(facts.total), 'Жилая площадь, м²', number(facts.living)],
          ['Вспомогательная площадь, м²', number(facts.auxiliary), 'Высота, м', number(facts.height)],
          ['Инвентаризационная стоимость, руб.', number(facts.value), 'Назначение', 'жилое'],
        ],
      ),
      heading('Экспликация к плану квартиры'),
      ruled(
        [35, '*', 70, 70, 80],
        [
          [
            { text: '№ комн.', rowSpan: 2 },
            { text: 'Характеристика комнат и помещений', rowSpan: 2 },
            { text: 'Площадь, кв.м', colSpan: 3, alignment: 'center' },
            '',
            '',
          ],
          ['', '', 'общая', 'жилая', 'вспомогат.'],
          ...facts.rooms.map((room) => [
            String(room.no),
            room.name,
            number(room.area, 1),
            room.living === null ? '–' : number(room.living, 1),
            room.auxiliary === null ? '–' : number(room.auxiliary, 1),
          ]),
        ],
      ),
      { columns: [`Руководитель    ${facts.head}`, `Техник    ${facts.technician}`], margin: [0, 16, 0, 0] },
    ];
    return {
      drawing: { content, defaultStyle: { fontSize: 10, font: 'Roboto' } },
      truth: {
        values: {
          'general:address': address,
          'general:cadastral_number': facts.cadastral,
          'general:inventory_number': facts.inventory,
          'general:purpose': 'жилое',
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
          'construction:partitions': facts.partitions,
          'construction:floors_material': facts.ceilings,
          'construction:roof': facts.roof,
          'construction:wear_percent': facts.wear,
          ...roomsTruth(facts, ['no', 'name', 'area', 'living', 'auxiliary']),
        },
      },
    };
  },
};
