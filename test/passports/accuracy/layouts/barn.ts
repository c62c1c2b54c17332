import { blank, formLine, heading, labelBelow, ruled } from '../forms.ts';
import { type FormLayout, roomsTruth } from '../layout.ts';
import { longDate, number, shortYear } from '../wording.ts';

/** An industrial building: a title page with labels below lines, then items in two ruled columns. */
export const barn: FormLayout = {
  name: 'barn',
  afterRules: true,
  draw(facts) {
    const floors = Math.min(4, facts.floors);
    const content = [
      labelBelow(facts.issuer, 'организация технической инвентаризации'),
      { text: 'ТЕХНИЧЕСКИЙ ПАСПОРТ', fontSize: 20, bold: true, alignment: 'center', margin: [0, 70, 0, 4] },
      labelBelow('склад готовой продукции', 'наименование и назначение здания'),
      labelBelow(facts.region, 'республика, область, край'),
      labelBelow(facts.city, 'наименование населённого пункта'),
      labelBelow(`${facts.street}, д. ${facts.house}`, 'улица, номер дома'),
      formLine('Инвентарный номер здания', blank(facts.inventory, 120)),
      formLine('Кадастровый номер здания', blank(facts.cadastral, 180)),
      formLine('Дата изготовления', blank(longDate(facts.issued), 160)),
      { ...heading('I. Характеристика здания'), pageBreak: 'before' },
      ruled(
        [150, 95, 150, '*'],
        [
          ['Показатель', 'Значение', 'Показатель', 'Значение'],
          ['Владелец здания', facts.owner, 'Постройка (год)', String(facts.year)],
          ['Надземных этажей', String(floors), 'Площадь общая, м²', number(facts.total)],
          ['Высота внутри, м', number(facts.height, 2), 'Износ физический, %', String(facts.wear)],
          [
            'Стоимость по инвентаризации, руб.',
            number(Math.floor(facts.value)),
            'Обмеры сняты',
            shortYear(facts.surveyed),
          ],
        ],
      ),
      heading('II. Конструкции'),
      ruled(
        [110, '*', 80],
        [
          ['Элемент', 'Материал', 'Состояние'],
          ['Фундамент', facts.foundation, 'удовл.'],
          ['Стены', facts.walls, 'хорошее'],
          ['Перегородки', facts.partitions, 'удовл.'],
          ['Покрытие, крыша', facts.roof, 'удовл.'],
        ],
      ),
      heading('III. Ведомость помещений'),
      ruled(
        [60, '*', 100],
        [
          ['Поз. на плане', 'Помещение', 'Площадь пола, м²'],
          ...facts.rooms.map((room) => [String(room.no), room.name, number(room.area, 1)]),
          ['', 'Всего', number(facts.total, 1)],
        ],
      ),
      formLine('Обследовал и составил', blank(facts.technician, 150)),
      formLine('Руководитель бюро', blank(facts.head, 150)),
    ];
    return {
      drawing: { content },
      truth: {
        values: {
          'general:address': `${facts.region}, ${facts.city}, ${facts.street}, д. ${facts.house}`,
          'general:cadastral_number': facts.cadastral,
          'general:inventory_number': facts.inventory,
          'general:year_built': facts.year,
          'general:floors': floors,
          'general:inventory_value': Math.floor(facts.value),
          'general:issue_date': facts.issued,
          'general:issuer': facts.issuer,
          'general:owner': facts.owner,
          'general:head': facts.head,
          'general:technician': facts.technician,
          'areas:total_area': facts.total,
          'areas:ceiling_height': facts.height,
          'construction:foundation': facts.foundation,
          'construction:wall_material': facts.walls,
          'construction:partitions': facts.partitions,
          'construction:roof': facts.roof,
          'construction:wear_percent': facts.wear,
          ...roomsTruth(facts, ['no', 'name', 'area']),
        },
      },
    };
  },
};
