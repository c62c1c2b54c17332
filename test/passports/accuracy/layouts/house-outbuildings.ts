import { blank, formLine, heading, ruled } from '../forms.ts';
import { type FormLayout, roomsTruth } from '../layout.ts';
import { longDate, number } from '../wording.ts';

/** A house with outbuildings: the plot in hectares, tables of building letters, building parts and rooms. */
export const houseOutbuildings: FormLayout = {
  name: 'house-outbuildings',
  afterRules: false,
  draw(facts, random) {
    const built = number(facts.total);
    const content = [
      { text: facts.issuer, alignment: 'center' },
      {
        text: 'ТЕХНИЧЕСКИЙ ПАСПОРТ\nна индивидуальный жилой дом',
        fontSize: 15,
        bold: true,
        alignment: 'center',
        margin: [0, 20, 0, 16],
      },
      formLine('Область (край)', blank(facts.region)),
      formLine('Муниципальный район', blank(facts.district)),
      formLine('Город (село, посёлок)', blank(facts.city)),
      formLine('Улица (проспект, переулок)', blank(facts.street), '№ дома', blank(facts.house, 50)),
      formLine('Кадастровый номер', blank(facts.cadastral, 180), 'Инвентарный номер', blank(facts.inventory)),
      formLine('Площадь земельного участка', blank(`${number(facts.plot / 10_000, 4)} га`, 120)),
      formLine('Собственник', blank(facts.owner)),
      formLine('Паспорт составлен', blank(longDate(facts.issued), 180)),
      heading('Состав объекта'),
      ruled(
        [45, '*', 60, 80, 80],
        [
          ['Литера', 'Наименование', 'Год ввода', 'Площадь застройки', 'Стоимость, руб.'],
          ['А', 'Жилой дом', String(facts.year), number(facts.total + 21.4, 1), number(facts.value)],
          ['Г', 'Сарай', '1988', '24,5', '11 320'],
          ['Г1', 'Баня', '1991', '18,0', '15 402'],
          ['1', 'Забор', '—', '—', number(random.integer(900, 4000))],
        ],
      ),
      heading('Общие сведения о жилом доме'),
      formLine(
        'Назначение',
        blank('жилое', 120),
        'Число этажей надземной части',
        blank(String(Math.min(3, facts.floors))),
      ),
      formLine('Год ввода в эксплуатацию', blank(String(facts.year), 80), 'Общая площадь', blank(built, 70), 'кв. м'),
      formLine('Жилая', blank(number(facts.living), 70), 'кв. м', 'Износ', blank(String(facts.wear), 40), '%'),
      { ...heading('Описание конструктивных элементов'), pageBreak: 'before' },
      ruled(
        [30, 130, '*', 110],
        [
          ['№', 'Наименование элемента', 'Описание (материал, конструкция)', 'Техническое состояние'],
          ['1', 'Фундамент', facts.foundation, 'удовл.'],
          ['2', 'Наружные и внутренние стены', facts.walls, 'трещины'],
          ['3', 'Перегородки', facts.partitions, 'хорошее'],
          ['4', 'Перекрытия', facts.ceilings, 'хорошее'],
          ['5', 'Крыша', facts.roof, 'удовл.'],
          ['6', 'Полы', 'дощатые окрашенные', 'стёртость'],
        ],
      ),
      heading('Экспликация площадей'),
      ruled(
        [45, 35, '*', 70, 70, 80, 50],
        [
          ['Литера', '№', 'Наименование помещений', 'Общая площадь', 'Жилая', 'Вспомогательная', 'Высота'],
          ...facts.rooms.map((room) => [
            'А',
            String(room.no),
            room.name,
            number(room.area, 1),
            room.living === null ? '' : number(room.living, 1),
            room.auxiliary === null ? '' : number(room.auxiliary, 1),
            number(room.height, 2),
          ]),
          [
            '',
            '',
            'Итого по литере А',
            number(facts.total, 1),
            number(facts.living, 1),
            number(facts.auxiliary, 1),
            '',
          ],
        ],
      ),
      formLine('Исполнитель', blank('', 100), `(${facts.technician})`),
      formLine('Руководитель', blank('', 100), `(${facts.head})`),
    ];
    const address = [facts.region, `${facts.district} район`, facts.city, facts.street, `д. ${facts.house}`].join(', ');
    return {
      drawing: { content },
      truth: {
        values: {
          'general:address': address,
          'general:cadastral_number': facts.cadastral,
          'general:inventory_number': facts.inventory,
          'general:purpose': 'жилое',
          'general:year_built': facts.year,
          'general:floors': Math.min(3, facts.floors),
          'general:issue_date': facts.issued,
          'general:issuer': facts.issuer,
          'general:owner': facts.owner,
          'general:head': facts.head,
          'general:technician': facts.technician,
          'areas:total_area': facts.total,
          'areas:living_area': facts.living,
          'construction:foundation': facts.foundation,
          'construction:wall_material': facts.walls,
          'construction:partitions': facts.partitions,
          'construction:floors_material': facts.ceilings,
          'construction:roof': facts.roof,
          'construction:wear_percent': facts.wear,
          ...roomsTruth(facts, ['no', 'name', 'area', 'living', 'auxiliary', 'height']),
        },
      },
    };
  },
};
