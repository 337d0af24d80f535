// Minimal PDF files of one page with a line of text.

/**
 * `catalog`, `page` and `resources` are put into the dictionaries of the same name; `more` are further objects, from
 * number 6 on.
 */
type Extras = {
  readonly catalog?: string;
  readonly page?: string;
  readonly resources?: string;
  readonly drawing?: string;
  readonly more?: readonly string[];
};

export function makePdf(line: string, extras: Extras = {}): Buffer {
  const { catalog = '', page = '', resources: named = '', drawing: besides = '', more = [] } = extras;
  const drawing = `${besides} BT /F1 18 Tf 30 60 Td (${line.replaceAll(/[()\\]/g, '')}) Tj ET`;
  const resources = `/Contents 4 0 R /Resources << /Font << /F1 5 0 R >> ${named} >>`;
  return joinObjects([
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 120] ${resources} ${page} >>`,
    `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...more,
  ]);
}

const toScript = (script: string): string => `<< /S /JavaScript /JS (${script}) >>`;

/** Asks for a password when it is opened, and is one link to `address` from edge to edge. */
export const makeHostilePdf = (line: string, address: string): Buffer =>
  makePdf(line, {
    catalog: `/OpenAction ${toScript("app.response\\({cQuestion: 'Your password', bPassword: true}\\); app.alert\\('ran'\\)")}`,
    page: '/Annots [6 0 R]',
    more: [`<< /Type /Annot /Subtype /Link /Rect [0 0 300 120] /Border [0 0 0] /A << /S /URI /URI (${address}) >> >>`],
  });

/** A black picture in the encoding of fax machines and scanners. */
export function makeScannedPdf(): Buffer {
  const lines = '\xff'; // eight lines, each "like the one above": one bit a line
  const fax = '/Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns 8 /Rows 8 /EndOfBlock false >>';
  const picture = `/Type /XObject /Subtype /Image /Width 8 /Height 8 /BitsPerComponent 1 /ColorSpace /DeviceGray ${fax}`;
  return makePdf('', {
    drawing: 'q 300 0 0 120 0 0 cm /P Do Q',
    resources: '/XObject << /P 6 0 R >>',
    more: [`<< ${picture} /Decode [1 0] /Length ${lines.length} >>\nstream\n${lines}\nendstream`],
  });
}

function joinObjects(objects: readonly string[]): Buffer {
  let text = '%PDF-1.4\n';
  const entries = objects.map((object, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries.join('')}`;
  const end = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
  return Buffer.from(text + table + end, 'latin1');
}
