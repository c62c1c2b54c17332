import { blank, formLine, heading, ruled } from '../forms.ts';
import { type FormLayout, roomsTruth } from '../layout.ts';

const NAMES = ['sitting room', 'kitchen', 'bathroom', 'hall', 'pantry', 'study', 'store', 'landing'];

/** English, with decimal points and thousands commas. */
export const english: FormLayout = {
  name: 'english',
  afterRules: false,
  draw(facts, random) {
    const rooms = facts.rooms.map((room) => ({ ...room, name: random.pick(NAMES) }));
    const address = `Flat ${facts.flat}, ${facts.house.replace(/\D/gu, '')} Harbour Road, Whitby`;
    const issuer = 'Whitby Office of Technical Inventory';
    const head = 'L. M. Hartley';
    const technician = 'P. Q. Dunmore';
    const owner = 'Margaret Ellen Ashworth';
    const walls = random.pick(['solid brick', 'timber frame', 'rendered blockwork']);
    const value = Math.round(facts.value);
    const plain = (n: number, digits = 1) => n.toFixed(digits);
    const grouped = (n: number) => n.toLocaleString('en-GB');
    const date = new Date(facts.issued).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
    const content = [
      { text: issuer, alignment: 'center' },
      { text: 'TECHNICAL PASSPORT', fontSize: 17, bold: true, alignment: 'center', margin: [0, 10, 0, 12] },
      formLine('Property address', blank(address)),
      formLine('Cadastral No.', blank(facts.cadastral, 180), 'Inventory No.', blank(facts.inventory)),
      formLine('Owner', blank(owner)),
      heading('Building'),
      formLine('Year of construction', blank(String(facts.year), 80), 'Number of storeys', blank(String(facts.floors))),
      formLine('External walls', blank(walls), 'Depreciation, %', blank(String(facts.wear), 60)),
      heading('Flat'),
      formLine(
        'Situated on floor',
        blank(String(facts.floor), 50),
        'Ceiling height',
        blank(plain(facts.height, 2), 60),
        'm',
      ),
      formLine(
        'Total floor area',
        blank(plain(facts.total), 70),
        'sq. m',
        'of which living area',
        blank(plain(facts.living), 70),
        'sq. m',
      ),
      formLine('Inventory value', blank(`£${grouped(value)}`, 110)),
      heading('Rooms'),
      ruled(
        [40, '*', 80, 80],
        [
          ['No.', 'Use of the room', 'Area (m²)', 'Height (m)'],
          ...rooms.map((room) => [String(room.no), room.name, plain(room.area), plain(room.height, 2)]),
          ['', 'Total', plain(facts.total), ''],
        ],
      ),
      formLine('Date of issue', blank(date, 150)),
      formLine('Head of office', blank('', 100), head),
      formLine('Surveyed by', blank('', 100), technician),
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
          'general:inventory_value': value,
          'general:issue_date': facts.issued,
          'general:issuer': issuer,
          'general:owner': owner,
          'general:head': head,
          'general:technician': technician,
          'areas:total_area': facts.total,
          'areas:living_area': facts.living,
          'areas:ceiling_height': facts.height,
          'construction:wall_material': walls,
          'construction:wear_percent': facts.wear,
          ...roomsTruth({ rooms }, ['no', 'name', 'area', 'height']),
        },
      },
    };
  },
};
