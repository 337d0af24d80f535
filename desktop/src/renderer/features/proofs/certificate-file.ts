// A shown report as one HTML file to keep or to send: the same text, without scripts, buttons or anything to load.
import { html, raw } from '@recordproof/shared/theme/html.ts';

const styles = `body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; }
section { margin: 1rem 0; padding: 1rem; border: 1px solid #bbb; border-radius: 0.5rem; break-inside: avoid; }
code { overflow-wrap: anywhere; font-size: 0.875em; } dt { font-weight: 600; } dd { margin: 0 0 0.5rem; }
.chip, .mark { font-weight: 600; } .statement { margin: 0.5rem 0; padding-left: 0.75rem; border-left: 4px solid #888; }`;

const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

type Kept = { readonly title: string; readonly name: string; readonly language: string };

/** `shown` was made by React, which escapes names and texts. */
export function toCertificateFile(shown: HTMLElement, { title, name, language }: Kept): File {
  const copy = shown.cloneNode(true) as HTMLElement;
  for (const left of copy.querySelectorAll('.unprinted, svg')) left.remove();
  const text = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${raw(styles)}</style>
</head>
<body>
<h1>${title}</h1>
${raw(copy.innerHTML)}
</body>
</html>
`.html;
  return new File([text], `${name}.certificate.html`, { type: 'text/html' });
}

export function saveFile(file: File): void {
  const href = URL.createObjectURL(new Blob([file], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = href;
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

export const canShareFile = (file: File): boolean => navigator.canShare?.({ files: [file] }) === true;

/** The user has closed the system's share dialog. */
export async function shareFile(file: File): Promise<void> {
  try {
    await navigator.share({ files: [file], title: file.name });
  } catch (problem) {
    if (!(problem instanceof DOMException && problem.name === 'AbortError')) throw problem;
  }
}
