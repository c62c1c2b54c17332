import { heading, ruled } from '../forms.ts';
import { type FormLayout, roomsTruth } from '../layout.ts';
import { dotted, number } from '../wording.ts';

/** A three-column table of numbered properties with long official labels, over two pages. */
export const numberedTable: FormLayout = {
  name: 'numbered-table',
  afterRules: true,
  draw(facts) {
    const address = `${facts.region}, ${facts.district} район, ${facts.city}, ${facts.street}, дом № ${facts.house}`;
    const rows = [
      ['Наименование объекта учёта', 'Жилой дом'],
      ['Адрес (местоположение) объекта учёта', address],
      ['Кадастровый номер объекта', facts.cadastral],
      ['Инвентарный номер объекта учёта', facts.inventory],
      ['Сведения о собственниках', facts.owner],
      ['Функциональное назначение', 'жилое'],
      ['Год начала эксплуатации (постройки)', String(facts.year)],
      ['Количество этажей всего', String(facts.floors)],
      ['Общая площадь здания, кв. м', number(facts.total)],
      ['из общей площади жилая, кв. м', number(facts.living)],
      ['Высота помещений здания, м', number(facts.height)],
      ['Описание фундамента', facts.foundation],
      ['Описание стен', facts.walls],
      ['Описание перекрытий', facts.ceilings],
      ['Описание крыши (кровли)', facts.roof],
      ['Степень физического износа, %', String(facts.wear)],
      ['Инвентаризационная стоимость объекта, руб.', number(facts.value)],
      ['Паспорт составлен по состоянию на', dotted(facts.issued)],
      ['Паспорт составлен организацией', facts.issuer],
    ];
    const content = [
      { text: 'ТЕХНИЧЕСКИЙ ПАСПОРТ ЗДАНИЯ', fontSize: 15, bold: true, alignment: 'center', margin: [0, 0, 0, 8] },
      ruled(
        [30, 200, '*'],
        [
          ['№ п/п', 'Наименование характеристики', 'Значение'],
          ...rows.map(([label, value], i) => [`${i + 1}.`, label, value]),
        ],
      ),
      { ...heading('Экспликация помещений здания'), pageBreak: 'before' },
      ruled(
        [50, 55, '*', 80, 80],
        [
          ['Этаж', '№ помещения', 'Назначение помещения', 'Площадь, м²', 'Высота, м'],
          ...facts.rooms.map((room) => ['1', String(room.no), room.name, number(room.area, 1), number(room.height, 2)]),
          ['', '', 'Всего по зданию', number(facts.total, 1), ''],
        ],
      ),
    ];
    return {
      drawing: { content, defaultStyle: { font: 'Roboto', fontSize: 10 } },
      truth: {
        accept: { 'general:address': [address.replace('дом № ', 'дом №')] },
        values: {
          'general:address': address,
          'general:cadastral_number': facts.cadastral,
          'general:inventory_number': facts.inventory,
          'general:owner': facts.owner,
          'general:purpose': 'жилое',
          'general:year_built': facts.year,
          'general:floors': facts.floors,
          'general:inventory_value': facts.value,
          'general:issue_date': facts.issued,
          'general:issuer': facts.issuer,
          'areas:total_area': facts.total,
          'areas:living_area': facts.living,
          'areas:ceiling_height': facts.height,
          'construction:foundation': facts.foundation,
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
