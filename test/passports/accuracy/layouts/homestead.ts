import { blank, formLine, heading, labelBelow, ruled } from '../forms.ts';
import { type FormLayout, roomsTruth } from '../layout.ts';
import { dotted, number } from '../wording.ts';

/** A homestead: the owner in a table of rights, the house in a list of buildings, its parts in description columns. */
export const homestead: FormLayout = {
  name: 'homestead',
  afterRules: true,
  draw(facts) {
    const floors = Math.min(3, facts.floors);
    const content = [
      labelBelow(facts.issuer, 'наименование органа технической инвентаризации'),
      { text: 'ТЕХНИЧЕСКИЙ ПАСПОРТ', fontSize: 15, bold: true, alignment: 'center', margin: [0, 8, 0, 0] },
      { text: 'индивидуального жилого дома (домовладения)', alignment: 'center', margin: [0, 0, 0, 8] },
      formLine('Город, село, посёлок', blank(facts.city), 'Район', blank(facts.district, 120)),
      formLine('Улица, переулок, площадь', blank(facts.street), '№ домовладения', blank(facts.house, 60)),
      formLine('Инв. номер', blank(facts.inventory, 110), 'Кадастровый номер', blank(facts.cadastral)),
      heading('1. Регистрация права собственности'),
      ruled(
        [70, '*', 150, 50],
        [
          ['Дата записи', 'Ф. И. О. владельца', 'Документы, устанавливающие право', 'Доля'],
          [dotted(facts.surveyed), facts.owner, 'договор купли-продажи', '1'],
        ],
      ),
      heading('2. Экспликация земельного участка'),
      formLine('Площадь участка по документам', blank(String(facts.plot), 80), 'кв. м'),
      heading('3. Характеристика строений'),
      ruled(
        [40, '*', 60, 60, 60, 90],
        [
          ['Литера', 'Наименование', 'Год постройки', 'Этажность', 'Износ, %', 'Стоимость, руб.'],
          ['А', 'Жилой дом', String(facts.year), String(floors), String(facts.wear), number(facts.value)],
          ['Г', 'Сарай', String(facts.year + 3), '1', String(Math.min(90, facts.wear + 11)), '4 210'],
        ],
      ),
      heading('4. Общие данные по дому'),
      formLine('Площадь дома общая', blank(number(facts.total), 70), ', из неё жилая', blank(number(facts.living), 70)),
      formLine('Стены (материал, конструкция)', blank(facts.walls)),
      formLine('Фундамент (материал, конструкция)', blank(facts.foundation)),
      formLine('Крыша (материал кровли)', blank(facts.roof)),
      { ...heading('5. Экспликация помещений дома'), pageBreak: 'before' },
      ruled(
        [50, '*', 80, 80, 80],
        [
          [
            { text: '№ п/п', rowSpan: 2 },
            { text: 'Наименование помещений', rowSpan: 2 },
            { text: 'Площадь', colSpan: 3, alignment: 'center' },
            '',
            '',
          ],
          ['', '', 'общая', 'жилая', 'вспомогат.'],
          ...facts.rooms.map((room) => [
            String(room.no),
            room.name,
            number(room.area),
            room.living === null ? '' : number(room.living),
            room.auxiliary === null ? '' : number(room.auxiliary),
          ]),
          ['', 'ВСЕГО:', number(facts.total), number(facts.living), number(facts.auxiliary)],
        ],
      ),
      formLine('Текущая инвентаризация произведена', blank(dotted(facts.issued), 100)),
      formLine('Инвентаризацию выполнил', blank(facts.technician, 160), '(техник)'),
      formLine('Нач. БТИ', blank(facts.head, 160)),
    ];
    return {
      drawing: { content },
      truth: {
        values: {
          'general:address': `${facts.district} район, ${facts.city}, ${facts.street}, д. ${facts.house}`,
          'general:cadastral_number': facts.cadastral,
          'general:inventory_number': facts.inventory,
          'general:year_built': facts.year,
          'general:floors': floors,
          'general:inventory_value': facts.value,
          'general:issue_date': facts.issued,
          'general:issuer': facts.issuer,
          'general:owner': facts.owner,
          'general:head': facts.head,
          'general:technician': facts.technician,
          'areas:total_area': facts.total,
          'areas:living_area': facts.living,
          'areas:auxiliary_area': facts.auxiliary,
          'construction:foundation': facts.foundation,
          'construction:wall_material': facts.walls,
          'construction:roof': facts.roof,
          'construction:wear_percent': facts.wear,
          ...roomsTruth(facts, ['no', 'name', 'area', 'living', 'auxiliary']),
        },
      },
    };
  },
};
