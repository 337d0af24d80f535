// Printable result of a verification: files, time and verdict; also as a file. It is a certificate only if everything was confirmed.
import { html, raw } from '@recordproof/shared/theme/html.ts';
import { appFilesWords } from '@recordproof/shared/words/app-files.ts';
import type { VerificationReport } from '@recordproof/verifier/verify/report.ts';
import { type RefObject, useMemo } from 'react';
import { useLanguage } from '../../context.ts';
import { formatNumber, formatTime } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { useAction } from '../../ui/hooks.ts';
import { Facts } from '../../ui/panes.tsx';
import { Problem } from '../../ui/states.tsx';

export type Checked = {
  readonly original: File;
  readonly proof: File;
  /** The server that answered for issuer and chain. */
  readonly askedServer: string | null;
};

/** Without characters that could hide or reverse the text next to them. */
const toName = ({ name }: File): string => name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd');

type Certified = {
  readonly report: VerificationReport;
  readonly checked: Checked;
  /** The stored parts of a result. */
  readonly shown: RefObject<HTMLElement | null>;
};

export function Certificate({ report, checked, shown }: Certified) {
  const language = useLanguage();
  const texts = appFilesWords[language];
  const { computedContentHash } = report.summary;
  const nameAndSize = (file: File) => (
    <>
      <bdi>{toName(file)}</bdi>
      <br />
      {texts.bytes(formatNumber(file.size, language))}
    </>
  );
  return (
    <section className="card form">
      <h2>{report.outcome === 'VALID' ? texts.certificate : texts.noCertificate}</h2>
      <Facts
        of={{
          [texts.original]: (
            <>
              {nameAndSize(checked.original)}
              <br />
              <code>{computedContentHash ?? texts.unread}</code>
            </>
          ),
          [texts.archive]: nameAndSize(checked.proof),
          [texts.asked]: checked.askedServer === null ? texts.noServer : <code>{checked.askedServer}</code>,
        }}
      />
      <p className="small">{texts.trust[report.summary.keySource]}</p>
      <p className="small">{texts.about(report.verifierVersion, formatTime(report.verifiedAt, language))}</p>
      <p className="small">{texts.unsigned}</p>
      <Keep
        title={report.outcome === 'VALID' ? texts.certificate : texts.noCertificate}
        checked={checked}
        shown={shown}
      />
    </section>
  );
}

const sample = new File([''], 'certificate.html', { type: 'text/html' });

function Keep({ title, checked, shown }: Pick<Certified, 'checked' | 'shown'> & { readonly title: string }) {
  const language = useLanguage();
  const texts = appFilesWords[language];
  const canShare = useMemo(() => canShareFile(sample), []);
  const { run, isBusy, error } = useAction(async (use: (file: File) => void | Promise<void>) => {
    if (shown.current !== null)
      await use(toCertificateFile(shown.current, { title, name: toName(checked.original), language }));
  });
  return (
    <>
      <Problem error={error} />
      <div className="actions unprinted">
        <Button label={texts.print} variant="plain" onClick={() => globalThis.print()} />
        <Button label={texts.saveCertificate} variant="plain" disabled={isBusy} onClick={() => run(saveFile)} />
        {canShare && (
          <Button label={texts.shareCertificate} variant="plain" disabled={isBusy} onClick={() => run(shareFile)} />
        )}
      </div>
    </>
  );
}

const styles = `body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; }
section { margin: 1rem 0; padding: 1rem; border: 1px solid #bbb; border-radius: 0.5rem; break-inside: avoid; }
code { overflow-wrap: anywhere; font-size: 0.875em; } dt { font-weight: 600; } dd { margin: 0 0 0.5rem; }
.chip, .mark { font-weight: 600; } .statement { margin: 0.5rem 0; padding-left: 0.75rem; border-left: 4px solid #888; }`;

const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

type Kept = { readonly title: string; readonly name: string; readonly language: string };

/** `shown` was made by React, which escapes names and texts. */
function toCertificateFile(shown: HTMLElement, { title, name, language }: Kept): File {
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

function saveFile(file: File): void {
  const href = URL.createObjectURL(new Blob([file], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = href;
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

const canShareFile = (file: File): boolean => navigator.canShare?.({ files: [file] }) === true;

/** The user has closed the system's share dialog. */
async function shareFile(file: File): Promise<void> {
  try {
    await navigator.share({ files: [file], title: file.name });
  } catch (problem) {
    if (!(problem instanceof DOMException && problem.name === 'AbortError')) throw problem;
  }
}
