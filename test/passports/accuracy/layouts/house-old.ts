import { blank, formLine, heading, labelBelow, ruled } from '../forms.ts';
import { type FormLayout, roomsTruth } from '../layout.ts';
import { longDate, number } from '../wording.ts';

/** An old house passport: labels below blanks, the plot in sotkas, a ruled list of building parts with wear. */
export const houseOld: FormLayout = {
  name: 'house-old',
  afterRules: false,
  draw(facts) {
    const floors = Math.min(2, facts.floors);
    const content = [
      { text: 'МИНИСТЕРСТВО ЖИЛИЩНО-КОММУНАЛЬНОГО ХОЗЯЙСТВА', alignment: 'center', fontSize: 9 },
      labelBelow(facts.issuer, 'наименование бюро технической инвентаризации'),
      { text: 'ТЕХНИЧЕСКИЙ ПАСПОРТ', fontSize: 20, bold: true, alignment: 'center', margin: [0, 24, 0, 2] },
      { text: 'на жилой дом индивидуального жилищного фонда', alignment: 'center', margin: [0, 0, 0, 16] },
      labelBelow(facts.region, 'область, край, республика'),
      labelBelow(facts.city, 'город, посёлок, село'),
      formLine('по улице (переулку)', blank(facts.street), 'дом №', blank(facts.house, 60)),
      formLine('Инвентарный номер', blank(facts.inventory, 140), 'Кадастровый номер', blank(facts.cadastral)),
      formLine('Владелец', blank(facts.owner)),
      formLine('Площадь участка по документам', blank(`${number(facts.plot / 100, 2)} соток`)),
      heading('А. Основные показатели'),
      formLine(
        'Год постройки',
        blank(String(facts.year), 60),
        '; этажность',
        blank(String(floors), 40),
        '; общая площадь',
        blank(number(facts.total), 60),
        'м²',
      ),
      formLine(
        'в том числе жилая',
        blank(number(facts.living), 60),
        'м²; высота комнат',
        blank(number(facts.height), 50),
        'м',
      ),
      formLine('Инвентаризационная оценка', blank(`${number(Math.floor(facts.value))} руб. 00 коп.`, 150)),
      heading('Б. Техническое описание'),
      ruled(
        ['*', 220, 60],
        [
          ['Конструктивный элемент', 'Материал и конструкция', 'Износ в %'],
          ['Фундамент', facts.foundation, String(facts.wear + 2)],
          ['Стены наружные', facts.walls, String(facts.wear + 1)],
          ['Перегородки', facts.partitions, String(facts.wear)],
          ['Перекрытия чердачные', facts.ceilings, String(facts.wear)],
          ['Кровля', facts.roof, String(facts.wear - 3)],
        ],
      ),
      formLine('Процент износа строения', blank(String(facts.wear), 60)),
      { ...heading('В. Экспликация помещений жилого дома'), pageBreak: 'before' },
      ruled(
        [30, '*', 90, 80, 90],
        [
          ['№', 'Комнаты и другие помещения', 'Всего площади, м²', 'в т.ч. жилой', 'в т.ч. подсобной'],
          ...facts.rooms.map((room) => [
            String(room.no),
            room.name,
            number(room.area, 1),
            room.living === null ? '' : number(room.living, 1),
            room.auxiliary === null ? '' : number(room.auxiliary, 1),
          ]),
          ['', 'Итого', number(facts.total, 1), number(facts.living, 1), number(facts.auxiliary, 1)],
        ],
      ),
      formLine('Паспорт выдан', blank(longDate(facts.issued), 160)),
      labelBelow(facts.technician, 'фамилия техника, проводившего инвентаризацию'),
    ];
    const address = [facts.region, facts.city, facts.street, `д. ${facts.house}`].join(', ');
    return {
      drawing: { content },
      truth: {
        values: {
          'general:address': address,
          'general:cadastral_number': facts.cadastral,
          'general:inventory_number': facts.inventory,
          'general:year_built': facts.year,
          'general:floors': floors,
          'general:inventory_value': Math.floor(facts.value),
          'general:issue_date': facts.issued,
          'general:issuer': facts.issuer,
          'general:owner': facts.owner,
          'general:technician': facts.technician,
          'areas:total_area': facts.total,
          'areas:living_area': facts.living,
          'areas:ceiling_height': facts.height,
          'construction:foundation': facts.foundation,
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
