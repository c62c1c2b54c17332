import { type ZipEntry, zip } from './zip.ts';

/** A day is `YYYY-MM-DD`; a Date is an instant, shown in UTC. Strings are text, never formulas. */
export type Cell = string | number | boolean | null | Date | { readonly day: string };

export interface Sheet {
  readonly name: string;
  readonly header: readonly string[];
  /** In characters. */
  readonly widths: readonly number[];
  readonly rows: AsyncIterable<readonly Cell[]> | Iterable<readonly Cell[]>;
}

/**
 * Generates an Excel workbook (ECMA-376, inline strings) row by row, in constant memory. Splits a sheet that exceeds
 * Excel's row limit.
 */
export async function* xlsx(sheets: readonly Sheet[]): AsyncGenerator<Buffer, void, undefined> {
  yield* zip(parts(sheets));
}

// Excel's limit of 2^20, without the header.
const MAX_ROWS = 2 ** 20 - 1;
const MAX_CHARACTERS = 32_767;

async function* parts(sheets: readonly Sheet[]): AsyncGenerator<ZipEntry, void, undefined> {
  const names: string[] = [];
  // First entry: file type detection recognizes an Office file by it.
  yield { name: '_rels/.rels', content: [relations([['officeDocument', 'xl/workbook.xml']])] };
  for (const sheet of sheets) {
    const rows =
      Symbol.asyncIterator in sheet.rows ? sheet.rows[Symbol.asyncIterator]() : sheet.rows[Symbol.iterator]();
    const state = { more: true };
    try {
      for (let part = 1; state.more; part++) {
        names.push(sheetName(part === 1 ? sheet.name : `${sheet.name} ${part}`, names));
        yield { name: `xl/worksheets/sheet${names.length}.xml`, content: worksheet(sheet, rows, state) };
      }
    } finally {
      // Also closes the source of the rows if the consumer stops early.
      await rows.return?.();
    }
  }
  yield { name: '[Content_Types].xml', content: [contentTypes(names)] };
  yield { name: 'xl/workbook.xml', content: [workbook(names)] };
  const related = names.map((_, index): [string, string] => ['worksheet', `worksheets/sheet${index + 1}.xml`]);
  yield { name: 'xl/_rels/workbook.xml.rels', content: [relations([...related, ['styles', 'styles.xml']])] };
  yield { name: 'xl/styles.xml', content: [STYLES] };
}

type Rows = AsyncIterator<readonly Cell[]> | Iterator<readonly Cell[]>;

async function* worksheet(sheet: Sheet, rows: Rows, state: { more: boolean }): AsyncGenerator<string, void, undefined> {
  const columns = sheet.widths.map(
    (width, index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`,
  );
  yield `${XML}<worksheet xmlns="${MAIN}">${FROZEN_HEADER}<cols>${columns.join('')}</cols><sheetData>`;
  yield `<row r="1">${sheet.header.map((name, at) => inline(`${column(at)}1`, name, STYLE.header)).join('')}</row>`;
  for (let row = 2; row <= MAX_ROWS + 1; row++) {
    const next = await rows.next();
    if (next.done) {
      state.more = false;
      break;
    }
    yield `<row r="${row}">${next.value.map((value, at) => cell(`${column(at)}${row}`, value)).join('')}</row>`;
  }
  yield '</sheetData></worksheet>';
}

const FROZEN_HEADER =
  '<sheetViews><sheetView workbookViewId="0">' +
  '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>';

const STYLE = { plain: 0, header: 1, day: 2, instant: 3, text: 4, quoted: 5 } as const;

function cell(ref: string, value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'string') return inline(ref, value, /^[=+\-@]/.test(value) ? STYLE.quoted : STYLE.text);
  if (typeof value === 'number') return Number.isFinite(value) ? `<c r="${ref}"><v>${value}</v></c>` : '';
  if (typeof value === 'boolean') return `<c r="${ref}" t="b"><v>${value ? 1 : 0}</v></c>`;
  if (value instanceof Date) return `<c r="${ref}" s="${STYLE.instant}"><v>${serial(value.getTime())}</v></c>`;
  const time = Date.parse(`${value.day}T00:00:00Z`);
  // Excel's calendar begins in 1900 with the nonexistent 29 February 1900.
  if (Number.isNaN(time) || time < FIRST_DAY) return inline(ref, value.day, STYLE.text);
  return `<c r="${ref}" s="${STYLE.day}"><v>${serial(time)}</v></c>`;
}

/** A, B, … Z, AA, … */
function column(at: number): string {
  return (at >= 26 ? column(Math.floor(at / 26) - 1) : '') + String.fromCharCode(65 + (at % 26));
}

const DAY_MS = 86_400_000;
const FIRST_DAY = Date.UTC(1900, 2, 1);
const serial = (time: number) => (time - Date.UTC(1899, 11, 30)) / DAY_MS;

const inline = (ref: string, text: string, style: number) =>
  `<c r="${ref}" t="inlineStr" s="${style}"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;

function escaped(text: string): string {
  const legal = text.replace(/\r\n?/g, '\n').replace(ILLEGAL, '');
  const short =
    legal.length > MAX_CHARACTERS ? `${legal.slice(0, MAX_CHARACTERS - 1).replace(/\p{Cs}$/u, '')}…` : legal;
  return (
    short
      .replace(/[&<>"]/g, (sign) => ENTITIES[sign]!)
      // `_x0041_` is Excel's escape of a character code, so such text is escaped itself.
      .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
  );
}

// Not allowed in XML 1.0, not even as references: control characters, lone surrogates, U+FFFE and U+FFFF.
const ILLEGAL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff\p{Cs}]/gu;
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Excel's rules: up to 31 characters, some excluded, unique without regard to case. */
function sheetName(title: string, taken: readonly string[]): string {
  const plain =
    title
      .replace(/[[\]:*?/\\]/g, ' ')
      .replace(/^'+|(?<!')'+$/g, '')
      .trim()
      .slice(0, 31) || 'Sheet';
  const used = new Set(taken.map((name) => name.toLowerCase()));
  let name = plain;
  for (let more = 2; used.has(name.toLowerCase()); more++) name = `${plain.slice(0, 31 - ` ${more}`.length)} ${more}`;
  return name;
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const SPREADSHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

function workbook(names: readonly string[]): string {
  const sheets = names.map((name, at) => `<sheet name="${escaped(name)}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`);
  return `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${sheets.join('')}</sheets></workbook>`;
}

function relations(targets: readonly (readonly [type: string, target: string])[]): string {
  const all = targets.map(
    ([type, target], at) => `<Relationship Id="rId${at + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  );
  return `${XML}<Relationships xmlns="${PACKAGE}/relationships">${all.join('')}</Relationships>`;
}

function contentTypes(names: readonly string[]): string {
  const sheets = names.map(
    (_, at) => `<Override PartName="/xl/worksheets/sheet${at + 1}.xml" ContentType="${SPREADSHEET}.worksheet+xml"/>`,
  );
  return `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${SPREADSHEET}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${SPREADSHEET}.styles+xml"/>${sheets.join('')}</Types>`;
}

// In the order of STYLE. `quotePrefix` prevents that text like `=…` becomes a formula when its cell is edited.
const STYLES = `${XML}<styleSheet xmlns="${MAIN}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FFE8ECF1"/><bgColor indexed="64"/></patternFill></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="6"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="2" borderId="0" xfId="0" applyFont="1" applyFill="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyAlignment="1"><alignment vertical="top" wrapText="1"/></xf><xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1" applyNumberFormat="1" applyAlignment="1"><alignment vertical="top" wrapText="1"/></xf></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;
