// Small PDF documents, written by hand: as much of the format as a text needs.

export interface PdfParts {
  /** Of each page, lines from top to bottom. An empty line makes a gap. */
  readonly pages: readonly (readonly string[])[];
  readonly info?: Readonly<Record<string, string>>;
}

export function pdfOf({ pages, info = {} }: PdfParts): Uint8Array {
  const objects: string[] = [];
  const add = (body: string) => objects.push(body);
  const kids = pages.map((_, at) => `${4 + at * 2} 0 R`).join(' ');
  add('<< /Type /Catalog /Pages 2 0 R >>');
  add(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`);
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>');
  for (const [at, lines] of pages.entries()) {
    const drawn = lines.map((line) => (line === '' ? '0 -14 Td' : `0 -14 Td (${escaped(line)}) Tj`));
    const content = `BT /F1 12 Tf 72 760 Td\n${drawn.join('\n')}\nET`;
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + at * 2} 0 R >>`,
    );
    add(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
  }
  const fields = Object.entries(info).map(([name, value]) => `/${name} (${escaped(value)})`);
  add(`<< ${fields.join(' ')} >>`);
  return assemble(objects, `/Root 1 0 R /Info ${objects.length} 0 R`);
}

/** One that cannot be opened without a password. */
export function encryptedPdf(): Uint8Array {
  return assemble(
    [
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [] /Count 0 >>',
      `<< /Filter /Standard /V 1 /R 2 /P -4 /O <${'41'.repeat(32)}> /U <${'42'.repeat(32)}> >>`,
    ],
    `/Root 1 0 R /Encrypt 3 0 R /ID [<${'43'.repeat(16)}> <${'43'.repeat(16)}>]`,
  );
}

function assemble(objects: readonly string[], trailer: string): Uint8Array {
  let text = '%PDF-1.4\n';
  const offsets = objects.map((body, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${body}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const start = text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} ${trailer} >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}

function escaped(text: string): string {
  return text.replace(/[()\\]/g, (sign) => `\\${sign}`);
}
