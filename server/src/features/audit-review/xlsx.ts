// A streaming writer for spreadsheets of one sheet: each row is written as it arrives. All cells are texts or numbers,
// never formulas; a text that could be taken for a formula is prefixed with an apostrophe.
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';

export type Cell = string | number | null;

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const office = 'http://schemas.openxmlformats.org';
const sheets = `${office}/spreadsheetml/2006`;
const relations = `${office}/officeDocument/2006/relationships`;
const packaged = `${office}/package/2006`;
const kind = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const maxCellCharacters = 32_767;

export const xlsxType = `${kind}.sheet`;

const types = `${declaration}<Types xmlns="${packaged}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${kind}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${kind}.worksheet+xml"/></Types>`;
const toRelation = (type: string, target: string): string =>
  `${declaration}<Relationships xmlns="${packaged}/relationships"><Relationship Id="rId1" Type="${relations}/${type}" Target="${target}"/></Relationships>`;
const toWorkbook = (name: string): string =>
  `${declaration}<workbook xmlns="${sheets}/main" xmlns:r="${relations}"><sheets><sheet name="${toXml(name)}" sheetId="1" r:id="rId1"/></sheets></workbook>`;
const beginning = `${declaration}<worksheet xmlns="${sheets}/main"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" state="frozen"/></sheetView></sheetViews><sheetData>`;
const end = '</sheetData></worksheet>';

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const mayStand = new Set(['\t', '\n', '\r', '\u007f']);

/** Escapes text that a spreadsheet would decode as a character, such as `_x003D_` for `=`. */
const spellOut = (text: string): string => text.replace(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_');

/** Replaces characters that XML cannot hold. */
const toXml = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\p{Cc}\ufffe\uffff]/gu, sign => (mayStand.has(sign) ? sign : '\ufffd'))
    .replace(/[&<>"]/g, sign => escapes[sign] ?? sign)
    .replaceAll('\r', '&#13;');

const neutralise = (text: string): string =>
  /^\s*[=+\-@|%\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/.test(text) ? `'${text}` : text;

const toCell = (cell: Cell): string => {
  if (cell === null || cell === '') return '<c/>';
  if (typeof cell === 'number') return `<c><v>${cell}</v></c>`;
  return `<c t="inlineStr"><is><t xml:space="preserve">${toXml(spellOut(neutralise(cell).slice(0, maxCellCharacters)))}</t></is></c>`;
};

const toRow = (cells: readonly Cell[]): string => `<row>${cells.map(toCell).join('')}</row>`;

async function* writeSheet(heading: readonly string[], pages: AsyncIterable<readonly (readonly Cell[])[]>) {
  yield Buffer.from(beginning + toRow(heading));
  for await (const rows of pages) yield Buffer.from(rows.map(toRow).join(''));
  yield Buffer.from(end);
}

type Sheet = {
  readonly name: string;
  readonly heading: readonly string[];
  /** In pages of several rows. */
  readonly pages: AsyncIterable<readonly (readonly Cell[])[]>;
  /** The date of the parts of the file. */
  readonly madeAt: Date;
};

export function writeXlsx({ name, heading, pages, madeAt }: Sheet): Readable {
  const zip = new ZipFile();
  const options = { mtime: madeAt };
  const sheet = Readable.from(writeSheet(heading, pages));
  const output = Readable.from(zip.outputStream);
  sheet.once('error', error => output.destroy(error));
  output.once('close', () => sheet.destroy());
  zip.addBuffer(Buffer.from(types), '[Content_Types].xml', options);
  zip.addBuffer(Buffer.from(toRelation('officeDocument', 'xl/workbook.xml')), '_rels/.rels', options);
  zip.addBuffer(Buffer.from(toWorkbook(name)), 'xl/workbook.xml', options);
  zip.addBuffer(Buffer.from(toRelation('worksheet', 'worksheets/sheet1.xml')), 'xl/_rels/workbook.xml.rels', options);
  zip.addReadStream(sheet, 'xl/worksheets/sheet1.xml', options);
  zip.end();
  return output;
}
