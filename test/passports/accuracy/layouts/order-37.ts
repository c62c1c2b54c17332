import { blank, formLine, heading, ruled } from '../forms.ts';
import { type FormLayout, roomsTruth } from '../layout.ts';
import { longDate, number } from '../wording.ts';

/** The flat passport of the 2010 order: types and names of places in separate columns, explanations under lines. */
export const order37: FormLayout = {
  name: 'order-37',
  afterRules: true,
  draw(facts) {
    const [kind, ...rest] = facts.street.split(' ');
    const [townKind, ...town] = facts.city.split(' ');
    const small = (text: string) => ({ text: `(${text})`, fontSize: 7, alignment: 'center', margin: [0, 0, 0, 4] });
    const content = [
      { text: 'Российская Федерация', alignment: 'center' },
      {
        text: 'Государственный технический учёт и техническая инвентаризация объектов капитального строительства',
        alignment: 'center',
        fontSize: 9,
        margin: [0, 0, 0, 6],
      },
      blank(facts.issuer, '*', { alignment: 'center' }),
      small('полное наименование органа (организации), осуществляющего государственный технический учёт'),
      { text: 'ТЕХНИЧЕСКИЙ ПАСПОРТ', fontSize: 16, bold: true, alignment: 'center', margin: [0, 10, 0, 0] },
      blank('квартиры', '*', { alignment: 'center' }),
      small('вид объекта учёта'),
      formLine('Паспорт составлен по состоянию на', blank(longDate(facts.issued))),
      small('указывается дата обследования объекта учёта'),
      heading('1. Сведения об объекте'),
      { text: '1.1. Адрес (местоположение)', margin: [0, 2, 0, 2] },
      ruled(
        ['*', 120, 160],
        [
          ['Субъект Российской Федерации', { text: facts.region, colSpan: 2 }, ''],
          ['Район', { text: facts.district, colSpan: 2 }, ''],
          ['Населённый пункт', { text: 'тип', fontSize: 9 }, townKind],
          ['', { text: 'наименование', fontSize: 9 }, town.join(' ')],
          ['Улица (проспект, переулок и т. д.)', { text: 'тип', fontSize: 9 }, kind],
          ['', { text: 'наименование', fontSize: 9 }, rest.join(' ')],
          ['Номер дома', { text: facts.house, colSpan: 2 }, ''],
          ['Номер корпуса', { text: '—', colSpan: 2 }, ''],
          ['Номер квартиры', { text: String(facts.flat), colSpan: 2 }, ''],
        ],
      ),
      { text: '1.2. Основные сведения', margin: [0, 6, 0, 2] },
      ruled(
        [30, '*', 180],
        [
          ['1', 'Назначение объекта', 'жилое'],
          ['2', 'Фактическое использование', 'по назначению'],
          ['3', 'Инвентарный номер', facts.inventory],
          ['4', 'Кадастровый номер объекта', facts.cadastral],
          ['5', 'Год ввода в эксплуатацию (завершения строительства)', String(facts.year)],
          ['6', 'Количество этажей в доме / этаж расположения', `${facts.floors} / ${facts.floor}`],
          ['7', 'Общая площадь квартиры, кв. м', number(facts.total)],
          ['8', 'Жилая площадь квартиры, кв. м', number(facts.living)],
          ['9', 'Материал стен', facts.walls],
          ['10', 'Физический износ на дату обследования, %', String(facts.wear)],
          ['11', 'Инвентаризационная стоимость, руб.', number(facts.value)],
        ],
      ),
      { ...heading('2. Экспликация'), pageBreak: 'before' },
      ruled(
        [40, 60, '*', 70, 60, 60],
        [
          ['Этаж', '№ на плане', 'Наименование помещения', 'Площадь, кв. м', 'Высота, м', 'Примечание'],
          ...facts.rooms.map((room) => [
            String(facts.floor),
            String(room.no),
            room.name,
            number(room.area),
            number(room.height, 2),
            '',
          ]),
          ['', '', 'Итого по помещению', number(facts.total), '', ''],
        ],
      ),
      ruled(
        ['*', 150, 120],
        [
          ['Должность', 'Фамилия, инициалы', 'Подпись'],
          ['Руководитель подразделения', facts.head, ''],
          ['Исполнитель работ', facts.technician, ''],
        ],
      ),
    ];
    return {
      drawing: { content },
      truth: {
        values: {
          'general:address': `${facts.region}, ${facts.district} район, ${facts.city}, ${facts.street}, д. ${facts.house}, кв. ${facts.flat}`,
          'general:purpose': 'жилое',
          'general:cadastral_number': facts.cadastral,
          'general:inventory_number': facts.inventory,
          'general:year_built': facts.year,
          'general:floors': facts.floors,
          'general:floor': facts.floor,
          'general:inventory_value': facts.value,
          'general:issue_date': facts.issued,
          'general:issuer': facts.issuer,
          'general:head': facts.head,
          'general:technician': facts.technician,
          'areas:total_area': facts.total,
          'areas:living_area': facts.living,
          'construction:wall_material': facts.walls,
          'construction:wear_percent': facts.wear,
          ...roomsTruth(facts, ['no', 'name', 'area', 'height']),
        },
      },
    };
  },
};
